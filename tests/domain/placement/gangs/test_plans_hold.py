"""G1, G2, G3, G4: Plans against a count of their own, against every other placement, and against the same fleet built another way."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.asks import GpuAsk, Plan, PodAsk, Refusal
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.potentials import policy
from corral.placement.potentials.statistics import statistics_of
from tests.domain.placement import random_fleets
from tests.domain.placement.brute_force import can_place
from tests.domain.placement.fleet.test_changes_are_undone import image_of
from tests.domain.placement.fleets import fleet_of

POLICIES = ("default", "fgd", "bestfit", "random")
words = st.fixed_dictionaries(
    {
        "strategy": st.sampled_from(("", "bundle", "spread")),
        "within": st.sampled_from(("", "", "rack", "node")),
        "near": st.sampled_from(("", "", "rack", "node", "model")),
    }
)


@settings(max_examples=100, deadline=None)
@given(random_fleets.offers(), st.lists(st.lists(random_fleets.asks, min_size=1, max_size=5), max_size=4), words)
def test_plans_one_after_another_never_give_away_too_much(
    offers: list[NodeOffer], gangs: list[list[PodAsk]], said: dict[str, str]
) -> None:
    for name in POLICIES:
        fleet = fleet_of(*offers)
        for number, asks in enumerate(gangs):
            asked = random_fleets.gang(asks, 1, **said)
            image = image_of(fleet)
            answer = plan(fleet, asked, policy(name, statistics_of(asks)))
            assert image_of(fleet) == image
            ask_of = {member.uid: member.ask for member in asked.members}
            for seat in answer.seats if isinstance(answer, Plan) else ():
                assert not fleet.offers[seat.node].is_closed
                fleet.hold(seat._replace(uid=f"{number}-{seat.uid}"), ask_of[seat.uid])
            if isinstance(answer, Plan) and said["within"] == "rack":
                assert len({dict(fleet.offers[seat.node].labels)["rack"] for seat in answer.seats}) == 1
        assert random_fleets.overcommitted(offers, [(hold.seat, hold.ask) for hold in fleet.holds.values()]) == []


@settings(max_examples=100, deadline=None)
@given(random_fleets.offers(3), random_fleets.asks, st.integers(1, 5), st.sampled_from(("", "rack")), words)
def test_pods_of_one_class_are_placed_whenever_they_can_be(
    offers: list[NodeOffer], ask: PodAsk, number: int, within: str, said: dict[str, str]
) -> None:
    asked = random_fleets.gang([ask] * number, number, **{**said, "within": within})
    answer = plan(fleet_of(*offers), asked, policy("default", statistics_of([ask])))
    assert isinstance(answer, Plan) is can_place(offers, [ask] * number, within)
    if isinstance(answer, Refusal):
        most = max(count for count in range(number) if count == 0 or can_place(offers, [ask] * count, within))
        assert dict(answer.free)["pods"] == most


@settings(max_examples=60, deadline=None)
@given(random_fleets.offers(), st.lists(random_fleets.asks, min_size=1, max_size=5), words)
def test_a_plan_does_not_depend_on_the_order_in_which_nodes_came(
    offers: list[NodeOffer], asks: list[PodAsk], said: dict[str, str]
) -> None:
    asked = random_fleets.gang(asks, len(asks), **said)
    for name in POLICIES[:3]:
        chosen = policy(name, statistics_of(asks))
        plans = [
            plan(fleet, asked, chosen, explain=False) for fleet in (fleet_of(*offers), fleet_of(*reversed(offers)))
        ]
        assert plans[0] == plans[1]


def test_another_seed_breaks_ties_another_way() -> None:
    offers = [NodeOffer(f"n{index}", 1000, 10) for index in range(20)]
    chosen = []
    for seed in range(10):
        fleet = Fleet(seed)
        for offer in offers:
            fleet.put(offer)
        answer = plan(fleet, random_fleets.gang([PodAsk(1)], 1), policy())
        assert isinstance(answer, Plan)
        chosen.append(answer.seats[0].node)
    assert len(set(chosen)) > 5


MIXED = tuple(
    PodAsk(cpu, 0, GpuAsk(number, milli))
    for cpu in (1, 2, 4)
    for number, milli in ((0, 1000), (1, 1000), (2, 1000), (4, 1000), (1, 300), (1, 500), (1, 700))
)


@pytest.mark.parametrize("strategy", ["", "bundle", "spread"])
def test_gangs_of_several_classes_are_seldom_refused_in_vain(strategy: str) -> None:
    """Tight cases of 5 random pods on 3 random nodes, drawn from one seed: what the engine finds of what there is."""
    chance = Random(1)
    possible = found = 0
    while possible < 250:
        offers = [
            NodeOffer(f"n{index}", chance.choice((4, 6, 8)), 0, gpus=(GpuOffer(),) * chance.choice((1, 2, 4)))
            for index in range(3)
        ]
        asks = [chance.choice(MIXED) for _ in range(5)]
        if sum(ask.gpu.total for ask in asks) < 600 * sum(len(offer.gpus) for offer in offers):
            continue
        if can_place(offers, asks, ""):
            possible += 1
            answer = plan(fleet_of(*offers), random_fleets.gang(asks, 5, strategy), policy(), explain=False)
            found += isinstance(answer, Plan)
    assert found >= 0.99 * possible, (found, possible)

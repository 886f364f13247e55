"""Affinity between pods, anti-affinity with its symmetric half, and even spreads, against a count of their own."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.asks import Gang, Neighbours, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.offers import NodeOffer
from corral.placement.potentials import policy
from tests.domain.placement.fleets import fleet_of, gang_of, node

WEB, DB = 1, 2
RACKS = tuple(node(f"{rack}{index}", gpus=0, labels=(("rack", rack),)) for rack in "rst" for index in range(2))


def wants(kind: str, crowd: int, *crowds: int, level: str = "rack", skew: int = 1) -> PodAsk:
    return PodAsk(1000, 1, crowds=crowds, neighbours=(Neighbours(kind, crowd, level, skew),))


def racks_of(answer: Plan | Refusal) -> list[str]:
    assert isinstance(answer, Plan), answer
    return sorted(seat.node[0] for seat in answer.seats)


def planned(fleet: Fleet, gang: Gang) -> Plan | Refusal:
    return plan(fleet, gang, policy())


@pytest.mark.parametrize("strategy", ["", "bundle", "spread"])
def test_pods_that_are_to_be_apart_share_no_domain(strategy: str) -> None:
    fleet = fleet_of(*RACKS)
    apart = wants("apart", WEB, WEB)
    assert racks_of(planned(fleet, gang_of(apart, apart, apart, strategy=strategy))) == ["r", "s", "t"]
    answer = planned(fleet, gang_of(*[apart] * 4, strategy=strategy))
    assert isinstance(answer, Refusal)
    assert answer.code == "wrong-neighbours"
    by_node = wants("apart", WEB, WEB, level="node")
    assert len(racks_of(planned(fleet, gang_of(*[by_node] * 6, strategy=strategy)))) == 6
    assert isinstance(planned(fleet, gang_of(*[by_node] * 7, strategy=strategy)), Refusal)


def test_who_came_first_and_wants_to_be_apart_keeps_others_away() -> None:
    fleet = fleet_of(*RACKS)
    fleet.hold(Seat("db", "r0"), wants("apart", WEB, DB))
    web = PodAsk(1000, 1, crowds=(WEB,))
    assert set(racks_of(planned(fleet, gang_of(*[web] * 30, strategy="spread", minimum=1)))) == {"s", "t"}
    fleet.release("db")
    assert set(racks_of(planned(fleet, gang_of(*[web] * 30, strategy="spread", minimum=1)))) == {"r", "s", "t"}


def test_pods_go_where_those_are_that_they_want_to_be_with() -> None:
    fleet = fleet_of(*RACKS)
    fleet.hold(Seat("db", "s1"), PodAsk(crowds=(DB,)))
    assert set(racks_of(planned(fleet, gang_of(*[wants("together", DB)] * 5, strategy="spread")))) == {"s"}


def test_the_first_that_wants_its_own_kind_begins_anywhere_and_the_others_follow() -> None:
    together = wants("together", WEB, WEB)
    assert len(set(racks_of(planned(fleet_of(*RACKS), gang_of(*[together] * 6, strategy="spread"))))) == 1


def test_pods_are_spread_evenly() -> None:
    fleet = fleet_of(*RACKS)
    even = wants("even", WEB, WEB)
    assert Counter(racks_of(planned(fleet, gang_of(*[even] * 9, strategy="bundle")))) == {"r": 3, "s": 3, "t": 3}
    fleet.hold(Seat("a", "r0"), PodAsk(crowds=(WEB,)))
    assert racks_of(planned(fleet, gang_of(even, even))) == ["s", "t"]


def test_a_refusal_for_the_sake_of_neighbours_says_so() -> None:
    fleet = fleet_of(*RACKS)
    for rack in "rst":
        fleet.hold(Seat(rack, f"{rack}0"), PodAsk(crowds=(DB,)))
    answer = planned(fleet, gang_of(wants("apart", DB)))
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.binding) == ("wrong-neighbours", "neighbours")
    assert dict(answer.standings[0].lacking) == {"neighbours": 6}


def test_a_node_outside_of_every_domain_is_apart_from_all_and_together_with_none() -> None:
    fleet = fleet_of(*RACKS[:1], node("loose", gpus=0))
    fleet.hold(Seat("a", "r0"), PodAsk(crowds=(WEB,)))
    for kind, want in {"apart": ["l"], "together": ["r"], "even": ["r"]}.items():
        assert racks_of(planned(fleet, gang_of(wants(kind, WEB)))) == want


asks = st.builds(
    lambda crowds, neighbours: PodAsk(1, 0, crowds=tuple(sorted(crowds)), neighbours=tuple(neighbours)),
    st.sets(st.sampled_from((WEB, DB))),
    st.lists(
        st.builds(
            Neighbours,
            st.sampled_from(("apart", "together", "even")),
            st.sampled_from((WEB, DB)),
            st.sampled_from(("rack", "node")),
            st.sampled_from((1, 2)),
            st.just(-1),
            st.sampled_from((0, 2, 4)),
        ),
        max_size=2,
    ),
)


def complaint(offers: tuple[NodeOffer, ...], held: list[tuple[str, PodAsk]], name: str, ask: PodAsk) -> str:
    """What is wrong with a node for an ask, counted pod by pod; "" when nothing is."""

    def domain(node_name: str, level: str) -> str:
        labels = {offer.name: dict(offer.labels) for offer in offers}[node_name]
        return node_name if level == "node" else labels.get(level, "")

    for one in ask.neighbours:
        here = domain(name, one.level)
        counts = Counter(domain(where, one.level) for where, other in held if one.crowd in other.crowds)
        if one.kind == "apart" and here and counts[here]:
            return f"{one}: {counts[here]} are here"
        if one.kind == "together" and not (counts[here] or (not counts.total() and one.crowd in ask.crowds)):
            return f"{one}: none is here"
        domains = {domain(offer.name, one.level) for offer in offers}
        fewest = min(counts[each] for each in domains) if len(domains) >= one.least else 0
        if one.kind == "even" and counts[here] + (one.crowd in ask.crowds) - fewest > one.skew:
            return f"{one}: {counts}"
    for where, other in held:
        for one in other.neighbours:
            if one.kind == "apart" and one.crowd in ask.crowds and domain(where, one.level) == domain(name, one.level):
                return f"{where} must be apart"
    return ""


@settings(max_examples=150, deadline=None)
@given(st.lists(asks, min_size=1, max_size=8), st.sampled_from(("", "bundle", "spread")))
def test_pods_go_only_where_they_and_those_that_are_there_allow(pods: list[PodAsk], strategy: str) -> None:
    fleet = fleet_of(*RACKS)
    held: list[tuple[str, PodAsk]] = []
    for index, ask in enumerate(pods):
        answer = plan(fleet, gang_of(ask, name=f"g{index}", strategy=strategy), policy())
        if isinstance(answer, Plan):
            assert complaint(RACKS, held, answer.seats[0].node, ask) == ""
            fleet.hold(answer.seats[0], ask)
            held.append((answer.seats[0].node, ask))
        else:
            assert all(complaint(RACKS, held, offer.name, ask) for offer in RACKS)

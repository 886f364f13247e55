"""Seats for pods of several GPUs: others do not take the last of those that will be needed."""

import random

import msgspec
import pytest

from corral.placement.asks import Gang, GpuAsk, Member, Plan, PodAsk, Refusal
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.gangs.keeping import large_classes
from corral.placement.potentials.policies import Keeping, Policy, policy
from corral.placement.potentials.statistics import Statistics, statistics_of
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod

LARGE = pod(8, cpu=32_000)
SMALL = pod(1, cpu=4000)
MIX = Statistics(statistics_of([LARGE] * 4 + [SMALL] * 32).shares)
"""Half of all GPUs are asked for by pods of eight, and that is known exactly."""


def _policy(statistics: Statistics = MIX, surely: float = 0.0, likely: float = 1.0) -> Policy:
    return msgspec.structs.replace(policy("default", statistics), keeping=Keeping(surely, likely))


def _nodes(number: int) -> Fleet:
    return fleet_of(*(node(f"n{index}") for index in range(number)))


def _place(fleet: Fleet, chosen: Policy, uid: str, ask: PodAsk) -> str | Refusal:
    answer = plan(fleet, Gang(uid, (Member(uid, ask),), 1), chosen)
    if isinstance(answer, Refusal):
        return answer
    fleet.hold(answer.seats[0], ask)
    return answer.seats[0].node


def _fill(fleet: Fleet, chosen: Policy, number: int) -> list[str | Refusal]:
    return [_place(fleet, chosen, f"small-{index}", SMALL) for index in range(number)]


def test_small_pods_leave_as_many_seats_as_large_ones_will_surely_need() -> None:
    fleet = _nodes(4)

    answers = _fill(fleet, _policy(), 24)

    assert len({answer for answer in answers if isinstance(answer, str)}) == 2
    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    assert len(refused) == 8
    assert {(answer.code, answer.binding) for answer in refused} == {("kept-for-larger", "kept")}
    assert refused[0].sentence.endswith("what has room is kept for pods of several GPUs, of which more are expected.")


def test_large_pods_take_the_seats_that_are_kept_for_them() -> None:
    fleet, chosen = _nodes(4), _policy()
    _fill(fleet, chosen, 24)

    assert isinstance(_place(fleet, chosen, "first", LARGE), str)
    assert isinstance(_place(fleet, chosen, "second", LARGE), str)
    assert isinstance(_place(fleet, chosen, "third", LARGE), Refusal)


def test_a_seat_is_kept_while_a_large_pod_sits_on_it_and_after_it_left() -> None:
    fleet, chosen = _nodes(2), _policy()
    seat = _place(fleet, chosen, "large", LARGE)
    _fill(fleet, chosen, 8)

    assert isinstance(_place(fleet, chosen, "one-more", SMALL), Refusal)
    fleet.release("large")

    assert isinstance(_place(fleet, chosen, "one-more", SMALL), Refusal)
    assert _place(fleet, chosen, "large-again", LARGE) == seat


def test_seats_that_are_likely_needed_are_given_only_to_who_fits_nowhere_else() -> None:
    fleet, chosen = _nodes(4), _policy(surely=2.0, likely=0.0)

    answers = _fill(fleet, chosen, 32)

    assert len({*answers[:16]}) == 2
    assert all(isinstance(answer, str) for answer in answers)


def test_pods_without_gpus_do_not_take_the_processors_of_a_kept_seat() -> None:
    fleet, chosen = _nodes(2), _policy()

    nodes = [_place(fleet, chosen, f"cpu-{index}", pod(0, cpu=20_000)) for index in range(4)]

    # Each node has 64 cores, and a seat needs 32 of them: one node may go, and one pod fits beside the seat of the other.
    taken = [answer for answer in nodes if isinstance(answer, str)]
    assert len(taken) == 4
    assert sorted(taken.count(name) for name in set(taken)) == [1, 3]
    assert isinstance(_place(fleet, chosen, "cpu-last", pod(0, cpu=20_000)), Refusal)


def test_a_gang_of_small_pods_leaves_the_seats_as_well() -> None:
    fleet, chosen = _nodes(4), _policy()

    assert isinstance(plan(fleet, gang_of(*[SMALL] * 16), chosen), Plan)
    assert isinstance(plan(fleet, gang_of(*[SMALL] * 17), chosen), Refusal)
    assert isinstance(plan(fleet, gang_of(*[SMALL] * 17, strategy="spread"), chosen), Refusal)


def test_fewer_seats_are_surely_needed_when_the_mix_is_known_from_few_pods() -> None:
    few, many = (statistics_of([LARGE] * number + [SMALL] * 8 * number) for number in (1, 100))

    (by_few,), (by_many,), (exactly,) = (large_classes(_nodes(100), mix) for mix in (few, many, MIX))

    assert by_few.expected == by_many.expected == exactly.expected == pytest.approx(50)
    assert by_few.scatter == pytest.approx((50 + 50**2) ** 0.5)
    assert by_few.scatter > by_many.scatter > exactly.scatter == pytest.approx(50**0.5)


def test_nothing_is_kept_when_nothing_is_known_or_nobody_is_large() -> None:
    for statistics in (Statistics(), statistics_of([SMALL])):
        fleet = _nodes(2)

        assert all(isinstance(answer, str) for answer in _fill(fleet, _policy(statistics), 16))


def test_other_policies_keep_nothing() -> None:
    for name in ("fgd", "bestfit", "random"):
        assert policy(name).keeping is None


def test_a_few_very_large_pods_have_seats_of_their_own() -> None:
    huge = pod(8, cpu=60_000)
    found = large_classes(_nodes(10), statistics_of([LARGE] * 9 + [huge]))

    assert [(one.number, one.cpu, round(one.expected, 6)) for one in found] == [(8, 60_000, 1.0), (8, 32_000, 10.0)]


def test_pods_that_insist_on_a_model_have_seats_of_that_model() -> None:
    fleet = fleet_of(*(node(f"a{index}") for index in range(3)), node("h")._replace(model="H100"))
    choosy = LARGE._replace(gpu=GpuAsk(8, models=("H100",)))
    found = large_classes(fleet, statistics_of([LARGE] * 3 + [choosy]))

    assert {sum(one.models): one.expected for one in found} == pytest.approx({1: 1.0, 3: 4.0})


@pytest.mark.parametrize("seed", range(5))
def test_seats_never_fall_below_what_is_surely_needed_whoever_comes_and_goes(seed: int) -> None:
    draw = random.Random(seed)
    fleet, chosen, there = _nodes(6), _policy(surely=0.5), list[str]()
    for step in range(300):
        if there and draw.random() < 0.4:
            fleet.release(there.pop(draw.randrange(len(there))))
        ask = draw.choice([LARGE, SMALL, pod(1, milli=300, cpu=2000), pod(0, cpu=8000), pod(2, cpu=9000)])
        if isinstance(_place(fleet, chosen, f"p{step}", ask), str):
            there.append(f"p{step}")
        assert _seats(fleet) >= 3 - 0.5 * 3**0.5


def _seats(fleet: Fleet) -> int:
    """Counts nodes on which a large pod could sit if only the others stayed."""
    found = 0
    for name in fleet.offers:
        others = [hold for hold in fleet.held_on(name) if hold.ask != LARGE]
        is_free = not any(hold.ask.gpu.number for hold in others)
        found += is_free and sum(hold.ask.cpu for hold in others) <= 32_000
    return found

from collections import Counter

from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.potentials import policy
from corral.placement.potentials.statistics import statistics_of
from corral.placement.replay.arrivals import Stay, coming_and_going, inflated
from corral.placement.replay.playing import capacity_of, churned, filled
from corral.placement.replay.traces import read_nodes, read_pods
from tests.domain.placement.fleets import node, pod
from tests.domain.placement.replay.small_trace import NODES, PODS

TRACE_NODES = read_nodes("nodes.csv", NODES.splitlines())
TRACE_PODS = read_pods("pods.csv", PODS.splitlines())
CAPACITY = capacity_of(TRACE_NODES)


def no_time() -> float:
    return 0.0


def test_arrivals_are_repeated_until_enough_is_asked_for() -> None:
    arriving = inflated(TRACE_PODS, CAPACITY, 1.3, 42)
    asked = [ask.gpu.total for ask in arriving]
    assert sum(asked) >= 1.3 * CAPACITY > sum(asked[:-1])
    assert Counter(arriving[:5]) == Counter(one.ask for one in TRACE_PODS)
    assert arriving == inflated(TRACE_PODS, CAPACITY, 1.3, 42) != inflated(TRACE_PODS, CAPACITY, 1.3, 43)


def test_pods_are_left_out_when_too_much_is_asked_for() -> None:
    asked = sum(ask.gpu.total for ask in inflated(TRACE_PODS * 40, CAPACITY, 0.5, 42))
    assert asked <= 0.5 * CAPACITY


def test_arrivals_fill_what_there_is_and_the_rest_is_counted_by_size() -> None:
    run = filled(
        [node("a", gpus=2)], [pod(), pod(milli=600), pod(milli=600), pod(2), pod(0)], policy("bestfit"), 1, no_time
    )
    assert run.at_end == 80.0
    assert run.at_100 == 80.0
    assert run.failed == {"share": 1, "2": 1}
    assert run.arrived == {"1": 1, "share": 2, "2": 1, "no-gpu": 1}


def test_what_is_idle_is_a_fragment_where_typical_pods_cannot_use_it() -> None:
    mix = statistics_of([pod(milli=700, cpu=0)])
    run = filled([node("a", gpus=2)], [pod(milli=700, cpu=0)], policy("fgd", mix), 1, no_time)
    assert run.fragments.idle == 1300
    assert {cause: amount for cause, amount in run.fragments.by_cause.items() if amount} == {
        "too-little-on-a-gpu": 300.0
    }


def test_pods_that_leave_make_room() -> None:
    ask = PodAsk(gpu=GpuAsk(1))
    stays = [Stay(ask, 2.6, 3.0), Stay(ask, 2.8, 9.0), Stay(ask, 3.1, 3.2), Stay(ask, 3.15, 9.0)]
    run = churned([node("a", gpus=1)], stays, policy(), 1, no_time)
    assert run.arrived == {"1": 4}
    assert run.failed == {"1": 2}
    assert (run.asked, run.rejected) == ({"1": 4000}, {"1": 2000})
    assert abs(run.mean_allocated - 100 * (0.4 + 0.05) / 0.65) < 1e-9


def test_the_same_seed_brings_the_same_pods_to_every_policy() -> None:
    stays = coming_and_going(TRACE_PODS, CAPACITY, 0.9, 6.5, 42)
    assert stays == coming_and_going(TRACE_PODS, CAPACITY, 0.9, 6.5, 42)
    assert sorted(stay.arrives for stay in stays) == [stay.arrives for stay in stays]


def test_a_run_is_decided_by_its_seed() -> None:
    arriving = inflated(TRACE_PODS, CAPACITY, 1.3, 42)
    mix = statistics_of(one.ask for one in TRACE_PODS)
    for name in ("default", "fgd", "bestfit", "random"):
        runs = [filled(TRACE_NODES, arriving, policy(name, mix), 42, no_time) for _ in range(2)]
        assert runs[0] == runs[1]

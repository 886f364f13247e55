"""Each code of a refusal, by the smallest fleet that brings it about."""

from typing import NamedTuple

import pytest

from corral.placement.asks import GpuAsk, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet import RuleSet
from corral.placement.gangs import plan
from corral.placement.offers import GpuOffer, NodeOffer
from corral.placement.potentials import policy
from corral.placement.potentials.statistics import statistics_of
from tests.domain.placement.fleets import fleet_of, gang_of, node, pod


class Case(NamedTuple):
    nodes: tuple[NodeOffer, ...]
    asks: tuple[PodAsk, ...]
    want_binding: str
    held: tuple[tuple[str, tuple[int, ...], PodAsk], ...] = ()
    """Nodes, GPUs and what is taken there before."""


RDMA = (("rdma", 1),)
CASES = {
    "no-nodes": Case((), (pod(),), ""),
    "no-such-model": Case((node("a"),), (PodAsk(gpu=GpuAsk(1, models=("H100",))),), "model"),
    "too-large": Case((node("a", gpus=4),), (pod(gpus=8),), "gpu"),
    "closed-nodes": Case((node("a", is_closed=True),), (pod(),), "closed"),
    "short-of-gpus": Case((node("a", gpus=4),), (pod(2), pod(2)), "gpu", (("a", (0,), pod()),)),
    "scattered-gpus": Case(
        (node("a", gpus=4), node("b", gpus=4)), (pod(4),), "gpu", (("a", (0,), pod()), ("b", (3,), pod()))
    ),
    "short-of-cpu": Case((node("a", cpu=4_000),), (pod(cpu=2_000),) * 2, "cpu", (("a", (0,), pod(cpu=1_000)),)),
    "short-of-memory": Case((node("a", memory=4),), (pod(memory=2),) * 2, "memory", (("a", (0,), pod(memory=1)),)),
    "short-of-pods": Case((node("a", pods=2),), (pod(), pod()), "pods", (("a", (0,), pod()),)),
    "short-of-rdma": Case((node("a", others=RDMA),), (pod(others=RDMA),), "rdma", (("a", (0,), pod(others=RDMA)),)),
    "device-taken": Case((node("a"),), (PodAsk(gpu=GpuAsk(1, devices=("0",))),), "device", (("a", (0,), pod()),)),
}


@pytest.mark.parametrize("code", CASES)
def test_a_refusal_names_what_is_in_the_way(code: str) -> None:
    case = CASES[code]
    fleet = fleet_of(*case.nodes)
    for name, devices, ask in case.held:
        fleet.hold(Seat(name, name, devices), ask)
    answer = plan(fleet, gang_of(*case.asks), policy())
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.binding) == (code, case.want_binding), answer
    assert dict(answer.needed)["pods"] == len(case.asks)
    assert answer.sentence.endswith(".")
    assert sum(standing.nodes for standing in answer.standings) == len(case.nodes)


def test_a_selector_that_no_node_meets_is_named() -> None:
    fleet = fleet_of(node("a"))
    nowhere = fleet.rules(RuleSet(selector=(("disk", "fast"),)))
    answer = plan(fleet, gang_of(pod(rules=nowhere)), policy())
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.binding) == ("no-node-allowed", "rules")


def test_numbers_of_a_refusal_tell_what_is_free_where_the_gang_may_go() -> None:
    fleet = fleet_of(node("a", gpus=4), node("b", gpus=8, model="T4"))
    fleet.hold(Seat("p", "a", (0,)), pod(milli=250))
    answer = plan(fleet, gang_of(*[PodAsk(gpu=GpuAsk(2, models=("A100",)))] * 2), policy())
    assert isinstance(answer, Refusal)
    assert dict(answer.needed) == {"pods": 2, "gpu_milli": 4000, "gpus_on_one_node": 2}
    assert dict(answer.free) == {"pods": 1, "gpu_milli": 3750, "idle_gpus": 3, "idle_gpus_on_one_node": 3, "nodes": 1}
    assert answer.sentence == (
        "2 pods of 2 GPUs each must start together and 1 fits: 3.75 GPUs are free on the 1 node where it may go, and it needs 4 GPUs."
    )
    makes = {standing.make: standing for standing in answer.standings}
    assert makes["8 x T4"].lacking == (("model", 1),)
    assert makes["4 x A100"].fits == 1


def test_without_an_explanation_a_refusal_says_how_many_fit() -> None:
    answer = plan(fleet_of(node("a", gpus=1)), gang_of(pod(), pod()), policy(), explain=False)
    assert isinstance(answer, Refusal)
    assert (dict(answer.needed), dict(answer.free)) == ({"pods": 2}, {"pods": 1})


def test_a_gang_of_which_pods_are_missing_waits_for_them() -> None:
    answer = plan(fleet_of(node("a")), gang_of(pod(), minimum=3), policy())
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.sentence) == ("members-missing", "3 pods must start together and 1 is there.")


def test_an_ask_beyond_all_numbers_is_refused_and_hurts_nobody() -> None:
    fleet = fleet_of(node("a"))
    for ask in (
        PodAsk(cpu=1 << 70),
        PodAsk(memory=1 << 70),
        PodAsk(gpu=GpuAsk(1, 1 << 70)),
        PodAsk(gpu=GpuAsk(1, memory=1 << 70)),
        PodAsk(gpu=GpuAsk(1 << 70)),
        PodAsk(others=(("rdma", 1 << 70),)),
    ):
        for gang in (gang_of(ask), gang_of(ask, ask, strategy="bundle"), gang_of(ask, pod(), minimum=2)):
            assert isinstance(plan(fleet, gang, policy()), Refusal)
    fleet.hold(Seat("p", "a", (0,)), PodAsk(1 << 70, 1 << 70, GpuAsk(1, 1 << 70)))
    fleet.release("p")
    assert isinstance(plan(fleet, gang_of(pod()), policy()), Plan)


def test_a_node_that_offers_beyond_all_numbers_hurts_nobody() -> None:
    gpus = (GpuOffer(milli=1 << 70, memory=1 << 70), GpuOffer(milli=-5, memory=-5))
    fleet = fleet_of(NodeOffer("a", 1 << 70, 1 << 70, 1 << 70, gpus, others=(("rdma", 1 << 70), ("fpga", -1))))
    for name in ("default", "fgd", "bestfit", "random"):
        chosen = policy(name, statistics_of([pod(), pod(milli=300), pod(2)]))
        for ask in (pod(), pod(milli=300), PodAsk(gpu=GpuAsk(1, memory=5)), PodAsk(others=(("rdma", 1),))):
            assert isinstance(plan(fleet, gang_of(ask), chosen), Plan)
    assert list(fleet.columns.gpu[0]) == [1000, 0]

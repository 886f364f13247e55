"""Stranding and scarcity: processors and GPUs run out together, and rare models are left to those who want them."""

import numpy as np

from corral.placement.asks import Gang, GpuAsk, Member, Plan, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.potentials.mix import Mix, mix_of
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.policies import policy
from corral.placement.potentials.scarcity import scarcity
from corral.placement.potentials.statistics import statistics_of
from corral.placement.potentials.stranding import stranding
from tests.domain.placement.fleets import fleet_of, node, pod


def _mix(fleet: Fleet, *asks: PodAsk) -> Mix:
    return mix_of(fleet, statistics_of(asks))


def _everywhere(fleet: Fleet, ask: PodAsk) -> Outlook:
    return Outlook(fleet.columns, np.arange(fleet.columns.length), ask)


def _node_of(fleet: Fleet, mix: list[PodAsk], ask: PodAsk) -> str:
    answer = plan(fleet, Gang("g", (Member("g-0", ask),), 1), policy("default", statistics_of(mix)))
    assert isinstance(answer, Plan)
    return answer.seats[0].node


def test_a_pod_that_takes_its_part_of_the_processors_strands_nothing() -> None:
    fleet = fleet_of(node("a", gpus=4, cpu=32_000))
    cost = stranding(_mix(fleet, pod(1, cpu=8000)))

    assert cost(_everywhere(fleet, pod(1, cpu=8000))).tolist() == [0.0]
    assert cost(_everywhere(fleet, pod(1, cpu=16_000))).tolist() == [1000.0]
    assert cost(_everywhere(fleet, pod(0, cpu=16_000))).tolist() == [2000.0]


def test_a_pod_that_needs_many_processors_goes_where_there_are_many() -> None:
    mix = [pod(1, cpu=4000)] * 3 + [pod(1, cpu=30_000)]
    fleet = fleet_of(node("lean", gpus=4, cpu=34_000), node("rich", gpus=2, cpu=64_000))

    assert _node_of(fleet, mix, pod(1, cpu=30_000)) == "rich"


def test_tables_grow_with_the_nodes_that_come() -> None:
    fleet = fleet_of(node("small", gpus=1, cpu=4000))
    cost = stranding(_mix(fleet, pod(1, cpu=4000)))
    assert cost(_everywhere(fleet, pod(1, cpu=4000))).tolist() == [0.0]

    fleet.put(node("large", gpus=8, cpu=64_000))

    assert cost(_everywhere(fleet, pod(1, cpu=4000))).tolist() == [0.0, 0.0]


def test_who_takes_any_model_leaves_those_alone_that_others_insist_on() -> None:
    choosy = PodAsk(1000, 1 << 20, GpuAsk(1, models=("H100",)))
    fleet = fleet_of(node("rare", gpus=4)._replace(model="H100"), node("usual", gpus=4))
    mix = [choosy, pod(1), pod(1)]

    cost = scarcity(_mix(fleet, *mix))

    assert cost(_everywhere(fleet, pod(1))).round(3).tolist() == [666.667, 0.0]
    assert cost(_everywhere(fleet, pod(0))).tolist() == [0.0, 0.0]
    assert _node_of(fleet, mix, pod(1)) == "usual"


def test_no_model_is_scarce_when_nobody_is_choosy() -> None:
    fleet = fleet_of(node("a"), node("b")._replace(model="H100"))

    assert not scarcity(_mix(fleet, pod(1), pod(8)))(_everywhere(fleet, pod(1))).any()
    assert not scarcity(_mix(fleet, pod(0)))(_everywhere(fleet, pod(1))).any()

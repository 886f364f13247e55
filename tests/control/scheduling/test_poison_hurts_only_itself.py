"""Absurd amounts and words that cannot be read, on pods and nodes, in every dialect: whoever brings them waits, everybody else is placed.

Each round draws a few of them by a seed; a pod that is well, and has a node that nobody else may use, must get its place in each.
"""

import random
from typing import Any

import msgspec
import pytest

from corral.control.scheduling.reading.asks import request_of
from corral.control.scheduling.reading.offers import place_of
from corral.kinds.objects import Object
from corral.kinds.scheduling import names
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from tests.control.scheduling.scene import GPU, NOW, STAMP, board, decide, node, pod

WORDS = sorted({value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)})
VALUES = (
    *("", "0", "-1", "1e309", "nan", "inf", "9" * 20, "true", "[]", "{}", "[[1]]", "[[]]", '{"a":', "null", "0.5,0.5"),
    *("\x00", "a" * 300, "\u0663", "\u00bd", "1.5.5", "+1", "1_000", "0x10", " 1 ", "::", ",", "a:b:c", "GPU,1,1,1:"),
    *("GPU-0,10,16384,100,NVIDIA-A100,0,true:", "GPU-0,10,-5,900,NVIDIA-A100,0,true:", "5001", "9999999Ei", "1e-9"),
    *('[{"id": "a", "devmem": -5, "devcore": 99999, "health": true}]', "-8Gi", "spread", "topology.kubernetes.io/zone"),
)
AMOUNTS = (
    *("", "-1", "0", "nan", "1e400", "9" * 40, "1Ei", f"{'9' * 18}Ei", "0.0000000001", "abc", "1k", "-5Gi", "1e3"),
    *(None, True, 1.5, 10**30),
)
RESOURCES = (GPU, "cpu", "memory", "pods", "aliyun.com/gpu-mem", "aliyun.com/gpu-count", "nvidia.com/gpumem") + (
    *("nvidia.com/gpucores", "nvidia.com/gpumem-percentage", "nvidia.com/mig-1g.5gb", "rdma/hca"),
)
ROUNDS = 150


def marks(chance: random.Random) -> Object:
    return {
        field: {chance.choice(WORDS): chance.choice(VALUES) for _ in range(chance.randrange(4))}
        for field in ("labels", "annotations")
    }


def amounts(chance: random.Random) -> Object:
    return {chance.choice(RESOURCES): chance.choice(AMOUNTS) for _ in range(chance.randrange(5))}


def poison_pod(chance: random.Random, number: int) -> SchedulingPod:
    asked = amounts(chance)
    told: Object = {
        "metadata": {
            "name": f"poison-{number}",
            "namespace": "ns",
            "uid": f"uid-{number}",
            "resourceVersion": "1",
            "creationTimestamp": chance.choice([STAMP, "", "yesterday"]),
            **marks(chance),
        },
        "spec": {
            "schedulerName": "corral",
            "priority": chance.choice([0, 5, -(2**31)]),
            "containers": [{"name": "main", "resources": {"requests": asked, "limits": asked}}],
        },
        "status": {"phase": chance.choice(["Pending", "Running", "Odd"])},
    }
    if chance.random() < 0.3:
        told["spec"]["nodeName"] = chance.choice(["poisoned", "gone"])
    return msgspec.convert(told, SchedulingPod)


def poison_node(chance: random.Random) -> SchedulingNode:
    ready = [{"type": "Ready", "status": "True"}]
    told: Object = {
        "metadata": {"name": "poisoned", "uid": "uid-poisoned", **marks(chance)},
        "status": {"allocatable": amounts(chance), "conditions": ready},
    }
    return msgspec.convert(told, SchedulingNode)


@pytest.mark.parametrize("seed", range(8))
def test_whoever_is_well_is_placed(seed: int) -> None:
    chance = random.Random(seed)
    taint: Any = [{"key": "haven", "value": "", "effect": "NoSchedule"}]
    for _ in range(ROUNDS):
        there = board([node("haven", gpus=1, taints=taint), node("open", gpus=4)], [])
        there.take_node("poisoned", poison_node(chance))
        for number in range(4):
            there.take_pod(None, poison_pod(chance, number), NOW)
        decide(there)
        there.take_node("poisoned", poison_node(chance))
        there.take_pod(None, pod("well", gpus=1, priority=1000, tolerations=[{"key": "haven"}]), NOW)
        decide(there)
        found = there.crowd.get("uid-well")
        assert found is not None
        assert found.seat is not None, there.refusal_of("uid-well")


def test_a_pod_that_asks_for_what_cannot_be_says_so_and_holds_what_could() -> None:
    absurd = pod("absurd", requests={"memory": "9999999999Ei", GPU: "1"})
    found = request_of(absurd, lambda _: 0)
    assert found.complaint == "it asks for an amount that cannot be: memory"
    assert (found.ask.memory, found.ask.gpu.number) == (2**56, 1)


def test_a_node_that_offers_what_cannot_be_keeps_what_can() -> None:
    found = place_of(node("absurd", gpus=2, amounts={"memory": "9999999999Ei"}))
    assert found.complaint == "it offers an amount that cannot be: memory"
    assert (found.offer.memory, len(found.offer.gpus)) == (2**56, 2)

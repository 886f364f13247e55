"""Pods without a node get one that fits, or hear why there is none; never is a GPU given twice."""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from corral.kinds.nodes import FAKE_NODE
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT, NODE, PERSISTENT_VOLUME_CLAIM, POD
from corral.ports.object_store import AT_ONCE
from tests.embedded.controllers.cluster import Cluster
from tests.embedded.controllers.conftest import Bench

GPU = "nvidia.com/gpu"
KILLS = 4


def make_node(cluster: Cluster, name: str, gpus: int = 0, taints: Sequence[Object] = (), **labels: Any) -> None:
    """Registers a node that is ready; nobody runs it."""
    amounts = {"cpu": "8", "memory": "8Gi", "pods": "110", GPU: str(gpus)}
    status = {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]}
    cluster.make(NODE, name, metadata={"labels": labels}, spec={"taints": list(taints)}, status=status)


def make_pod(cluster: Cluster, name: str, gpus: int = 0, **spec: Any) -> Object:
    """Creates a pod that asks for GPUs."""
    container = {"name": "main", "image": "any", "resources": {"limits": {GPU: str(gpus)}} if gpus else {}}
    return cluster.make(POD, name, spec={"containers": [container], **spec})


def node_of(cluster: Cluster, name: str) -> str:
    return str(cluster.get(POD, name)["spec"].get("nodeName", ""))


def condition(cluster: Cluster, name: str) -> Object:
    conditions = cluster.get(POD, name)["status"].get("conditions") or []
    return next((one for one in conditions if one["type"] == "PodScheduled"), {})


@pytest.fixture
def alone(bench: Bench) -> Iterator[Cluster]:
    """A server of one's own with the scheduler and the binder of claims."""
    with bench.controllers("one", "--controllers", "scheduler,persistentvolume-binder"):
        yield bench.cluster


def test_a_pod_is_bound_at_once_and_says_so(alone: Cluster) -> None:
    make_node(alone, "first", 1)
    make_pod(alone, "warm-up")
    alone.wait(lambda: node_of(alone, "warm-up"))
    began = time.monotonic()
    make_pod(alone, "works", 1)
    assert alone.wait(lambda: node_of(alone, "works"), within=10) == "first"
    assert time.monotonic() - began < 5.0
    assert condition(alone, "works")["status"] == "True"
    events = alone.wait(lambda: [one for one in alone.all(EVENT) if one["involvedObject"]["name"] == "works"])
    assert [(one["reason"], one["message"]) for one in events] == [
        ("Scheduled", f"Successfully assigned {alone.namespace}/works to first")
    ]


def test_a_pod_that_fits_nowhere_hears_why_once_and_is_bound_when_there_is_room(alone: Cluster) -> None:
    make_pod(alone, "large", 4)
    told = alone.wait(lambda: condition(alone, "large"), lambda one: one.get("reason") == "Unschedulable")
    assert told["message"] == "no nodes available to schedule pods"
    make_node(alone, "small", 1)
    make_node(alone, "tainted", 8, [{"key": "dedicated", "value": "others", "effect": "NoSchedule"}])
    sentence = (
        "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint {dedicated: others}."
    )
    alone.wait(lambda: condition(alone, "large"), lambda one: one.get("message") == sentence)
    version = alone.get(POD, "large")["metadata"]["resourceVersion"]
    make_pod(alone, "other")
    alone.wait(lambda: node_of(alone, "other"))
    alone.stays(lambda: alone.get(POD, "large")["metadata"]["resourceVersion"], lambda now: now == version, rounds=50)
    alone.change(NODE, "tainted", {"spec": {"taints": None}})
    assert alone.wait(lambda: node_of(alone, "large")) == "tainted"
    events = [one for one in alone.all(EVENT) if one["involvedObject"]["name"] == "large"]
    failed = Counter(one["message"] for one in events if one["reason"] == "FailedScheduling")
    assert failed[sentence] == 1
    assert {one.get("count", 1) for one in events} == {1}


def test_gates_other_schedulers_and_departed_fake_nodes_are_left_alone(alone: Cluster) -> None:
    make_node(alone, "departed", 8, (), **{FAKE_NODE: "true"})
    make_pod(alone, "gated", schedulingGates=[{"name": "example.com/quota"}])
    make_pod(alone, "foreign", schedulerName="yunikorn")
    make_pod(alone, "ours")
    alone.wait(lambda: condition(alone, "ours"), lambda one: one.get("reason") == "Unschedulable")
    make_node(alone, "real")
    assert alone.wait(lambda: node_of(alone, "ours")) == "real"
    assert (node_of(alone, "gated"), node_of(alone, "foreign")) == ("", "")
    alone.change(POD, "gated", {"spec": {"schedulingGates": None}})
    assert alone.wait(lambda: node_of(alone, "gated")) == "real"


def test_a_claim_is_bound_as_soon_as_it_exists(alone: Cluster) -> None:
    size = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteMany"]}
    alone.make(PERSISTENT_VOLUME_CLAIM, "data", spec={**size, "storageClassName": "fast"})
    status = alone.wait_status(PERSISTENT_VOLUME_CLAIM, "data", phase="Bound")["status"]
    assert status == {"phase": "Bound", "accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"}}
    alone.make(PERSISTENT_VOLUME_CLAIM, "device", spec={**size, "volumeMode": "Block"})
    alone.wait(lambda: [one for one in alone.all(EVENT) if "volumeMode Block cannot be had" in one["message"]])
    assert alone.get(PERSISTENT_VOLUME_CLAIM, "device")["status"]["phase"] == "Pending"


@pytest.mark.parametrize("seed", [1, 2])
def test_gpus_are_never_given_twice_however_often_the_controllers_die(bench: Bench, seed: int) -> None:
    """Pods come, run and end while the controllers are killed; at no moment does a node hold more than it has."""
    cluster, chance = bench.cluster, random.Random(seed)
    sizes = {"a": 4, "b": 2, "c": 1}
    for name, gpus in sizes.items():
        make_node(cluster, name, gpus)
    for number in range(60):
        make_pod(cluster, f"pod-{number}", chance.choice([1, 1, 2]))

    def look() -> int:
        """Checks the truth, ends some of what runs, and returns how many pods are left."""
        pods = cluster.all(POD)
        held: Counter[str] = Counter()
        for pod in pods:
            if pod["spec"].get("nodeName"):
                held[pod["spec"]["nodeName"]] += int(pod["spec"]["containers"][0]["resources"]["requests"][GPU])
        assert all(held[name] <= gpus for name, gpus in sizes.items()), held
        running = [pod for pod in pods if pod["spec"].get("nodeName")]
        for pod in chance.sample(running, len(running) // 2 + len(running) % 2):
            cluster.client.delete(POD, ObjectKey(cluster.namespace, pod["metadata"]["name"]), AT_ONCE)
        return len(pods)

    controllers = bench.controllers("one", "--controllers", "scheduler")
    left = look()
    for _ in range(KILLS):
        controllers.start()
        left = cluster.wait(look, left.__gt__)
        deadline = time.monotonic() + chance.uniform(0.0, 0.05)
        while time.monotonic() < deadline:
            left = look()
        controllers.kill()
    with controllers:
        cluster.wait(look, lambda pods: pods == 0)

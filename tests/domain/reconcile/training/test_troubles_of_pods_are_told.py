"""What keeps pods from running is told as events of the job, each once, and of a wide job only a few."""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.plan_reading import events_in
from tests.domain.reconcile.training_builders import NOW, every_pod, manifest, pod


class Trouble(NamedTuple):
    pod: dict[str, Any]
    want: list[tuple[str, str]]
    phase: str = "Pending"


UNPLACED = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are free"}
CRASHED = {"name": "init", "state": {"terminated": {"exitCode": 2, "message": "no data"}}}
TROUBLES: dict[str, Trouble] = {
    "an image that cannot be pulled": Trouble(
        {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}},
        [("ImagePullBackOff", "Error pod job-worker-0 container pytorch waiting message: no such image")],
    ),
    "a container that is being made": Trouble({"waiting": {"reason": "ContainerCreating"}}, []),
    "a container that runs": Trouble({}, [], "Running"),
    "a container that ended well": Trouble({"exit_code": 0}, [], "Running"),
    "a container that ended badly in a pod that goes on": Trouble(
        {"initContainerStatuses": [CRASHED]},
        [("Error", "Error pod job-worker-0 container init exitCode: 2 terminated message: no data")],
    ),
    "a pod that finds no node": Trouble(
        {"conditions": [{**UNPLACED, "reason": "NoRoom"}]},
        [("NoRoom", "Error pod job-worker-0 condition message: 0/3 nodes are free")],
    ),
    "a pod that finds no node and does not say why": Trouble(
        {"conditions": [UNPLACED]}, [("Unschedulable", "Error pod job-worker-0 condition message: 0/3 nodes are free")]
    ),
    "a pod that has a node": Trouble({"conditions": [{**UNPLACED, "status": "True"}]}, []),
    "a pod that is being deleted": Trouble({"conditions": [UNPLACED], "deleting": True}, []),
}


@pytest.mark.parametrize("case", TROUBLES.values(), ids=TROUBLES)
def test_a_pod_in_trouble_tells(case: Trouble) -> None:
    obj = manifest("PyTorchJob", Worker=1)
    plan = decide(World(obj, [pod(read_job(obj), "Worker", 0, case.phase, **case.pod)]), NOW)
    told = events_in(plan)
    assert [(one.reason, one.message) for one in told] == case.want
    assert all(one.type == "Warning" and not one.repeats for one in told)


def test_of_a_wide_job_only_five_pods_tell_but_those_tell_all() -> None:
    obj = manifest("PyTorchJob", Worker=9)
    more = {"conditions": [UNPLACED], "waiting": {"reason": "Why", "message": "because"}}
    plan = decide(World(obj, every_pod(read_job(obj), "Pending", **more)), NOW)
    assert len(events_in(plan)) == 10
    assert len({one.message.split()[2] for one in events_in(plan)}) == 5


def test_a_failure_without_an_exit_code_is_told_without_one() -> None:
    obj = manifest("PyTorchJob", Worker=1)
    evicted: Object = {"reason": "Evicted", "message": "the node was low on memory"}
    plan = decide(World(obj, [pod(read_job(obj), "Worker", 0, "Failed", **evicted)]), NOW)
    assert events_in(plan)[0].reason == "PodFailed"
    assert "the node was low on memory" in events_in(plan)[0].message

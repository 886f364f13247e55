"""Pods of a lost node: given up after a grace, removed by force, replaced; one that may not start twice fails the job."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import NODE_GRACE, Settings, World
from tests.domain.reconcile.plan_reading import after, forced, gone, message_in, states_in, status_in, written
from tests.domain.reconcile.training_builders import NOW, every_service, manifest, pod, with_status


def seen(policy: str = "OnFailure", lost_for: float = NODE_GRACE, **options: Any) -> tuple[World, Plan]:
    """Returns a look at a job whose second worker is on a lost node; options are those of that pod."""
    obj = manifest("PyTorchJob", Worker={"replicas": 2, "restartPolicy": policy})
    obj = with_status(obj, "Created", "Running", startTime=stamp_of(NOW - 600))
    job = read_job(obj)
    phase = options.pop("phase", "Running")
    pods = [pod(job, "Worker", 0, node="well"), pod(job, "Worker", 1, phase, node="lost", **options)]
    world = World(obj, pods, every_service(job), lost_nodes={"lost": NOW - lost_for})
    return world, decide(world, NOW)


class Loss(NamedTuple):
    want: list[str]
    want_forced: list[str]
    policy: str = "OnFailure"
    pod: Mapping[str, Any] = MappingProxyType({})


GONE = ["job-worker-1"]
LOSSES: dict[str, Loss] = {
    "a running pod is replaced": Loss(["Created", "Restarting"], GONE),
    "one that is being deleted is forced": Loss(["Created", "Restarting"], GONE, pod={"deleting": True}),
    "one that never began is replaced": Loss(["Created", "Restarting"], GONE, pod={"phase": "Pending"}),
    "so is one of which nothing is known": Loss(["Created", "Restarting"], GONE, pod={"phase": "Unknown"}),
    "it has no exit code, which is retried": Loss(["Created", "Restarting"], GONE, "ExitCode"),
    "what may not start twice fails": Loss(["Created", "Running=False", "Failed"], [], "Never"),
    "also when it is being deleted": Loss(["Created", "Running=False", "Failed"], [], "Never", {"deleting": True}),
    "also when nothing is known": Loss(["Created", "Running=False", "Failed"], [], "Never", {"phase": "Unknown"}),
    "but not what never began": Loss(["Created", "Restarting"], GONE, "Never", {"phase": "Pending"}),
    "what failed before is forced too": Loss(["Created", "Restarting"], GONE, pod={"phase": "Failed"}),
    "what ended while it was deleted is forced": Loss(
        ["Created", "Running"], GONE, "Never", {"phase": "Succeeded", "deleting": True}
    ),
    "what is done needs no node": Loss(["Created", "Running"], [], "Never", {"phase": "Succeeded"}),
}


@pytest.mark.parametrize("case", LOSSES.values(), ids=LOSSES)
def test_a_pod_is_lost_with_its_node(case: Loss) -> None:
    _, plan = seen(case.policy, **case.pod)
    assert states_in(plan) == case.want
    assert forced(plan) == gone(plan) == case.want_forced


def test_the_grace_is_waited_for() -> None:
    _, plan = seen(lost_for=NODE_GRACE - 12)
    assert gone(plan) == []
    assert plan.look_again_after == 12.0
    assert written(plan)["replicaStatuses"]["Worker"]["active"] == 2


def test_the_grace_is_waited_for_also_when_a_pod_ended_while_it_was_deleted() -> None:
    _, plan = seen(lost_for=NODE_GRACE - 12, phase="Succeeded", deleting=True)
    assert (forced(plan), plan.look_again_after) == ([], 12.0)
    _, plan = seen(lost_for=NODE_GRACE - 12, phase="Succeeded")
    assert (forced(plan), plan.look_again_after) == ([], None)


def test_after_the_grace_the_pod_is_no_longer_active_but_failed() -> None:
    _, plan = seen()
    counts = written(plan)["replicaStatuses"]["Worker"]
    assert (counts["active"], counts["failed"]) == (1, 1)
    (failure,) = written(plan)["failures"]
    assert (failure["class"], failure["reason"], failure["node"]) == ("node", "NodeLost", "lost")
    assert written(plan)["restarts"] == 1
    assert plan.look_again_after is None


def test_a_job_that_may_not_start_twice_says_what_it_lost() -> None:
    _, plan = seen("Never")
    assert message_in(plan, "Failed") == "PyTorchJob job is failed because 1 Worker replica(s) failed."


def test_a_loss_counts_once_however_long_the_removal_takes() -> None:
    world, plan = seen()
    again = World(after(world.job, plan), world.pods, world.services, lost_nodes=world.lost_nodes)
    later = decide(again, NOW + 5)
    assert status_in(later) is None
    assert forced(later) == ["job-worker-1"]


def test_dynamic_workers_are_forgiven_and_replaced_once_somebody_gave_them_up() -> None:
    obj = manifest("TFJob", enableDynamicWorker=True, Worker={"replicas": 2, "restartPolicy": "Never"})
    job = read_job(obj)
    for deleting, want in {False: [], True: ["job-worker-1"]}.items():
        pods = [pod(job, "Worker", 0), pod(job, "Worker", 1, node="lost", deleting=deleting)]
        plan = decide(World(obj, pods, lost_nodes={"lost": NOW - 60}), NOW)
        assert forced(plan) == want


def test_force_is_used_once_even_if_a_finalizer_holds_the_pod() -> None:
    _, plan = seen(deleting=True, deletion_grace=30)
    assert forced(plan) == GONE
    world, plan = seen(deleting=True, deletion_grace=0)
    assert gone(plan) == []
    again = World(after(world.job, plan), world.pods, world.services, lost_nodes=world.lost_nodes)
    assert list(decide(again, NOW + 5)) == []


def bearing(
    seconds: int | None, key: str = "node.kubernetes.io/unreachable", effect: str = "NoExecute"
) -> list[Object]:
    asked = {} if seconds is None else {"tolerationSeconds": seconds}
    return [{"key": "nvidia.com/gpu", "operator": "Exists"}, {"key": key, "effect": effect, **asked}]


PATIENCE = {
    "a pod that asks for an hour gets it": (bearing(3600), 3600.0),
    "also for every effect": (bearing(3600, effect=""), 3600.0),
    "what every pod is given says nothing": (bearing(300), NODE_GRACE),
    "nor does a wish for less": (bearing(5), NODE_GRACE),
    "another effect is about scheduling": (bearing(3600, effect="NoSchedule"), NODE_GRACE),
    "a taint of a kubelet that is alive is another": (bearing(3600, "node.kubernetes.io/not-ready"), NODE_GRACE),
    "a toleration of everything is about other taints": ([{"operator": "Exists"}], NODE_GRACE),
}


@pytest.mark.parametrize(("tolerations", "grace"), PATIENCE.values(), ids=PATIENCE)
def test_a_pod_may_ask_to_be_left_longer(tolerations: list[Object], grace: float) -> None:
    _, early = seen(lost_for=grace - 1, tolerations=tolerations)
    _, late = seen(lost_for=grace, tolerations=tolerations)
    assert (gone(early), early.look_again_after) == ([], 1.0)
    assert forced(late) == GONE


def test_a_pod_may_ask_to_be_left_for_ever() -> None:
    _, plan = seen(lost_for=1e9, tolerations=bearing(None))
    assert (gone(plan), plan.look_again_after) == ([], None)


def test_the_grace_is_a_setting() -> None:
    world, _ = seen(lost_for=20)
    hasty = replace(world, settings=Settings(node_grace=20.0))
    assert forced(decide(hasty, NOW)) == GONE

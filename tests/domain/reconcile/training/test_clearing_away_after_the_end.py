"""After the end: what the clean-up policy takes, and what goes whatever it says."""

from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Delete, Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.gangs import gangs_for
from corral.reconcile.training.world import Settings, World
from tests.domain.reconcile.plan_reading import forced, gone, status_in
from tests.domain.reconcile.training_builders import NOW, every_service, manifest, pod, with_status

DONE, RUNS, WAITS, FAILED = "job-master-0", "job-worker-0", "job-worker-1", "job-worker-2"


def ended(kind: str = "PyTorchJob", policy: Object | None = None, **more: Any) -> World:
    status = more.pop("status", {})
    obj = manifest(kind, runPolicy=policy or {}, Master=1, Worker=3)
    obj = with_status(obj, "Created", "Running=False", "Succeeded", completionTime=stamp_of(NOW - 5), **status)
    job = read_job(obj)
    phases = {("Master", 0): "Succeeded", ("Worker", 0): "Running", ("Worker", 1): "Pending", ("Worker", 2): "Failed"}
    pods = [pod(job, role, index, phase) for (role, index), phase in phases.items()]
    return World(obj, pods, every_service(job), **more)


class Policy(NamedTuple):
    given: str | None
    want: list[str]


POLICIES: dict[str, Policy] = {
    "by default everything stays": Policy(None, []),
    "None keeps everything": Policy("None", []),
    "Running takes what runs or would": Policy("Running", [RUNS, WAITS]),
    "All takes everything": Policy("All", [DONE, RUNS, WAITS, FAILED]),
}


@pytest.mark.parametrize("case", POLICIES.values(), ids=POLICIES)
def test_the_policy_says_what_goes(case: Policy) -> None:
    plan = decide(ended(policy={} if case.given is None else {"cleanPodPolicy": case.given}), NOW)
    assert gone(plan) == gone(plan, "Service") == case.want
    assert status_in(plan) is None


def test_all_takes_services_whose_pods_are_gone_already() -> None:
    world = ended(policy={"cleanPodPolicy": "All"})
    plan = decide(World(world.job, (), world.services), NOW)
    assert gone(plan, "Service") == [DONE, RUNS, WAITS, FAILED]


def test_running_takes_services_whose_pods_are_gone_already() -> None:
    """T6: an operator that died between the two deletions leaves nothing behind."""
    world = ended(policy={"cleanPodPolicy": "Running"})
    ended_pods = [one for one in world.pods if one.is_finished]
    assert gone(decide(World(world.job, ended_pods, world.services), NOW), "Service") == [RUNS, WAITS]


def test_a_pod_that_is_taken_because_it_runs_stays_when_it_has_changed() -> None:
    """It may have ended by itself a moment ago, and then its log is to be kept."""
    world = ended(policy={"cleanPodPolicy": "Running"})
    for number, one in enumerate(world.pods):
        one.metadata.resource_version = str(number)
    deletions = [one for one in decide(world, NOW) if isinstance(one, Delete) and one.resource.kind == "Pod"]
    assert [one.version for one in deletions] == ["1", "2"]
    assert gone(decide(world, NOW), "Service") == [RUNS, WAITS]


def test_a_job_stopped_at_its_target_does_not_go_on_training() -> None:
    """Nobody else stops its pods: the policy None keeps only those that have ended."""
    reached = {"progress": {"targetReached": True}}
    kept = {"progress": {"step": 3}}
    assert gone(decide(ended(status=reached), NOW)) == [RUNS, WAITS]
    assert gone(decide(ended(status=kept), NOW)) == []
    assert gone(decide(ended(policy={"cleanPodPolicy": "All"}, status=reached), NOW)) == [DONE, RUNS, WAITS, FAILED]


def test_pods_on_a_lost_node_are_removed_by_force() -> None:
    obj = ended(policy={"cleanPodPolicy": "All"}).job
    leaving = [pod(read_job(obj), "Worker", 0, deleting=True, node="lost")]
    early = decide(World(obj, leaving, lost_nodes={"lost": NOW - 40}), NOW)
    assert (forced(early), early.look_again_after) == ([], 20.0)
    late = decide(World(obj, leaving, lost_nodes={"lost": NOW - 60}), NOW)
    assert (forced(late), late.look_again_after) == ([RUNS], None)


def extras(plan: Plan) -> tuple[list[str], list[str]]:
    return gone(plan, "PodGroup"), gone(plan, "HorizontalPodAutoscaler")


def test_gang_and_autoscaler_go_whatever_the_policy_says() -> None:
    metadata = {"name": "job", "namespace": "ml", "uid": "some"}
    settings = Settings(gangs=gangs_for("volcano"))
    world = ended(pod_group={"metadata": metadata}, autoscaler={"metadata": metadata}, settings=settings)
    assert extras(decide(world, NOW)) == (["job"], ["job"])
    going = {"metadata": {**metadata, "deletionTimestamp": stamp_of(NOW)}}
    assert extras(decide(ended(pod_group=going, autoscaler=going, settings=settings), NOW)) == ([], [])
    assert extras(decide(ended(pod_group={"metadata": metadata}), NOW)) == ([], [])

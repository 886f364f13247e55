"""Suspending takes everything from a job but its place; resuming starts its clock anew."""

from typing import Any

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Plan
from corral.reconcile.training.decision import decide
from corral.reconcile.training.gangs import gangs_for
from corral.reconcile.training.world import Settings, World
from tests.domain.reconcile.plan_reading import (
    after,
    events_in,
    forced,
    gone,
    made,
    message_in,
    reasons_in,
    states_in,
    written,
)
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, pod, with_status

LONG_AGO = stamp_of(NOW - 1000)


def job_object(suspend: bool, *states: str, **status: Any) -> Object:
    obj = manifest("PyTorchJob", runPolicy={"suspend": suspend, "cleanPodPolicy": "None"}, Master=1, Worker=1)
    return with_status(obj, *states, **status) if states else obj


def looked_at(obj: Object, **more: Any) -> Plan:
    job = read_job(obj)
    return decide(World(obj, every_pod(job), every_service(job), **more), NOW)


def test_a_job_created_suspended_waits_without_anything() -> None:
    plan = decide(World(job_object(True)), NOW)
    assert states_in(plan) == ["Created", "Suspended"]
    assert message_in(plan, "Suspended") == "PyTorchJob job is suspended."
    assert reasons_in(plan) == ["PyTorchJobSuspended"]
    assert "startTime" not in written(plan)
    assert (made(plan), made(plan, "Service")) == ([], [])


def test_a_running_job_gives_up_everything_whatever_its_policy_says() -> None:
    counts = {"Master": {"active": 1}, "Worker": {"active": 1, "failed": 1}}
    obj = job_object(True, "Created", "Running", startTime=LONG_AGO, replicaStatuses=counts)
    metadata = {"metadata": {"name": "job", "namespace": "ml", "uid": "some"}}
    plan = looked_at(obj, pod_group=metadata, autoscaler=metadata, settings=Settings(gangs=gangs_for("volcano")))
    assert states_in(plan) == ["Created", "Running=False", "Suspended"]
    assert {one["reason"] for one in written(plan)["conditions"][1:]} == {"PyTorchJobSuspended"}
    assert written(plan)["startTime"] == LONG_AGO
    assert written(plan)["replicaStatuses"] == {"Master": {}, "Worker": {"failed": 1}}
    assert gone(plan) == gone(plan, "Service") == ["job-master-0", "job-worker-0"]
    assert gone(plan, "PodGroup") == gone(plan, "HorizontalPodAutoscaler") == ["job"]


def test_a_restarting_job_does_not_restart_while_it_waits() -> None:
    plan = looked_at(job_object(True, "Created", "Restarting", startTime=LONG_AGO))
    assert states_in(plan) == ["Created", "Running=False", "Suspended"]


def test_a_job_that_waits_is_quiet() -> None:
    first = decide(World(job_object(True)), NOW)
    assert not decide(World(after(job_object(True), first)), NOW + 60)


def test_a_resumed_job_starts_its_clock_anew_and_gets_its_children_back() -> None:
    obj = job_object(False, "Created", "Running=False", "Suspended", startTime=LONG_AGO)
    plan = decide(World(obj), NOW)
    assert states_in(plan) == ["Created", "Running=False", "Suspended=False"]
    assert [(one.reason, one.message) for one in events_in(plan)] == [
        ("PyTorchJobResumed", "PyTorchJob job is resumed.")
    ]
    assert written(plan)["startTime"] == stamp_of(NOW)
    assert made(plan) == made(plan, "Service") == ["job-master-0", "job-worker-0"]


def test_a_resumed_job_that_runs_tells_so_last() -> None:
    obj = job_object(False, "Created", "Running=False", "Suspended=False", startTime=LONG_AGO)
    plan = looked_at(obj)
    assert states_in(plan) == ["Created", "Suspended=False", "Running"]
    assert written(plan)["startTime"] == LONG_AGO
    assert reasons_in(plan) == []


def test_a_deadline_counts_from_the_resumption() -> None:
    policy = {"suspend": False, "activeDeadlineSeconds": 100}
    obj = with_status(manifest("PyTorchJob", runPolicy=policy, Master=1), "Created", "Suspended", startTime=LONG_AGO)
    assert decide(World(obj), NOW).look_again_after == 100.0


def test_pods_that_still_leave_when_a_job_is_resumed_do_not_fail_it() -> None:
    """They were taken by the suspension; the job goes on once they are gone."""
    spec = {"replicas": 1, "restartPolicy": "Never"}
    obj = manifest("PyTorchJob", runPolicy={"suspend": False}, Master=spec)
    obj = with_status(obj, "Created", "Running=False", "Suspended", startTime=LONG_AGO)
    job = read_job(obj)
    leaving = decide(World(obj, [pod(job, "Master", 0, deleting=True)], every_service(job)), NOW)
    assert made(leaving) == gone(leaving) == []
    assert made(decide(World(after(obj, leaving), (), every_service(job)), NOW)) == ["job-master-0"]


def test_pods_on_a_lost_node_do_not_keep_a_job_suspended_for_ever() -> None:
    obj = job_object(False, "Created", "Running=False", "Suspended", startTime=LONG_AGO)
    leaving = [pod(read_job(obj), "Master", 0, deleting=True, node="lost")]
    early = decide(World(obj, leaving, lost_nodes={"lost": NOW - 40}), NOW)
    assert (forced(early), early.look_again_after) == ([], 20.0)
    late = decide(World(obj, leaving, lost_nodes={"lost": NOW - 60}), NOW)
    assert (forced(late), late.look_again_after) == (["job-master-0"], None)


def test_an_ended_job_is_not_suspended() -> None:
    obj = job_object(True, "Created", "Succeeded", completionTime=LONG_AGO)
    assert not looked_at(obj)


def test_a_job_resumed_in_a_hurry_waits_until_its_old_pods_are_gone() -> None:
    """T1: pods that the suspension took away are not missed as if somebody had killed them."""
    obj = manifest("JAXJob", runPolicy={"suspend": False}, Worker=2)
    obj = with_status(obj, "Created", "Running=False", "Suspended", startTime=LONG_AGO)
    job = read_job(obj)
    going = [pod(job, "Worker", 0, deleting=True), pod(job, "Worker", 1)]
    plan = decide(World(obj, going, every_service(job)), NOW)
    assert (made(plan), gone(plan)) == ([], ["job-worker-1"])
    assert "Suspended" in states_in(plan)
    plan = decide(World(obj), NOW)
    assert "Suspended=False" in states_in(plan)
    assert made(plan) == ["job-worker-0", "job-worker-1"]

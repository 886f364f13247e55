"""The limits of a job: its deadline, its number of restarts, and how long it is kept after its end."""

from datetime import datetime

import pytest

from corral.kinds.well_known import POD
from tests.training.job_on_stage import JobOnStage
from tests.training.kubelet_words import now
from tests.training.manifests import EVERY_KIND, role
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

BACKOFF = "Job job has failed because it has reached the specified backoff limit"
DEADLINE = "Job job has failed because it was active longer than specified deadline"


@case(28)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_deadline_passes_by_itself(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"activeDeadlineSeconds": 2, "cleanPodPolicy": "All"})
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run()
    job.wait_states("Created", "Running")
    status = stage.wait(job.status, lambda seen: "completionTime" in seen, within=15)
    assert job.states() == ["Created=True", "Running=False", "Failed=True"]
    assert job.condition("Failed")["message"] == DEADLINE
    assert status["completionTime"] > status["startTime"]
    job.wait_pods()


def workers(stage: Stage, count: int, limit: int, policy: str = "OnFailure", kind: str = "PyTorchJob") -> JobOnStage:
    """Returns a job of running workers with a back-off limit."""
    job = stage.submit(kind, roles={"Worker": role(kind, count, policy)}, run_policy={"backoffLimit": limit})
    job.wait_pods(*(f"worker-{index}" for index in range(count)))
    job.run()
    job.wait_states("Created", "Running")
    return job


@case(29)
@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob", "JAXJob", "PaddleJob"])
def test_restarts_of_all_pods_are_added_up(stage: Stage, kind: str) -> None:
    job = workers(stage, 4, 4, kind=kind)
    for index in range(3):
        job.set_phase(f"worker-{index}", "Running", restart_count=1)
    stage.settled()
    assert job.states() == ["Created=True", "Running=True"]
    job.set_phase("worker-3", "Running", restart_count=1)
    job.wait_states("Created", "Running=False", "Failed")
    failed = job.condition("Failed")
    assert (failed["reason"], failed["message"]) == (f"{kind}Failed", BACKOFF)
    assert job.status()["completionTime"]


@case(30)
def test_limit_zero_without_restarts_is_no_failure(stage: Stage) -> None:
    job = workers(stage, 2, 0)
    stage.settled()
    assert job.states() == ["Created=True", "Running=True"]
    job.set_phase("worker-1", "Running", restart_count=1)
    job.wait_states("Created", "Running=False", "Failed")


@case(30)
def test_one_pod_may_use_up_the_limit(stage: Stage) -> None:
    job = workers(stage, 2, 3)
    job.set_phase("worker-0", "Running", restart_count=2)
    stage.settled()
    assert job.states() == ["Created=True", "Running=True"]
    job.set_phase("worker-0", "Running", restart_count=3)
    job.wait_states("Created", "Running=False", "Failed")


@case("recreations-count")
def test_pods_made_again_count_too(stage: Stage) -> None:
    job = workers(stage, 2, 2, "ExitCode")
    for _ in range(5):
        old = job.uid_of("worker-1")
        if not old or "Failed=True" in job.states():
            break
        job.set_phase("worker-1", "Failed", 137)
        stage.wait(lambda old=old: job.uid_of("worker-1") not in ("", old) or "Failed=True" in job.states())  # type: ignore[misc]
    job.wait_state("Failed")
    assert job.condition("Failed")["message"] == BACKOFF


@case(31, "time-to-live-events")
@pytest.mark.parametrize("outcome", ["Succeeded", "Failed"])
def test_a_finished_job_goes_after_its_time_and_takes_its_children(stage: Stage, outcome: str) -> None:
    job = stage.submit("PyTorchJob", roles=one_master("Never"), run_policy={"ttlSecondsAfterFinished": 3})
    job.wait_pods("master-0")
    job.set_phase("master-0", outcome, 0 if outcome == "Succeeded" else 1)
    job.wait_state(outcome)
    stage.settled()
    assert job.pods() == ["master-0"]
    job.wait_gone()
    stage.wait_gone(POD, "job-master-0")
    job.wait_services()
    job.wait_event("SuccessfulDeletePod", "Deleted job: job")


def one_master(policy: str = "") -> dict[str, object]:
    """Returns the roles of the smallest job."""
    return {"Master": role("PyTorchJob", 1, policy)}


@case(31)
def test_a_permanent_failure_does_not_keep_a_job(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles=one_master("ExitCode"), run_policy={"ttlSecondsAfterFinished": 1})
    job.wait_pods("master-0")
    job.set_phase("master-0", "Failed", 1)
    job.wait_gone()


@case(32, "time-to-live-events")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_no_time_to_live_means_at_once(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"ttlSecondsAfterFinished": 0})
    for short in stage.wait(job.pods, lambda seen: len(seen) == 2):
        job.set_phase(short, "Succeeded")
    job.wait_gone()
    if kind in ("TFJob", "XGBoostJob", "MPIJob"):
        job.wait_event("SuccessfulDeleteJob", "Deleted job: job")


@case(32)
def test_without_a_time_to_live_a_job_is_kept(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles=one_master())
    job.wait_pods("master-0")
    job.set_phase("master-0", "Succeeded")
    job.wait_state("Succeeded")
    stage.settled()
    assert job.read()["status"]["completionTime"]


@case(32)
def test_a_suspended_job_is_kept(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", run_policy={"ttlSecondsAfterFinished": 0, "suspend": True})
    job.wait_states("Created", "Suspended")
    stage.settled()
    assert job.states() == ["Created=True", "Suspended=True"]


@case("deadline-zero")
def test_no_time_is_past_at_once(stage: Stage) -> None:
    job = stage.submit("TFJob", run_policy={"activeDeadlineSeconds": 0})
    job.wait_state("Failed")
    assert job.condition("Failed")["message"] == DEADLINE


@case("deadline-from-resumption")
def test_a_deadline_is_counted_from_the_last_start(stage: Stage) -> None:
    job = stage.submit("TFJob", run_policy={"activeDeadlineSeconds": 3})
    job.wait_pods("worker-0", "worker-1")
    started = job.wait_status(lambda seen: seen.get("startTime"))["startTime"]
    job.set_run_policy(suspend=True)
    job.wait_state("Suspended")
    stage.wait(lambda: seconds_between(started, now()) > 4)
    job.set_run_policy(suspend=False)
    job.wait_pods("worker-0", "worker-1")
    assert "Failed=True" not in job.states()
    status = job.wait_state("Failed")
    assert seconds_between(status["startTime"], status["completionTime"]) >= 2


def seconds_between(one: str, other: str) -> float:
    """Returns how far apart two times are."""
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


@case("init-restarts")
def test_restarts_of_init_containers_count_too(stage: Stage) -> None:
    roles = {"Master": role("PyTorchJob"), "Worker": role("PyTorchJob")}
    job = stage.submit("PyTorchJob", roles=roles, run_policy={"backoffLimit": 2})
    job.wait_pods("master-0", "worker-0")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Running", init_restarts=2)
    job.wait_states("Created", "Running=False", "Failed")
    assert job.condition("Failed")["message"] == BACKOFF

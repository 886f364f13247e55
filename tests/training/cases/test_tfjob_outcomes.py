"""How the pods of a TFJob decide what becomes of it: who counts as running, as success, and as failure."""

import pytest

from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import role
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def running(stage: Stage, policy: str = "Never", success: str = "", **counts: int) -> JobOnStage:
    """Returns a job all of whose pods run."""
    roles = {name: role("TFJob", count, policy) for name, count in counts.items()}
    job = stage.submit("TFJob", roles=roles, **({"successPolicy": success} if success else {}))
    job.wait_pods(*(f"{name.lower()}-{index}" for name, count in counts.items() for index in range(count)))
    job.run()
    job.wait_states("Created", "Running")
    return job


@case(6, "times")
def test_one_running_worker_is_enough(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": 3})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run("worker-1")
    status = job.wait_states("Created", "Running")
    assert job.condition("Running")["reason"] == "TFJobRunning"
    assert status["startTime"]
    assert "completionTime" not in status


@case(7, "times", "success-takes-active")
def test_worker_zero_decides(stage: Stage) -> None:
    job = running(stage, Worker=3)
    job.set_phase("worker-0", "Succeeded")
    status = job.wait_states("Created", "Running=False", "Succeeded")
    assert status["completionTime"]
    job.wait_counts("Worker", succeeded=3)


@case(8)
def test_all_workers_means_all(stage: Stage) -> None:
    job = running(stage, success="AllWorkers", Worker=3)
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=2, succeeded=1)
    job.never("Succeeded", "Failed")
    assert job.states() == ["Created=True", "Running=True"]


@case(9)
def test_all_workers_succeed(stage: Stage) -> None:
    job = running(stage, success="AllWorkers", Worker=2)
    job.set_phase("worker-0", "Succeeded")
    job.set_phase("worker-1", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


@case(10)
def test_all_workers_and_one_fails(stage: Stage) -> None:
    job = running(stage, success="AllWorkers", Worker=3)
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=2, succeeded=1)
    job.set_phase("worker-2", "Failed", 1)
    job.wait_states("Created", "Running=False", "Failed")


@case(11)
def test_success_needs_the_exit_code_of_the_training_container(stage: Stage) -> None:
    job = running(stage, Worker=2)
    job.set_phase("worker-0", "Succeeded", 3)
    job.wait_counts("Worker", active=1, succeeded=1)
    job.never("Succeeded", "Failed")


@case(12)
@pytest.mark.parametrize("chief", ["Chief", "Master"])
def test_a_chief_that_succeeds_ends_the_job(stage: Stage, chief: str) -> None:
    job = running(stage, Worker=2, Chief=1) if chief == "Chief" else running(stage, Worker=2, Master=1)
    job.set_phase(f"{chief.lower()}-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")


@case(12)
def test_workers_do_not_end_a_job_with_a_chief(stage: Stage) -> None:
    job = running(stage, success="AllWorkers", Chief=1, Worker=1)
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", succeeded=1)
    job.never("Succeeded")
    assert job.states() == ["Created=True", "Running=True"]


@case(13)
def test_a_chief_that_fails_fails_the_job(stage: Stage) -> None:
    job = running(stage, Chief=1, Worker=2)
    job.set_phase("worker-0", "Succeeded")
    job.set_phase("worker-1", "Succeeded")
    job.wait_counts("Worker", succeeded=2)
    job.set_phase("chief-0", "Failed", 1)
    job.wait_states("Created", "Running=False", "Failed")


@case(14, "reasons-and-messages")
def test_a_parameter_server_that_fails_fails_the_job(stage: Stage) -> None:
    job = running(stage, Chief=1, PS=2)
    job.set_phase("ps-1", "Failed", 1)
    job.wait_states("Created", "Running=False", "Failed")
    assert (
        job.condition("Failed")["message"] == f"TFJob {stage.namespace}/job has failed because 1 PS replica(s) failed."
    )


@case(15, "restarting-or-running")
@pytest.mark.parametrize("policy", ["OnFailure", "Always"])
def test_a_chief_may_be_restarted(stage: Stage, policy: str) -> None:
    job = running(stage, policy, Chief=1, Worker=1)
    old = job.uid_of("chief-0")
    job.set_phase("chief-0", "Failed", 1)
    job.wait_replaced("chief-0", old)
    job.wait_states("Created", "Restarting")
    assert job.condition("Restarting")["reason"] == "TFJobRestarting"
    job.run("chief-0")
    job.wait_states("Created", "Running")


@case(16, "exit-code-events")
def test_a_retryable_exit_code_makes_the_pod_again(stage: Stage) -> None:
    job = running(stage, "ExitCode", Worker=1)
    old = job.uid_of("worker-0")
    job.set_phase("worker-0", "Failed", 130)
    job.wait_replaced("worker-0", old)
    job.wait_states("Created", "Restarting")
    job.wait_event("ExitedWithCode", f"Pod: {stage.namespace}.job-worker-0 exited with code 130")
    job.wait_event("TFJobRestarting", "job job is restarting because Worker replica(s) failed.")


@case("live-restarting-passes")
def test_restarting_passes_while_another_worker_runs(stage: Stage) -> None:
    job = running(stage, "ExitCode", Worker=2)
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Failed", 137)
    job.wait_replaced("worker-1", old)
    job.wait_states("Created", "Running")
    job.wait_counts("Worker", active=1)


@case(17, "times")
def test_a_permanent_exit_code_fails_the_job(stage: Stage) -> None:
    job = running(stage, "ExitCode", Worker=2)
    job.set_phase("worker-1", "Failed", 1)
    status = job.wait_states("Created", "Running=False", "Failed")
    failed = job.condition("Failed")
    assert failed["reason"] == "TFJobFailed"
    assert failed["message"] == 'job "job" is failing because "Worker" replica(s) failed.'
    assert status["completionTime"]


@case("one-ending")
def test_success_of_the_chief_wins_over_a_failure_beside_it(stage: Stage) -> None:
    job = running(stage, Chief=1, Worker=1)
    job.set_phase("chief-0", "Succeeded")
    job.set_phase("worker-0", "Failed", 1)
    job.wait_states("Created", "Running=False", "Succeeded")
    stage.settled()
    assert job.states() == ["Created=True", "Running=False", "Succeeded=True"]


def test_failures_of_dynamic_workers_are_forgiven(stage: Stage) -> None:
    roles = {"PS": role("TFJob", 1), "Worker": role("TFJob", 2)}
    job = stage.submit("TFJob", roles=roles, enableDynamicWorker=True)
    job.wait_pods("ps-0", "worker-0", "worker-1")
    job.run()
    job.set_phase("worker-1", "Failed", 1)
    job.wait_counts("Worker", active=1, failed=1)
    job.never("Failed")

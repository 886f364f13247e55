"""How failures of single pods are counted and answered: exit codes, evictions, deletions, and the numbers in status."""

import pytest

from tests.training.manifests import role, template
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

WORKER_KINDS = ("TFJob", "PyTorchJob", "PaddleJob", "JAXJob")


@case("replica-counts")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_counts_follow_phases_and_zeros_are_left_out(stage: Stage, kind: str) -> None:
    success = {"successPolicy": "AllWorkers"} if kind == "TFJob" else {}
    job = stage.submit(kind, roles={"Worker": role(kind, 3, "OnFailure")}, **success)
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run("worker-0", "worker-1")
    job.wait_counts("Worker", active=2)
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=1, succeeded=1)


@case("replica-counts")
@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob"])
def test_a_running_pod_that_is_deleted_counts_as_failed_until_it_is_replaced(stage: Stage, kind: str) -> None:
    roles = {"Master": role(kind, 1, "OnFailure"), "Worker": role(kind, 2, "OnFailure")}
    job = stage.submit(kind, roles=roles)
    job.wait_pods("master-0", "worker-0", "worker-1")
    job.run()
    job.wait_counts("Worker", active=2)
    stage.hold("job-worker-1")
    old = job.uid_of("worker-1")
    job.delete_pod("worker-1")
    job.wait_counts("Worker", active=1, failed=1)
    assert "Failed=True" not in job.states()
    stage.let_go("job-worker-1")
    job.wait_replaced("worker-1", old)
    job.wait_counts("Worker", active=1)
    job.wait_states("Created", "Running")


@case("deleted-pods")
@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob", "JAXJob"])
def test_a_running_pod_that_is_deleted_fails_a_job_that_never_restarts(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "Never")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    stage.hold("job-worker-1")
    job.delete_pod("worker-1")
    job.wait_states("Created", "Running=False", "Failed")
    stage.let_go("job-worker-1")


@case("selector")
@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob", "JAXJob"])
def test_the_selector_finds_the_pods_of_a_role(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": 1})
    job.wait_pods("worker-0")
    job.run()
    status = job.wait_states("Created", "Running")
    assert status["replicaStatuses"]["Worker"]["selector"] == (
        "training.kubeflow.org/job-name=job,"
        f"training.kubeflow.org/operator-name={kind.lower()}-controller,"
        "training.kubeflow.org/replica-type=worker"
    )


@case("selector")
@pytest.mark.parametrize("kind", ["TFJob", "XGBoostJob", "MPIJob"])
def test_other_kinds_report_no_selector(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run()
    status = job.wait_states("Created", "Running")
    assert not any("selector" in one for one in status["replicaStatuses"].values())


@case("no-exit-code", "evictions")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_a_failure_without_an_exit_code_is_retried(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "ExitCode")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Failed", pod_reason="Evicted")
    job.wait_replaced("worker-1", old)
    assert "Failed=True" not in job.states()


@case("evictions")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_an_eviction_is_answered_by_the_restart_policy(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, "again", roles={"Worker": role(kind, 2, "OnFailure")})
    last = stage.submit(kind, "never", roles={"Worker": role(kind, 2, "Never")})
    for one in (job, last):
        one.wait_pods("worker-0", "worker-1")
        one.run()
        one.wait_states("Created", "Running")
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Failed", pod_reason="Evicted")
    job.wait_replaced("worker-1", old)
    last.set_phase("worker-1", "Failed", pod_reason="Evicted")
    last.wait_states("Created", "Running=False", "Failed")


@case("restart-in-place")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_only_the_failed_index_is_made_again(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 3, "OnFailure")})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.run()
    job.wait_states("Created", "Running")
    old = {index: job.uid_of(f"worker-{index}") for index in range(3)}
    job.set_phase("worker-1", "Failed", 1)
    job.wait_replaced("worker-1", old[1])
    stage.settled()
    assert {index: job.uid_of(f"worker-{index}") for index in (0, 2)} == {0: old[0], 2: old[2]}


@case("times")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_a_permanent_failure_has_its_time(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "ExitCode")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Failed", 2)
    status = job.wait_states("Created", "Running=False", "Failed")
    assert status["completionTime"]
    assert job.condition("Failed")["message"] == 'job "job" is failing because "Worker" replica(s) failed.'


@case("exit-codes")
@pytest.mark.parametrize(("code", "is_final"), [(1, True), (127, True), (128, False), (143, False), (255, False)])
def test_exit_codes_decide(stage: Stage, code: int, is_final: bool) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": role("PyTorchJob", 2, "ExitCode")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Failed", code)
    if is_final:
        job.wait_states("Created", "Running=False", "Failed")
        assert job.uid_of("worker-1") == old
    else:
        job.wait_replaced("worker-1", old)
        assert "Failed=True" not in job.states()


@case("exit-codes")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_only_the_exit_code_of_the_training_container_counts(stage: Stage, kind: str) -> None:
    pod = template(kind)
    pod["spec"]["containers"].insert(0, {"name": "side", "image": "example.com/side:1"})
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "ExitCode", pod=pod)})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Failed", 137, beside=1)
    job.wait_replaced("worker-1", old)
    assert "Failed=True" not in job.states()


@case("restarts-by-the-kubelet")
@pytest.mark.parametrize("kind", WORKER_KINDS)
def test_restarts_in_place_leave_the_job_alone(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "OnFailure")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    old = job.uid_of("worker-1")
    job.set_phase("worker-1", "Running", restart_count=5)
    stage.settled()
    assert job.states() == ["Created=True", "Running=True"]
    assert job.uid_of("worker-1") == old


@case("made-again")
def test_a_job_made_again_gets_its_pods_when_the_old_ones_are_gone(stage: Stage) -> None:
    job = stage.submit("TFJob")
    job.wait_pods("worker-0", "worker-1")
    stage.hold("job-worker-1")
    job.delete()
    job.wait_gone()
    again = stage.submit("TFJob")
    again.wait_pods("worker-0")
    stage.settled()
    stage.let_go("job-worker-1")
    stage.wait(again.pods, lambda seen: seen == ["worker-0", "worker-1"], within=15)

"""Suspending a job takes everything it has and keeps what it was; resuming starts it again."""

import pytest

from tests.training.kubelet_words import now
from tests.training.manifests import DECIDING_POD, EVERY_KIND
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@case(36, "reasons-and-messages", "condition-events")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_created_suspended_waits_without_children(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"suspend": True})
    status = job.wait_states("Created", "Suspended")
    assert "startTime" not in status
    suspended = job.condition("Suspended")
    assert (suspended["reason"], suspended["message"]) == (f"{kind}Suspended", f"{kind} job is suspended.")
    job.wait_event(f"{kind}Suspended", f"{kind} job is suspended.")
    stage.settled()
    assert job.pods() == job.services() == []


@case(37, 38, "reasons-and-messages", "condition-events")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_is_suspended_and_resumed(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    names = stage.wait(job.pods, lambda seen: len(seen) == 2)
    services = stage.wait(job.services, lambda seen: len(seen) == (0 if kind == "MPIJob" else 2))
    job.run()
    started = job.wait_states("Created", "Running")["startTime"]

    job.set_run_policy(suspend=True)
    job.wait_pods()
    job.wait_services()
    status = job.wait_states("Created", "Running=False", "Suspended")
    assert job.condition("Running")["reason"] == f"{kind}Suspended"
    job.wait_status(lambda seen: not any(one.get("active") for one in (seen.get("replicaStatuses") or {}).values()))
    assert status["startTime"] == started

    stage.wait(lambda: now() > started)
    job.set_run_policy(suspend=False)
    stage.wait(job.pods, lambda seen: seen == names)
    stage.wait(job.services, lambda seen: seen == services)
    job.run()
    status = job.wait_states("Created", "Suspended=False", "Running")
    assert status["startTime"] > started
    resumed = job.condition("Suspended")
    assert (resumed["reason"], resumed["message"]) == (f"{kind}Resumed", f"{kind} job is resumed.")
    job.wait_event(f"{kind}Resumed", f"{kind} job is resumed.")


def test_a_resumed_job_can_still_end(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", run_policy={"suspend": True})
    job.wait_states("Created", "Suspended")
    job.set_run_policy(suspend=False)
    job.wait_pods("master-0", "worker-0")
    job.run()
    job.wait_states("Created", "Suspended=False", "Running")
    job.set_phase(DECIDING_POD["PyTorchJob"], "Succeeded")
    job.wait_states("Created", "Suspended=False", "Running=False", "Succeeded")


@case(39)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_of_another_manager_is_left_alone(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"managedBy": "kueue.x-k8s.io/multikueue", "suspend": True})
    stage.settled()
    assert job.status() == {}
    job.set_run_policy(suspend=False)
    stage.settled()
    assert job.status() == {}
    assert job.pods() == job.services() == []


@case(39)
def test_a_job_of_ours_by_name_is_looked_after(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", run_policy={"managedBy": "kubeflow.org/training-operator"})
    job.wait_pods("master-0", "worker-0")


@case("live-created-always")
def test_created_is_there_when_a_job_changes_at_once(stage: Stage) -> None:
    job = stage.submit("TFJob")
    job.set_run_policy(suspend=True)
    job.wait_state("Suspended")
    assert job.states()[0] == "Created=True"

"""What is left of a job that has ended: pods and services by its cleanPodPolicy, whatever ended it."""

import pytest

from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import EVERY_KIND, USUAL_ROLES, role
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

BACKOFF = "Job job has failed because it has reached the specified backoff limit"


def ended(stage: Stage, policy: str) -> JobOnStage:
    """Returns a job that has succeeded while one worker runs and one still waits."""
    job = stage.submit("TFJob", roles={"Worker": 3}, run_policy={"cleanPodPolicy": policy} if policy else {})
    job.wait_pods("worker-0", "worker-1", "worker-2")
    job.wait_services("worker-0", "worker-1", "worker-2")
    job.run("worker-1")
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")
    return job


@case(23)
def test_all_leaves_nothing(stage: Stage) -> None:
    job = ended(stage, "All")
    job.wait_pods()
    job.wait_services()


@case(24)
def test_running_keeps_what_has_finished(stage: Stage) -> None:
    job = ended(stage, "Running")
    job.wait_pods("worker-0")
    job.wait_services("worker-0")
    stage.settled()
    assert job.pods() == ["worker-0"]


@case(25)
@pytest.mark.parametrize("policy", ["None", ""])
def test_none_keeps_everything_and_is_the_default(stage: Stage, policy: str) -> None:
    job = ended(stage, policy)
    stage.settled()
    assert job.pods() == job.services() == ["worker-0", "worker-1", "worker-2"]


@case(23)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_cleans_up(stage: Stage, kind: str) -> None:
    first = next(iter(USUAL_ROLES[kind]))
    decides = "launcher" if first == "Launcher" else f"{first.lower()}-0"
    job = stage.submit(kind, run_policy={"cleanPodPolicy": "All"})
    names = stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.run(*names)
    job.wait_states("Created", "Running")
    for short in names if first == "Worker" else [decides]:
        job.set_phase(short, "Succeeded")
    job.wait_state("Succeeded")
    job.wait_pods()
    job.wait_services()


LEFT = {"None": ["worker-0", "worker-1"], "All": [], "Running": ["worker-0"]}


@case(26)
@pytest.mark.parametrize("policy", LEFT)
def test_a_job_at_its_backoff_limit_is_cleaned_up_by_its_policy(stage: Stage, policy: str) -> None:
    roles = {"Worker": role("PyTorchJob", 2, "OnFailure")}
    job = stage.submit("PyTorchJob", roles=roles, run_policy={"cleanPodPolicy": policy, "backoffLimit": 1})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-0", "Succeeded")
    job.wait_counts("Worker", active=1, succeeded=1)
    job.set_phase("worker-1", "Running", restart_count=1)
    job.wait_states("Created", "Running=False", "Failed")
    assert job.condition("Failed")["message"] == BACKOFF
    job.wait_pods(*LEFT[policy])
    job.wait_services(*LEFT[policy])
    stage.settled()
    assert job.pods() == LEFT[policy]


@case(27)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_suspension_deletes_all_pods_whatever_the_policy(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"cleanPodPolicy": "None"})
    stage.wait(job.pods, lambda seen: len(seen) == 2)
    job.set_run_policy(suspend=True)
    job.wait_pods()
    job.wait_services()


@case("mpi-clean-up")
def test_the_policy_of_the_run_policy_wins_for_mpi(stage: Stage) -> None:
    job = stage.submit("MPIJob", cleanPodPolicy="None", run_policy={"cleanPodPolicy": "All"})
    job.wait_pods("launcher", "worker-0")
    job.set_phase("launcher", "Succeeded")
    job.wait_pods()


@case("mpi-clean-up")
def test_the_old_place_of_the_policy_still_counts_for_mpi(stage: Stage) -> None:
    job = stage.submit("MPIJob", cleanPodPolicy="Running")
    job.wait_pods("launcher", "worker-0")
    job.run()
    job.wait_state("Running")
    job.set_phase("launcher", "Succeeded")
    job.wait_pods("launcher")

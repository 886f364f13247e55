"""What is told about a job in events: from whom, for which reason, in which words."""

import pytest

from tests.training.manifests import INDEXED_KINDS, role
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@case("child-events", "event-source")
@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_made_and_deleted_children_are_told(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"cleanPodPolicy": "All"})
    names = stage.wait(job.pods, lambda seen: len(seen) == 2)
    for short in names:
        made = job.wait_event("SuccessfulCreatePod", f"Created pod: job-{short}")
        assert made["type"] == "Normal"
        assert made["source"]["component"] == f"{kind.lower()}-controller"
        assert made["involvedObject"]["kind"] == kind
        assert made["involvedObject"]["name"] == "job"
        job.wait_event("SuccessfulCreateService", f"Created service: job-{short}")
    for short in names:
        job.set_phase(short, "Succeeded")
    job.wait_state("Succeeded")
    for short in names:
        job.wait_event("SuccessfulDeletePod", f"Deleted pod: job-{short}")
        job.wait_event("SuccessfulDeleteService", f"Deleted service: job-{short}")


@case("exit-code-events")
@pytest.mark.parametrize("kind", ["PyTorchJob", "JAXJob"])
def test_exit_codes_are_told(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2, "ExitCode")})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("worker-1", "Failed", 139)
    job.wait_event("ExitedWithCode", f"Pod: {stage.namespace}.job-worker-1 exited with code 139")


@case("condition-events")
def test_a_permanent_failure_is_a_warning(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": role("PyTorchJob", 2, "ExitCode")})
    job.wait_pods("worker-0", "worker-1")
    job.set_phase("worker-1", "Failed", 1)
    job.wait_state("Failed")
    told = job.wait_event("PyTorchJobFailed", 'job "job" is failing because "Worker" replica(s) failed.')
    assert told["type"] == "Warning"


@case("trouble-events")
def test_why_a_container_waits_is_told(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 1})
    job.wait_pods("worker-0")
    job.set_phase("worker-0", "Pending", waiting="ImagePullBackOff", message="no such image")
    found = stage.wait(lambda: job.events("ImagePullBackOff"))
    assert {one["type"] for one in found} == {"Warning"}
    assert "job-worker-0" in found[0]["message"]
    assert "no such image" in found[0]["message"]

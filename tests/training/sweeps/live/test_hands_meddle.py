"""What people do to a running job by hand: it is repaired within seconds (F15), and names are never mixed up (F16)."""

import time

import pytest

from corral.kinds.well_known import POD, SERVICE
from corral.ports.object_store import DeleteOptions
from tests.training.job_on_stage import JobOnStage
from tests.training.stage import Stage
from tests.training.sweeps.depth import FULL

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

REPAIRED_WITHIN = 5.0
TURNS = 200 if FULL else 12


def running(stage: Stage, name: str = "job") -> JobOnStage:
    job = stage.submit("TFJob", name, {"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    job.wait_services("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.wait_counts("Worker", active=2)
    return job


def test_f15_a_deleted_pod_and_a_deleted_service_come_back(stage: Stage) -> None:
    """T1: a job that runs has every pod it asks for."""
    job = running(stage)
    pod, service = job.uid_of("worker-1"), job.service("worker-1")["metadata"]["uid"]
    began = time.monotonic()
    stage.delete(POD, job.full("worker-1"), DeleteOptions(grace_seconds=0))
    stage.delete(SERVICE, job.full("worker-1"))
    job.wait_replaced("worker-1", pod)
    stage.wait(
        lambda: stage.find(SERVICE, job.full("worker-1")),
        lambda found: found is not None and found["metadata"]["uid"] != service,
    )
    assert time.monotonic() - began < REPAIRED_WITHIN


@pytest.mark.parametrize(
    "edit", [{"replicaStatuses": {"Worker": {"active": 99}}}, {"conditions": []}], ids=["counts", "conditions"]
)
def test_f15_a_status_edited_by_hand_tells_the_truth_again(stage: Stage, edit: dict[str, object]) -> None:
    job = running(stage)
    began = time.monotonic()
    stage.change(job.resource, job.name, {"status": edit}, subresource="status")
    job.wait_counts("Worker", active=2)
    job.wait_states("Created", "Running")
    assert time.monotonic() - began < REPAIRED_WITHIN


def test_f15_a_deleted_job_stays_deleted_and_leaves_nothing(stage: Stage) -> None:
    """T6: no orphans."""
    job = running(stage)
    job.delete()
    job.wait_gone()
    stage.wait(lambda: [*stage.names(POD), *stage.names(SERVICE)], lambda names: names == [])
    stage.stays(lambda: [stage.find(job.resource, job.name), *stage.names(POD)], lambda seen: seen == [None])


def test_f16_a_job_made_anew_under_its_old_name_never_takes_over_old_children(stage: Stage) -> None:
    """T2: pods belong to a job by its uid, not by its name."""
    roles = {"Worker": 2}
    job = stage.submit("JAXJob", "again", roles)
    for turn in range(TURNS):
        if turn % 3:
            job.wait_pods("worker-0", "worker-1")
        if turn % 3 == 2:
            job.run()
        job.delete()
        job.wait_gone()
        job = stage.submit("JAXJob", "again", roles)
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_states("Created", "Running")
    job.wait_counts("Worker", active=2)
    stage.wait(
        lambda: [pod["metadata"]["ownerReferences"][0]["uid"] for pod in stage.all(POD)],
        lambda owners: owners == [job.uid, job.uid],
    )
    assert "failures" not in job.status()

"""Rules stand at the door: they hold nothing that is inside already, or on its way out."""

import pytest

from corral.kinds.training.validation import admission_errors_of
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import good

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


def test_a_job_that_is_being_deleted_can_be_let_go(judge: Judge) -> None:
    job = good("JAXJob", "going")
    job["metadata"]["finalizers"] = ["example.com/held"]
    assert judge.create(job, keep=True).code == 201
    assert judge.delete(job).code == 200
    worse = judge.patch(job, {"spec": {"runPolicy": {"managedBy": "example.com/other"}}})
    assert worse.code == 200, worse.message
    assert judge.patch(job, {"metadata": {"finalizers": None}}).code == 200
    assert judge.delete(job).code == 404


@pytest.mark.parametrize("subresource", ["/scale", "/status"])
def test_other_parts_of_a_wrong_job_can_be_written(judge: Judge, subresource: str) -> None:
    """The scale can bring a job into a state that its rules would refuse: its metadata and status stay writable."""
    name = f"scaled-{subresource[1:]}"
    job = good("PyTorchJob", name)
    assert judge.create(job, keep=True).code == 201
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": name, "namespace": judge.namespace},
        "spec": {"replicas": 0},
    }
    path = {"apiVersion": job["apiVersion"], "kind": "PyTorchJob", "metadata": {"name": f"{name}/scale"}}
    assert judge.patch(path, {"spec": scale["spec"]}).code == 200
    noted = judge.patch(job, {"metadata": {"annotations": {"note": "seen"}}})
    assert noted.code == 200, noted.message
    if subresource == "/status":
        assert judge.update({**noted.body, "status": {"conditions": []}}, subresource).code == 200
    changed = judge.patch(job, {"spec": {"nprocPerNode": "2"}})
    assert changed.message.endswith("spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1")


def test_only_what_changes_is_judged() -> None:
    wrong = good("JAXJob", "1job")
    noted = {**wrong, "metadata": {**wrong["metadata"], "labels": {"a": "b"}}}
    assert admission_errors_of(wrong)
    assert admission_errors_of(noted, wrong) == []

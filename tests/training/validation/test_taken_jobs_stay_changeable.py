"""Rules stand at the door: they hold nothing that is inside already, or on its way out."""

import pytest

from corral.kinds.training.validation import admission_errors_of
from tests.training.manifests import EVERY_KIND, FACTS
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import good

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

SCOPE = "corral.dev/restart-scope"


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
    assert changed.code == 200, changed.message
    worse = judge.patch(job, {"spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 2}}}})
    assert worse.message.endswith("denied request: spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1")


@pytest.mark.parametrize(("kind", "name", "count"), [("JAXJob", "gone", 0), ("PaddleJob", "n" * 54, 100)])
def test_a_scaled_job_can_be_changed_otherwise(judge: Judge, kind: str, name: str, count: int) -> None:
    """A gang of nobody, and pods whose names are too long: neither could be created, both can be left behind."""
    job = good(kind, name)
    job["spec"]["runPolicy"]["schedulingPolicy"] = {"minAvailable": 1}
    assert judge.create(job, keep=True).code == 201
    path = {**job, "metadata": {"name": f"{name}/scale"}}
    assert judge.patch(path, {"spec": {"replicas": count}}).code == 200
    changed = judge.patch(job, {"spec": {"runPolicy": {"backoffLimit": 1}}})
    assert changed.code == 200, changed.message
    workers = {"spec": {FACTS[kind].map_field: {"Worker": {"replicas": 2}}}}
    assert judge.patch(job, workers).code == 200
    again = judge.patch(job, {"spec": {FACTS[kind].map_field: {"Worker": {"replicas": count}}}})
    assert again.code == 422, again.body


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_the_scope_of_restarts_is_a_known_one(judge: Judge, kind: str) -> None:
    job = good(kind, "scoped")
    told = 'metadata.annotations[corral.dev/restart-scope]: Unsupported value: "gagn": supported values: "gang", "pod"'
    for scope in ("gang", "pod", ""):
        job["metadata"]["annotations"] = {SCOPE: scope}
        assert judge.create(job).code == 201
    job["metadata"]["annotations"] = {SCOPE: "gagn"}
    assert judge.create(job).message.endswith(f"denied request: {told}")
    job["metadata"]["annotations"] = {SCOPE: "gang"}
    assert judge.create(job, keep=True).code == 201
    assert judge.patch(job, {"metadata": {"annotations": {SCOPE: "gagn"}}}).message.endswith(told)
    assert judge.patch(job, {"metadata": {"annotations": {SCOPE: None}}}).code == 200


def test_a_scope_that_was_taken_before_there_was_a_rule_stays() -> None:
    old = good("JAXJob")
    old["metadata"]["annotations"] = {SCOPE: "gagn"}
    new = {**old, "spec": {**old["spec"], "runPolicy": {"backoffLimit": 1}}}
    assert admission_errors_of(old)
    assert admission_errors_of(new, old) == []


def test_only_what_changes_is_judged() -> None:
    wrong = good("JAXJob", "1job")
    noted = {**wrong, "metadata": {**wrong["metadata"], "labels": {"a": "b"}}}
    assert admission_errors_of(wrong)
    assert admission_errors_of(noted, wrong) == []

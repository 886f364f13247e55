"""A job is read and judged again only when something changed that its user wrote, or when it has ended."""

from copy import deepcopy

import pytest

from corral.control.training import examinations
from corral.control.training.examinations import Examinations
from corral.kinds.objects import Object, copied, key_of
from corral.reconcile.training.decision import Examined, examined

JOB: Object = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "train", "namespace": "ml", "uid": "u1", "resourceVersion": "1"},
    "spec": {
        "pytorchReplicaSpecs": {
            "Master": {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch", "image": "i"}]}}}
        }
    },
}


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Object]:
    """Every object that was really examined."""
    seen: list[Object] = []

    def noted(obj: Object) -> Examined:
        seen.append(obj)
        return examined(obj)

    monkeypatch.setattr(examinations, "examined", noted)
    return seen


def test_a_status_that_is_written_is_no_reason_to_judge_again(judged: list[Object]) -> None:
    found = Examinations()
    first, _ = found.of(JOB)
    newer = deepcopy(JOB)
    newer["metadata"]["resourceVersion"] = "2"
    newer["status"] = {"conditions": [{"type": "Created", "status": "True"}]}
    job, problems = found.of(newer)
    assert len(judged) == 1
    assert first is not None
    assert job is not None
    assert (job.object, job.roles, problems) == (newer, first.roles, [])
    assert job.object is newer


@pytest.mark.parametrize("change", ["spec", "annotations", "uid", "end"])
def test_what_a_user_changes_and_the_end_are_looked_at_anew(judged: list[Object], change: str) -> None:
    found = Examinations()
    found.of(JOB)
    newer = deepcopy(JOB)
    match change:
        case "spec":
            newer["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"] = []
        case "annotations":
            newer["metadata"]["annotations"] = {"corral.dev/restart-scope": "gang"}
        case "uid":
            newer["metadata"]["uid"] = "u2"
        case "end":
            newer["status"] = {"conditions": [{"type": "Failed", "status": "True"}]}
    assert found.of(newer) == examined(newer)
    assert len(judged) == 2


def test_nothing_is_kept_of_a_job_that_is_gone(judged: list[Object]) -> None:
    found = Examinations()
    found.of(JOB)
    found.forget(key_of(JOB))
    assert len(found) == 0


def test_a_copy_of_a_value_shares_nothing_that_can_be_changed() -> None:
    copy = copied(JOB)
    copy["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]["image"] = "other"
    assert JOB["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]["image"] == "i"

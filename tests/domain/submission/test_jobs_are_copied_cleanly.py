"""A clean copy of a job under another name: what was asked for, and nothing that others wrote."""

from typing import Any

from corral.kinds.submission.code_bundle import CodeBundle, CodeFile
from corral.kinds.submission.objects import objects_of
from corral.kinds.submission.resubmission import Companion, companions_of, copy_of, mounted_config_maps
from corral.kinds.submission.submission import LocalFile, Submission, TensorBoard


def _submission(name: str) -> Submission:
    return Submission(
        type="pytorchjob",
        name=name,
        namespace="ml",
        image="i",
        workers=2,
        gang=True,
        rdma=True,
        env={"NOTE": "old-files", "OTHER": "old"},
        files=(LocalFile("/etc/a.ini", b"a"),),
        tensorboard=TensorBoard(enabled=True),
        code=CodeBundle((CodeFile("train.py", "pass"),)),
        command="python train.py --name old",
    )


def _stored(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns an object as a server has it."""
    written = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "corral.dev/submission": "7"}
    metadata = {
        **obj["metadata"],
        "annotations": {**obj["metadata"].get("annotations", {}), **written},
        "uid": "u",
        "resourceVersion": "5",
        "generation": 2,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"uid": "o"}],
        "managedFields": [],
    }
    stored = {**obj, "metadata": metadata, "status": {"phase": "x"}}
    if obj["kind"] == "Service":
        ports = [{**port, "nodePort": 30000} for port in obj["spec"]["ports"]]
        stored["spec"] = {**obj["spec"], "clusterIP": "10.0.0.1", "ports": ports}
    return stored


def test_a_copy_is_what_a_submission_of_the_other_name_would_be() -> None:
    copies = [copy_of(_stored(one), "old", "new") for one in objects_of(_submission("old"))]
    assert copies == objects_of(_submission("new"))


def test_a_copy_of_the_same_name_is_the_submission_itself() -> None:
    submitted = objects_of(_submission("old"))
    assert [copy_of(_stored(one), "old", "old") for one in submitted] == submitted


def test_everything_that_belongs_to_a_job_is_known_by_name() -> None:
    objects = objects_of(_submission("old"))
    named = {Companion(one["kind"], one["metadata"]["name"]) for one in objects[1:]}
    assert named == set(companions_of("old"))
    assert mounted_config_maps(objects[0]["spec"]) == {"old-files", "old-code"}


def test_a_copy_of_a_job_that_is_being_moved_starts_by_itself() -> None:
    (job,) = objects_of(Submission(type="jaxjob", name="old", image="i", checkpoints=True))
    stored = _stored(job)
    stored["metadata"]["annotations"] |= {"corral.dev/moves-for": "ns/large", "corral.dev/moved": "3.1"}
    stored["spec"] = {**stored["spec"], "runPolicy": {**stored["spec"]["runPolicy"], "suspend": True}}
    assert (
        copy_of(stored, "old", "new")
        == objects_of(Submission(type="jaxjob", name="new", image="i", checkpoints=True))[0]
    )

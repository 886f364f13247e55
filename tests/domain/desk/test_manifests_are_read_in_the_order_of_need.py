"""From texts to objects: everything that is wrong is told, and what others need comes first."""

import pytest

from corral.control.desk.manifests.applying import told_apart
from corral.control.desk.manifests.reading import Manifest, Text, in_order, read_manifests
from corral.control.desk.waiting import verdict_on
from corral.ports.refusals import ConflictError, InvalidError

GOOD = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def test_every_fault_of_every_text_is_told_with_its_place() -> None:
    reading = read_manifests(
        [
            Text("one.yaml", b"a: [b\n"),
            Text("two.yaml", GOOD + b"---\nkind: Pod\n---\n- 1\n---\napiVersion: v1\nkind: Pod\nmetadata: 3\n"),
            Text("three.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}\n"),
        ]
    )
    assert [str(problem).partition(":")[0] for problem in reading.problems] == [
        "one.yaml, line 2",
        "two.yaml, line 5",
        "two.yaml, line 7",
        "two.yaml, line 9",
        "three.yaml, line 1",
    ]
    assert [manifest.place for manifest in reading.manifests] == ["two.yaml, line 1"]


def test_the_items_of_a_list_are_objects_like_others() -> None:
    text = b"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n"
    assert [one.object["kind"] for one in read_manifests([Text("-", text)]).manifests] == ["Pod"]


def test_what_others_need_comes_first_and_jobs_last() -> None:
    kinds = ["PyTorchJob", "Pod", "Service", "ConfigMap", "Namespace", "CustomResourceDefinition"]
    versions = {"PyTorchJob": "kubeflow.org/v1"}
    manifests = [
        Manifest({"apiVersion": versions.get(kind, "v1"), "kind": kind, "metadata": {"name": "x"}}, "f", 1)
        for kind in kinds
    ]
    want = ["CustomResourceDefinition", "Namespace", "ConfigMap", "Service", "Pod", "PyTorchJob"]
    assert [one.object["kind"] for one in in_order(manifests)] == want


JOB = Manifest({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "digits"}}, "f.yaml", 3)


def test_each_field_that_a_server_names_is_a_line_of_its_own() -> None:
    causes = [{"field": "spec.a", "message": "Required value"}, {"field": "spec.b", "message": "Invalid value: 3"}]
    error = InvalidError("digits is invalid", status={"details": {"causes": causes}})
    assert [str(one) for one in told_apart(error, JOB)] == [
        "f.yaml, line 3: PyTorchJob digits: spec.a: Required value",
        "f.yaml, line 3: PyTorchJob digits: spec.b: Invalid value: 3",
    ]


def test_a_name_that_no_api_takes_is_a_fault_before_anything_is_sent() -> None:
    good = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n---\n"
    for fields in (b"{name: ../x}", b"{name: x, namespace: a/b}", b"{name: '%2e%2e'}"):
        reading = read_manifests(
            [Text("two.yaml", good + b"apiVersion: v1\nkind: Secret\nmetadata: " + fields + b"\n")]
        )
        assert len(reading.problems) == 1
        assert str(reading.problems[0]).startswith("two.yaml, line 5: metadata.name")
        assert "of the Secret cannot be '" in str(reading.problems[0])


def test_the_faults_that_a_policy_lists_are_told_apart() -> None:
    denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: [spec.a[X]: Unsupported: \"A\", \"B\", spec.b: no]"
    told = [str(one).partition("digits: ")[2] for one in told_apart(InvalidError(denied), JOB)]
    assert told == ['spec.a[X]: Unsupported: "A", "B"', "spec.b: no"]


def test_a_conflict_names_no_flag() -> None:
    conflict = told_apart(ConflictError("1 conflict"), JOB)[0]
    assert (conflict.code, conflict.hint) == ("conflict", ""), (
        "how it is forced is a matter of the command that meets it"
    )


def job(state: str, failure: str = "user") -> dict[str, object]:
    conditions = [{"type": state, "status": "True", "message": "why"}]
    return {"metadata": {"name": "j"}, "status": {"conditions": conditions, "failures": [{"class": failure}]}}


@pytest.mark.parametrize(
    ("state", "goal", "want"),
    [
        ("Running", "succeeded", None),
        ("Running", "running", "reached"),
        ("Succeeded", "running", "reached"),
        ("Succeeded", "succeeded", "reached"),
        ("Succeeded", "failed", "otherwise"),
        ("Failed", "succeeded", "failed"),
        ("Failed", "running", "failed"),
        ("Failed", "failed", "reached"),
        ("Failed", "finished", "reached"),
        ("Created", "finished", None),
    ],
)
def test_a_goal_is_reached_or_never_will_be(state: str, goal: str, want: str | None) -> None:
    found = verdict_on(job(state), goal)
    assert (found.verdict if found else None) == want


def test_a_job_that_the_infrastructure_lost_is_told_apart() -> None:
    found = verdict_on(job("Failed", "node"), "succeeded")
    assert found is not None
    assert found.verdict == "lost"

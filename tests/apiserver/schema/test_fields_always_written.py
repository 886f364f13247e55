"""What a real server shows although nobody sent it (facts read from Go's types)."""

from typing import Any

from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.completion import complete


def completed(group: str, kind: str, obj: dict[str, Any]) -> dict[str, Any]:
    complete(builtin_schema(group, "v1", kind), obj)
    return obj


def test_plain_structs_appear_empty() -> None:
    assert completed("", "Pod", {"spec": {"containers": [{}]}}) == {
        "metadata": {},
        "spec": {"containers": [{"name": "", "resources": {}}]},
        "status": {},
    }


def test_a_list_that_is_never_left_out_is_null() -> None:
    bare: list[dict[str, Any]] = [{}, {"rules": []}]
    for given in bare:
        assert completed("rbac.authorization.k8s.io", "Role", given)["rules"] is None


def test_times_that_are_no_pointers_are_null() -> None:
    condition = {"type": "Ready", "status": "True"}
    pod = completed("", "Pod", {"status": {"conditions": [condition]}})
    assert pod["status"]["conditions"] == [{**condition, "lastProbeTime": None, "lastTransitionTime": None}]
    assert "creationTimestamp" not in pod["metadata"]


def test_completing_again_changes_nothing() -> None:
    once = completed("apps", "Deployment", {"spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}})
    before = repr(once)
    assert repr(completed("apps", "Deployment", once)) == before

"""Names of managers, times of their entries, and entries that clients send themselves."""

from typing import Any

import pytest

from corral.engine.apiserver import failures
from corral.engine.apiserver.apply.config_check import manager_errors
from corral.engine.apiserver.apply.ownership import decoded, with_old_times
from corral.engine.apiserver.apply.tracking import FieldTracking, manager_of, track_update
from corral.engine.apiserver.schema.structural import compile_schema

KEYED = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
SPEC = {"type": "object", "properties": {"a": {"type": "string"}, "l": {**KEYED, "items": {"type": "object"}}}}
SCHEMA = compile_schema({"type": "object", "properties": {"spec": SPEC}})
TRACKING = FieldTracking(SCHEMA, "lab.example/v1", "Thing", custom=True)
THEN, NOW = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"

NAMES = {
    "given": ("mine", "curl/8.1", "mine"),
    "from the agent": ("", "kubectl/v1.34.2 (linux/amd64)", "kubectl"),
    "agent without version": ("", "curl", "curl"),
    "no agent": ("", "", "unknown"),
    "only a slash": ("", "/1.0", "unknown"),
    "unprintable": ("", "a\tb\x00c/1", "abc"),
    "too long": ("", "x" * 200, "x" * 128),
    "too long in bytes": ("", "é" * 100, "é" * 64),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_plain_write_has_the_manager(name: str) -> None:
    given, agent, want = NAMES[name]
    assert manager_of(given, agent) == want


REFUSALS = {
    "": "Required value: is required for apply patch",
    "x" * 129: "Too long: may not be more than 128 bytes",
    "x\ty": 'Invalid value: "x\\ty": invalid character U+0009 (at position 1)',
}


@pytest.mark.parametrize("manager", REFUSALS)
def test_an_apply_is_refused_for_its_manager(manager: str) -> None:
    errors = manager_errors(manager, apply=True)
    failure = failures.invalid("meta.k8s.io", "PatchOptions", "", errors)
    want = REFUSALS[manager]
    assert failure.message == f'PatchOptions.meta.k8s.io "" is invalid: fieldManager: {want}'
    assert failure.code == 422


def test_a_plain_write_needs_no_manager() -> None:
    assert manager_errors("", apply=False) == []


def thing(spec: dict[str, Any], managers: Any = None) -> dict[str, Any]:
    metadata = {"name": "t"} if managers is None else {"name": "t", "managedFields": managers}
    return {"apiVersion": "lab.example/v1", "kind": "Thing", "metadata": metadata, "spec": spec}


def entry(fields: Any, **changes: Any) -> dict[str, Any]:
    base = {"manager": "m", "operation": "Update", "apiVersion": "lab.example/v1", "time": THEN}
    return {**base, "fieldsType": "FieldsV1", "fieldsV1": fields, **changes}


STORED = thing({"a": "1"}, [entry({"f:spec": {".": {}, "f:a": {}}})])


def managers_after(sent: Any) -> list[dict[str, Any]]:
    return track_update(TRACKING, STORED, thing({"a": "2"}, sent), "n", NOW)


@pytest.mark.parametrize("sent", [[], [{}]])
def test_an_empty_list_makes_the_server_forget(sent: Any) -> None:
    assert managers_after(sent) == []


MALFORMED: dict[str, Any] = {
    "nothing": None,
    "no operation": [entry({}, operation="")],
    "no version": [entry({}, apiVersion="")],
    "no form": [entry({}, fieldsType="")],
    "not a set": [entry("x")],
    "a step without colon": [entry({"spec": {}})],
    "a key that is not JSON": [entry({"k:{": {}})],
    "an index that is no number": [entry({"i:x": {}})],
}


@pytest.mark.parametrize("name", MALFORMED)
def test_entries_that_make_no_sense_do_not_count(name: str) -> None:
    assert [found["manager"] for found in managers_after(MALFORMED[name])] == ["m", "n"]


def test_a_client_may_change_the_entries_and_they_get_our_form() -> None:
    sent = [entry({"f:spec": {"f:l": {'k:{"b": 1, "a":"<"}': {".": {}}}}, "z:later": {}}, manager="other")]
    assert decoded(sent) == [entry({"f:spec": {"f:l": {'k:{"a":"\\u003c","b":1}': {}}}}, manager="other")]
    assert [found["manager"] for found in managers_after(sent)] == ["other", "n"]


def test_an_object_without_entries_is_not_tracked_by_updates() -> None:
    assert track_update(TRACKING, thing({"a": "1"}), thing({"a": "2"}), "n", NOW) == []


def test_tracking_gives_up_on_items_that_cannot_be_told_apart() -> None:
    assert track_update(TRACKING, None, thing({"l": [{"x": 1}]}), "n", NOW) == []


def test_items_that_share_a_key_are_owned_as_one() -> None:
    twins = {"l": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]}
    managers = track_update(TRACKING, None, thing(twins), "n", NOW)
    assert managers[0]["fieldsV1"] == {"f:spec": {".": {}, "f:l": {".": {}, 'k:{"name":"a"}': {}}}}


def test_a_write_that_changes_only_times_is_no_write() -> None:
    later = thing({"a": "1"}, [entry({"f:spec": {".": {}, "f:a": {}}}, time=NOW)])
    assert with_old_times(STORED, later) is STORED
    for other in (
        thing({"a": "2"}, later["metadata"]["managedFields"]),
        thing({"a": "1"}, [entry({"f:spec": {}}, time=NOW)]),
        thing({"a": "1"}, [entry({"f:spec": {".": {}, "f:a": {}}}, manager="x")]),
        thing({"a": "1"}),
    ):
        assert with_old_times(STORED, other) is other

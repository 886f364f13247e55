"""A custom resource that its schema would not change is sent as the bytes that rest; which schema that was is never forgotten."""

import json
from typing import Any

from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.http.negotiation import JSON, form_of
from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.storage.entry import Entry

NOW = 0.0
PARTIAL = form_of(b"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
TABLE = form_of(b"application/json;as=Table;v=v1;g=meta.k8s.io")


def version(name: str, *, storage: bool = True, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}


def resources(*versions: dict[str, Any]) -> list[Resource]:
    names = {"plural": "bars", "kind": "Bar", "singular": "bar"}
    return resources_of({"spec": {"group": "example.com", "scope": "Cluster", "names": names, "versions": versions}})


def resting(**spec: Any) -> Entry:
    obj = {"apiVersion": "example.com/v1", "kind": "Bar", "metadata": {"name": "x"}, "spec": spec}
    return Entry.of("/x", 1, obj)


def specs(view: View, entry: Entry) -> list[Any]:
    """Returns what a get, a list and a watch show of an entry."""
    listed = json.loads(view.many([entry], {}, NOW).joined())["items"]
    event = json.loads(view.event("ADDED", entry, NOW, first=True))
    return [shown["spec"] for shown in (json.loads(view.one(entry, NOW)), *listed, event["object"])]


STRING = {"type": "string"}
BEFORE = resources(version("v1", a=STRING, old=STRING))[0]
AFTER = resources(version("v1", a={"type": "string", "default": "A"}))[0]


def test_what_the_schema_would_not_change_is_not_made_anew() -> None:
    view, entry = View(BEFORE, JSON), resting(a="1", old="2")
    assert view.one(entry, NOW) is entry.value
    assert view.one(entry, NOW) is entry.value
    assert specs(view, entry) == [{"a": "1", "old": "2"}] * 3


def test_another_schema_is_followed_although_the_last_one_changed_nothing() -> None:
    entry = resting(old="2")
    before, after = View(BEFORE, JSON), View(AFTER, JSON)
    for _ in range(2):
        assert specs(before, entry) == [{"old": "2"}] * 3
        assert specs(after, entry) == [{"a": "A"}] * 3


def test_versions_that_are_read_in_turn_are_told_apart() -> None:
    first, second = resources(version("v1", a=STRING, old=STRING), version("v2", storage=False, a=STRING))
    entry = resting(a="1", old="2")
    for _ in range(2):
        assert specs(View(first, JSON), entry) == [{"a": "1", "old": "2"}] * 3
        assert specs(View(second, JSON), entry) == [{"a": "1"}] * 3
        assert json.loads(View(second, JSON).one(entry, NOW))["apiVersion"] == "example.com/v2"


def test_whoever_changes_a_decoded_object_changes_no_other_answer() -> None:
    view, entry = View(BEFORE, JSON), resting(a="1")
    for _ in range(2):
        view.decoded(entry)["spec"]["a"] = "changed"
    assert specs(view, entry) == [{"a": "1"}] * 3


def test_tables_are_made_of_what_is_shown() -> None:
    entry = resting(old="2")
    assert View(BEFORE, JSON).one(entry, NOW) is entry.value
    shown = json.loads(View(AFTER, TABLE, "Object").one(entry, NOW))
    assert shown["rows"][0]["object"]["spec"] == {"a": "A"}


def test_metadata_alone_are_the_same_before_and_after_it_is_known() -> None:
    view, entry = View(BEFORE, PARTIAL), resting(a="1")
    shown = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "x"}}
    for _ in range(2):
        assert json.loads(view.many([entry, entry], {}, NOW).joined())["items"] == [shown, shown]

"""A list is sent from the bytes that the store holds: in groups, with the right length, and as valid JSON."""

import json

import pytest

from corral.engine.apiserver.http.negotiation import form_of
from corral.engine.apiserver.http.parts import GROUP_BYTES, Parts
from corral.engine.apiserver.resources.resource import Resource, Strategy
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.storage.entry import Entry

RESOURCE = Resource("", "v1", "ConfigMap", "configmaps", True, Schema("object"), Strategy())
SHAPES = {
    "objects": (b"application/json", "items", "ConfigMapList"),
    "metadata": (
        b"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        "items",
        "PartialObjectMetadataList",
    ),
    "table": (b"application/json;as=Table;v=v1;g=meta.k8s.io", "rows", "Table"),
}


def entry(number: int) -> Entry:
    meta = {"name": f"c{number}", "namespace": "n", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"}
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": meta, "data": {"text": "x" * 1000}}
    return Entry.of(f"n/c{number}", number, obj)


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_list_of_any_length_and_shape_is_valid_json(shape: str, count: int) -> None:
    accept, field, kind = SHAPES[shape]
    parts = View(RESOURCE, form_of(accept)).many([entry(n) for n in range(count)], {"resourceVersion": "7"}, 0.0)
    found = json.loads(parts.joined())
    assert (found["kind"], found["metadata"], len(found[field])) == (kind, {"resourceVersion": "7"}, count)


def test_items_of_builtin_kinds_come_without_kind_and_version() -> None:
    parts = View(RESOURCE, form_of(b"application/json")).many([entry(1)], {}, 0.0)
    (item,) = json.loads(parts.joined())["items"]
    assert list(item) == ["metadata", "data"]


def test_groups_hold_everything_once_and_are_not_much_larger_than_said() -> None:
    parts = Parts([b"x" * 5_000] * 1_000)
    groups = list(parts.groups())
    assert b"".join(groups) == parts.joined()
    assert parts.size == 5_000_000
    assert max(map(len, groups)) < GROUP_BYTES + 5_000

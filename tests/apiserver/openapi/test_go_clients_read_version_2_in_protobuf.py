"""The protobuf form of version 2: what kubectl looks up in it, and whom it is for."""

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.http.response import Response
from corral.engine.apiserver.openapi import Publication
from corral.engine.apiserver.openapi.protobuf_form import encoded
from corral.engine.apiserver.resources.resource import Resource, Strategy
from corral.engine.apiserver.schema.builtin import builtin_schema

ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
ANSWERED = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
DEFINITION = {
    "spec": {
        "group": "foo.example.com",
        "scope": "Namespaced",
        "names": {"plural": "bars", "kind": "Bar", "listKind": "BarList"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    }
}
SWAGGER, INFO, PATHS, DEFINITIONS = 1, 2, 8, 9
PATCH, PARAMETERS, OF_OPERATION = 8, 8, 13

Message = dict[int, list[Any]]


def fields(raw: bytes) -> Message:
    """A message by the numbers of its fields; what is inside of a field is for the caller to read."""
    found: Message = {}
    rest = iter(raw)
    for first in rest:
        tag = varint(first, rest)
        value: Any
        if tag & 7 == 0:
            value = varint(next(rest), rest)
        elif tag & 7 == 1:
            (value,) = struct.unpack("<d", bytes(next(rest) for _ in range(8)))
        else:
            assert tag & 7 == 2
            size = varint(next(rest), rest)
            value = bytes(next(rest) for _ in range(size))
        found.setdefault(tag >> 3, []).append(value)
    return found


def varint(byte: int, rest: Iterator[int]) -> int:
    number, shift = byte & 0x7F, 7
    while byte > 0x7F:
        byte = next(rest)
        number |= (byte & 0x7F) << shift
        shift += 7
    return number


def inside(raw: bytes, *numbers: int) -> bytes:
    """What a way of field numbers leads to, each of them there once."""
    for number in numbers:
        (raw,) = fields(raw)[number]
    return raw


def named(raw: bytes, number: int) -> dict[str, bytes]:
    """The entries of a field that has names chosen by somebody."""
    entries = [fields(entry) for entry in fields(raw).get(number, [])]
    return {entry[1][0].decode(): entry[2][0] for entry in entries}


def extensions(raw: bytes, number: int) -> dict[str, Any]:
    return {name: json.loads(inside(value, 2)) for name, value in named(raw, number).items()}


def query_parameters(operation: bytes) -> set[str]:
    choices = [fields(inside(item, 1)) for item in fields(operation)[PARAMETERS]]
    return {inside(choice[2][0], 3, 4).decode() for choice in choices if 2 in choice}


def publication() -> Publication:
    namespaces = Resource("", "v1", "Namespace", "namespaces", False, builtin_schema("", "v1", "Namespace"), Strategy())
    things = Catalog([namespaces])
    things.define("bars.foo.example.com", resources_of(DEFINITION))
    return Publication(things)


def answered(accept: str) -> Response:
    answer = publication().answer("/openapi/v2", {}, accept)
    assert answer is not None
    return answer


def schema_fields(schema: dict[str, Any]) -> Message:
    document = encoded({"definitions": {"a": schema}})
    return fields(named(inside(document, DEFINITIONS), 1)["a"])


@pytest.mark.parametrize(
    ("path", "group", "kind"),
    [
        ("/api/v1/namespaces/{name}", "", "Namespace"),
        ("/apis/foo.example.com/v1/namespaces/{namespace}/bars/{name}", "foo.example.com", "Bar"),
    ],
)
def test_the_patch_of_each_kind_tells_that_the_server_checks_fields(path: str, group: str, kind: str) -> None:
    patch = inside(named(inside(answered(ASKED).body, PATHS), 2)[path], PATCH)
    of_kind = {"group": group, "version": "v1", "kind": kind}
    assert extensions(patch, OF_OPERATION)["x-kubernetes-group-version-kind"] == of_kind
    assert {"dryRun", "fieldValidation"} <= query_parameters(patch)


def test_it_says_the_same_as_the_form_in_json() -> None:
    form, document = answered(ASKED).body, json.loads(answered("application/json").body)
    assert inside(form, SWAGGER).decode() == document["swagger"]
    assert inside(form, INFO, 1).decode() == document["info"]["title"]
    assert list(named(inside(form, PATHS), 2)) == list(document["paths"])
    definitions = named(inside(form, DEFINITIONS), 1)
    assert list(definitions) == list(document["definitions"])
    name = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    properties = named(inside(definitions[name], 25), 1)
    assert list(properties) == list(document["definitions"][name]["properties"])
    assert inside(properties["name"], 22, 1) == b"string"
    assert inside(properties["creationTimestamp"], 1) == b"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time"
    assert inside(properties["labels"], 21, 1, 22, 1) == b"string"
    assert extensions(properties["finalizers"], 31)["x-kubernetes-patch-strategy"] == "merge"


def test_limits_of_a_schema_have_their_numbers() -> None:
    limits = {"maximum": 5, "minimum": -1.5, "maxLength": 300, "minItems": 0, "pattern": "a+", "uniqueItems": True}
    assert schema_fields(limits) == {7: [5.0], 9: [-1.5], 11: [300], 15: [0], 13: [b"a+"], 16: [1]}


def test_what_has_no_type_of_its_own_travels_as_yaml() -> None:
    found = schema_fields({"enum": ["a", 1], "example": ["x"], "x-here": {"b": [True]}})
    assert [json.loads(inside(value, 2)) for value in found[20]] == ["a", 1]
    assert [json.loads(inside(value, 2)) for value in found[30]] == [["x"]]
    assert [json.loads(inside(entry, 2, 2)) for entry in found[31]] == [{"b": [True]}]


def test_what_the_form_cannot_say_is_left_out() -> None:
    assert schema_fields({"unheard": 1, "description": None, "title": "t"}) == {3: [b"t"]}


@pytest.mark.parametrize("additional", [True, {"type": "string"}])
def test_more_properties_are_allowed_or_described(additional: Any) -> None:
    (choice,) = schema_fields({"additionalProperties": additional})[21]
    assert list(fields(choice)) == [2 if additional is True else 1]


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (ASKED, ANSWERED),
        (ANSWERED, ANSWERED),
        (f"{ASKED},application/json", ANSWERED),
        (f"application/json;q=0.5, {ANSWERED}", ANSWERED),
        (f"{ANSWERED};q=0.5,application/json", "application/json"),
        ("text/html, */*", "application/json"),
        ("application/*", "application/json"),
        ("", "application/json"),
    ],
)
def test_clients_get_the_form_that_they_like_best(accept: str, content_type: str) -> None:
    assert answered(accept).content_type.decode() == content_type


@pytest.mark.parametrize("accept", ["text/plain", "application/vnd.kubernetes.protobuf, text/html"])
def test_other_forms_are_refused(accept: str) -> None:
    with pytest.raises(ApiFailure) as refusal:
        answered(accept)
    assert refusal.value.code == 406


def test_a_new_kind_is_in_the_next_answer() -> None:
    things = Catalog([])
    published = Publication(things)
    before = published.answer("/openapi/v2", {}, ASKED)
    things.define("bars.foo.example.com", resources_of(DEFINITION))
    after = published.answer("/openapi/v2", {}, ASKED)
    assert before is not None
    assert after is not None
    assert b"com.example.foo.v1.Bar" not in before.body
    assert b"com.example.foo.v1.Bar" in after.body

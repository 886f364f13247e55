"""OpenAPI as clients read it: complete references, the markers that kubectl needs, made only on demand."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from corral.engine.apiserver.catalog import Catalog
from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.openapi import Publication
from corral.engine.apiserver.resources.resource import Resource, Strategy
from corral.engine.apiserver.schema.builtin import builtin_schema

PROPERTIES = {
    "spec": {
        "type": "object",
        "properties": {
            "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "maybe": {"type": "string", "nullable": True, "default": "x"},
            "inner": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "properties": {"a": {"type": "string"}},
            },
        },
    }
}
DEFINITION = {
    "spec": {
        "group": "foo.example.com",
        "scope": "Namespaced",
        "names": {"plural": "bars", "kind": "Bar", "listKind": "BarList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".a", "statusReplicasPath": ".b"}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": PROPERTIES}},
            }
        ],
    }
}


def catalog() -> Catalog:
    def builtin(kind: str, plural: str, group: str = "", subresources: tuple[str, ...] = ("status",)) -> Resource:
        schema = builtin_schema(group, "v1", kind)
        return Resource(group, "v1", kind, plural, True, schema, Strategy(), subresources=subresources)

    pods = builtin("Pod", "pods", subresources=("status", "binding", "eviction", "log"))
    return Catalog([pods, builtin("Deployment", "deployments", "apps", ("status", "scale"))])


def fetched(publication: Publication, path: str) -> Any:
    answer = publication.answer(path, {}, "application/json")
    assert answer is not None
    return json.loads(answer.body)


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def served() -> Publication:
    things = catalog()
    things.define("bars.foo.example.com", resources_of(DEFINITION))
    return Publication(things)


def test_the_index_names_every_group_and_version_with_a_hash() -> None:
    paths = fetched(served(), "/openapi/v3")["paths"]
    assert list(paths) == ["api/v1", "apis/apps/v1", "apis/foo.example.com/v1"]
    assert all(
        key in entry["serverRelativeURL"] and "hash=" in entry["serverRelativeURL"] for key, entry in paths.items()
    )


def test_the_hash_follows_the_definition() -> None:
    things = catalog()
    publication = Publication(things)
    before = fetched(publication, "/openapi/v3")["paths"]
    things.define("bars.foo.example.com", resources_of(DEFINITION))
    after = fetched(publication, "/openapi/v3")["paths"]
    assert before["api/v1"] == after["api/v1"]
    changed = json.loads(json.dumps(DEFINITION).replace('"maybe"', '"other"'))
    things.define("bars.foo.example.com", resources_of(changed))
    later = fetched(publication, "/openapi/v3")["paths"]
    assert later["apis/foo.example.com/v1"] != after["apis/foo.example.com/v1"]


@pytest.mark.parametrize(
    "path", ["/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/foo.example.com/v1"]
)
def test_every_reference_is_in_the_document(path: str) -> None:
    document = fetched(served(), path)
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) <= known


def test_every_reference_of_version_2_is_in_the_document() -> None:
    document = fetched(served(), "/openapi/v2")
    assert set(references(document)) <= {f"#/definitions/{name}" for name in document["definitions"]}
    container = document["definitions"]["io.k8s.api.core.v1.Container"]["properties"]
    assert container["env"]["x-kubernetes-patch-merge-key"] == "name"
    assert container["resources"] == {"$ref": "#/definitions/io.k8s.api.core.v1.ResourceRequirements"}


def test_patch_tells_its_kind_and_that_it_knows_field_validation() -> None:
    document = fetched(served(), "/openapi/v3/apis/foo.example.com/v1")
    patch = document["paths"]["/apis/foo.example.com/v1/namespaces/{namespace}/bars/{name}"]["patch"]
    assert patch["x-kubernetes-group-version-kind"] == {"group": "foo.example.com", "version": "v1", "kind": "Bar"}
    assert {"dryRun", "fieldValidation", "fieldManager", "force"} == {p["name"] for p in patch["parameters"]}
    assert "application/strategic-merge-patch+json" not in patch["requestBody"]["content"]
    assert patch["operationId"] == "patchFooExampleComV1NamespacedBar"


def test_a_custom_resource_is_published_with_type_and_metadata() -> None:
    bar = fetched(served(), "/openapi/v3/apis/foo.example.com/v1")["components"]["schemas"]["com.example.foo.v1.Bar"]
    reference = {"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]}
    assert bar["properties"]["metadata"] == reference
    assert bar["properties"]["spec"]["properties"]["inner"]["properties"]["metadata"] == reference
    assert bar["x-kubernetes-group-version-kind"] == [{"group": "foo.example.com", "version": "v1", "kind": "Bar"}]
    assert "metadata" not in DEFINITION["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]  # type: ignore[index]


def test_version_2_leaves_out_what_it_cannot_say() -> None:
    bar = fetched(served(), "/openapi/v2")["definitions"]["com.example.foo.v1.Bar"]
    spec = bar["properties"]["spec"]["properties"]
    assert (spec["port"], spec["maybe"]) == ({"x-kubernetes-int-or-string": True}, {})


def test_version_3_has_no_protobuf() -> None:
    with pytest.raises(ApiFailure) as refusal:
        served().answer("/openapi/v3/api/v1", {}, "application/com.github.proto-openapi.spec.v3.v1.0+protobuf")
    assert refusal.value.code == 406


def test_an_unknown_group_has_no_document() -> None:
    assert served().answer("/openapi/v3/apis/none/v1", {}, "") is None

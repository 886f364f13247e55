"""The definitions in OpenAPI documents: generated ones for built-in kinds, the user's own for custom resources."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from corral.engine.apiserver.resources.resource import Resource
from corral.engine.apiserver.schema.builtin import DEFINITIONS, META, kind_definitions, raw_definition
from corral.engine.apiserver.schema.structural import source_of

_VALIDATION_ONLY: Final = ("default", "nullable", "allOf", "anyOf", "oneOf", "not", "x-kubernetes-validations")

Document = dict[str, Any]


def name_of(resource: Resource) -> str:
    """Returns the name of a resource's definition: of Kubernetes' own, or the reversed group, version and kind."""
    if resource.structural:
        return ".".join([*reversed(resource.group.split(".")), resource.version, resource.kind])
    return kind_definitions()[f"{resource.api_version}/{resource.kind}"]


def list_name_of(resource: Resource) -> str:
    """Returns the name of the definition of the resource's lists."""
    return name_of(resource).removesuffix(resource.kind) + resource.list_kind


def definitions_of(resources: Iterable[Resource], others: Iterable[str]) -> dict[str, Document]:
    """Returns the definitions of resources and of other names, with everything that they refer to, in version 3."""
    found: dict[str, Document] = {}
    pending = list(others)
    for resource in resources:
        if resource.structural:
            found[name_of(resource)] = _custom(resource)
            found[list_name_of(resource)] = _custom_list(resource)
        else:
            pending.extend((name_of(resource), list_name_of(resource)))
    for definition in list(found.values()):
        pending.extend(_references(definition))
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = raw_definition(name)
            pending.extend(_references(found[name]))
    return dict(sorted(found.items()))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(DEFINITIONS)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _reference(name: str) -> Document:
    return {"$ref": DEFINITIONS + name}


def _type_meta(metadata: str) -> Document:
    return {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"allOf": [_reference(META + metadata)]},
    }


def _custom(resource: Resource) -> Document:
    """A custom resource as its definition writes it, with type and metadata added, there and in embedded resources."""
    schema: Document = _with_embedded(source_of(resource.schema))
    schema["properties"] = {**schema.get("properties", {}), **_type_meta("ObjectMeta")}
    schema["x-kubernetes-group-version-kind"] = [_kind(resource, resource.kind)]
    return schema


def _custom_list(resource: Resource) -> Document:
    items = {"type": "array", "items": _reference(name_of(resource))}
    return {
        "description": f"{resource.list_kind} is a list of {resource.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {**_type_meta("ListMeta"), "items": items},
        "x-kubernetes-group-version-kind": [_kind(resource, resource.list_kind)],
    }


def _kind(resource: Resource, kind: str) -> Document:
    return {"group": resource.group, "version": resource.version, "kind": kind}


def _with_embedded(schema: Any) -> Any:
    """Returns a copy of a schema in which embedded resources have type and metadata."""
    if not isinstance(schema, dict):
        return schema
    copy = dict(schema)
    if "properties" in copy:
        copy["properties"] = {key: _with_embedded(child) for key, child in copy["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in copy:
            copy[key] = _with_embedded(copy[key])
    if copy.get("x-kubernetes-embedded-resource"):
        copy["properties"] = {**copy.get("properties", {}), **_type_meta("ObjectMeta")}
        copy["required"] = sorted({*copy.get("required", ()), "apiVersion", "kind"}, reverse=True)
    return copy


def in_version_2(schema: Any) -> Any:
    """Returns a definition as version 2 writes it: it knows fewer keywords, and no reference beside others."""
    if isinstance(schema, list):
        return [in_version_2(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref") or next((s["$ref"] for s in schema.get("allOf", ()) if "$ref" in s), None)
    if reference:
        kept = {key: value for key, value in schema.items() if key.startswith("x-kubernetes-patch-")}
        return {"$ref": reference.replace(DEFINITIONS, "#/definitions/"), **kept}
    if schema.get("oneOf") == [{"type": "string"}, {"type": "number"}]:
        return {"type": "string"}
    if schema.get("format") == "int-or-string":
        return {"type": "string", "format": "int-or-string"}
    return _narrowed(schema)


def _narrowed(schema: Document) -> Document:
    narrowed = {key: value for key, value in schema.items() if key not in _VALIDATION_ONLY}
    if "properties" in narrowed:
        narrowed["properties"] = {key: in_version_2(child) for key, child in narrowed["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in narrowed:
            narrowed[key] = in_version_2(narrowed[key])
    if schema.get("nullable"):
        for key in ("type", "items", "properties"):
            narrowed.pop(key, None)
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        for key in ("type", "items", "properties", "required"):
            narrowed.pop(key, None)
    return narrowed

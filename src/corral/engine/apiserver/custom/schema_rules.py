"""What a schema of a custom resource may contain: the keywords that are forbidden, and the markers that must agree."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from corral.engine.apiserver.custom.change_rules import is_known
from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META: Final = frozenset({"metadata", "kind", "apiVersion"})
_NOT_SUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
NO_RULES: Final = "validation rules in CEL are not supported by this release"
"""But see `change_rules`."""

Source = dict[str, Any]


class _Place(NamedTuple):
    """What is special about where a schema stands: inside metadata, why defaults may not be set, and behind what."""

    in_metadata: bool = False
    no_defaults: str = ""
    is_field: bool = True
    """Whether fields alone lead here from the root, not items, values of a map or alternatives."""


def rule_findings(schema: Source, path: str) -> list[FieldError]:
    """Returns every forbidden or contradictory keyword of a schema, its root included."""
    return list(_findings(schema, path, _Place(), is_root=True))


def _findings(schema: Source, path: str, place: _Place, is_root: bool = False) -> Iterator[FieldError]:
    yield from _keyword_findings(schema, path, place)
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield forbidden(f"{path}.uniqueItems", text)
    yield from _object_findings(schema, path, place, is_root)
    yield from _alternative_findings(schema, path, place)
    items = schema.get("items")
    for inner, where in _items_of(items, path):
        yield from _findings(inner, where, place._replace(is_field=False))
    yield from _marker_findings(schema, path)
    yield from _list_findings(schema, path)
    rules = schema.get("x-kubernetes-validations")
    if rules and not (place.is_field and is_known(rules)):
        yield forbidden(f"{path}.x-kubernetes-validations", NO_RULES)


def _keyword_findings(schema: Source, path: str, place: _Place) -> Iterator[FieldError]:
    kind = schema.get("type", "")
    if kind and kind not in TYPES:
        yield not_supported(f"{path}.type", kind, TYPES)
    if schema.get("default") is not None and place.no_defaults:
        yield forbidden(f"{path}.default", f"must not be set {place.no_defaults}")
    for keyword in _NOT_SUPPORTED:
        if schema.get(keyword):
            yield forbidden(f"{path}.{keyword}", f"{keyword} is not supported")
    if kind == "null":
        yield forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema.get("items"), list) and schema["items"]:
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
    if place.in_metadata and schema.get("x-kubernetes-embedded-resource"):
        yield forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta")


def _object_findings(schema: Source, path: str, place: _Place, is_root: bool) -> Iterator[FieldError]:
    properties = schema.get("properties", {})
    additional = schema.get("additionalProperties")
    if additional is not None:
        if properties and additional is not True:
            text = "additionalProperties and properties are mutual exclusive"
            yield forbidden(f"{path}.additionalProperties", text)
        if isinstance(additional, dict):
            reason = "inside additionalProperties applying to object metadata"
            inner = place._replace(no_defaults=reason) if place.in_metadata else place
            yield from _findings(additional, f"{path}.additionalProperties", inner._replace(is_field=False))
    is_resource = is_root or schema.get("x-kubernetes-embedded-resource")
    for key, child in properties.items():
        inner = place
        if is_resource and key in _META:
            inner = _Place(True, f"in top-level {key}" if is_root else place.no_defaults, is_field=False)
        yield from _findings(child, f"{path}.properties[{key}]", inner)


def _alternative_findings(schema: Source, path: str, place: _Place) -> Iterator[FieldError]:
    place = place._replace(is_field=False)
    if schema.get("not"):
        yield from _findings(schema["not"], f"{path}.not", place)
    for junctor in ("allOf", "oneOf", "anyOf"):
        for index, option in enumerate(schema.get(junctor) or ()):
            yield from _findings(option, f"{path}.{junctor}[{index}]", place)
    for key, definition in (schema.get("definitions") or {}).items():
        yield from _findings(definition, f"{path}.definitions[{key}]", place)


def _items_of(items: Any, path: str) -> Iterator[tuple[Source, str]]:
    if isinstance(items, dict):
        yield items, f"{path}.items"
    elif isinstance(items, list):
        for index, item in enumerate(items):
            yield item, f"{path}.items[{index}]"


def _marker_findings(schema: Source, path: str) -> Iterator[FieldError]:
    kind = schema.get("type", "")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
    for marker, wanted, allowed in (
        ("x-kubernetes-map-type", "object", ("atomic", "granular")),
        ("x-kubernetes-list-type", "array", ("atomic", "set", "map")),
    ):
        value = schema.get(marker)
        if value is None:
            continue
        if kind != wanted:
            text = f"must be {wanted} if {marker} is specified"
            yield invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
        elif value == "set":
            yield from _set_findings(schema, path)
        if value not in allowed:
            yield not_supported(f"{path}.{marker}", value, allowed)


def _set_findings(schema: Source, path: str) -> Iterator[FieldError]:
    """The elements of a set are compared whole, so they must be written whole."""
    items = schema.get("items")
    if not isinstance(items, dict):
        return
    text = "must be atomic as item of a list with x-kubernetes-list-type=set"
    if items.get("type") == "array" and items.get("x-kubernetes-list-type", "atomic") != "atomic":
        yield invalid(f"{path}.items.x-kubernetes-list-type", items["x-kubernetes-list-type"], text)
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        yield invalid(f"{path}.items.x-kubernetes-map-type", items.get("x-kubernetes-list-type"), text)


def _list_findings(schema: Source, path: str) -> Iterator[FieldError]:
    list_type, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or []
    if keys and list_type != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        where = f"{path}.x-kubernetes-list-type"
        yield required(where, text) if list_type is None else invalid(where, list_type, text)
    items = schema.get("items")
    if list_type == "map":
        yield from _map_findings(items, keys, path)
    if list_type in ("map", "set") and isinstance(items, dict):
        if items.get("nullable"):
            yield forbidden(f"{path}.items.nullable", f"cannot be nullable when x-kubernetes-list-type is {list_type}")
        if list_type == "map":
            yield from _key_findings(items, keys, path)


def _map_findings(items: Any, keys: list[str], path: str) -> Iterator[FieldError]:
    if not keys:
        yield required(f"{path}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
    if items is None:
        yield required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
    elif not isinstance(items, dict):
        yield invalid(f"{path}.items", items, "must only have a single schema if x-kubernetes-list-type is map")
    elif items.get("type") != "object":
        text = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(f"{path}.items.type", items.get("type", ""), text)
    else:
        seen: set[str] = set()
        for key in keys:
            child = items.get("properties", {}).get(key)
            where = f"{path}.x-kubernetes-list-map-keys"
            if child is None:
                yield invalid(where, keys, "entries must all be names of item properties")
            elif child.get("type") in ("array", "object"):
                text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
                yield invalid(f"{path}.items.properties[{key}].type", items["type"], text)
            if key in seen:
                yield invalid(where, keys, "must not contain duplicate entries")
            seen.add(key)


def _key_findings(items: Source, keys: list[str], path: str) -> Iterator[FieldError]:
    """A key that may be missing would make two items equal."""
    for key in keys:
        child = items.get("properties", {}).get(key)
        if child is None:
            continue
        where = f"{path}.items.properties[{key}]"
        if key not in items.get("required", ()) and child.get("default") is None:
            text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            yield required(f"{where}.default", text)
        if child.get("nullable"):
            text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            yield forbidden(f"{where}.nullable", text)

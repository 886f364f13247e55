"""Brings a custom resource into the shape of its schema, as decoding does for built-in kinds.

Unknown fields are removed and reported, nulls that mean "absent" go away, and metadata (at the root and in embedded
resources) is checked against the built-in ObjectMeta. Runs on every object that comes in, before defaulting.
"""

from typing import Any, NamedTuple

from corral.engine.apiserver.field_errors import shown
from corral.engine.apiserver.schema.builtin import object_meta
from corral.engine.apiserver.schema.decoding import Checked, check
from corral.engine.apiserver.schema.node import UNSET, Schema
from corral.engine.apiserver.schema.settled import META_FIELDS, is_clean


def check_custom(schema: Schema, obj: dict[str, Any]) -> Checked:
    """Checks metadata, prunes, and drops nulls, all in place; the outcome reads like that of a built-in kind."""
    unknown: list[str] = []
    metadata = obj.get("metadata")
    if metadata is not None:
        if not isinstance(metadata, dict):
            return Checked(obj, [], f"json: cannot unmarshal {_word(metadata)} into Go value of type v1.ObjectMeta")
        checked = check(object_meta(), metadata)
        if checked.error:
            return Checked(obj, [], checked.error)
        unknown.extend(f"metadata.{path}" for path in checked.unknown)
    if is_clean(schema, obj):
        return Checked(obj, unknown, "")
    unknown.extend(prune(schema, obj))
    drop_nulls(schema, obj)
    error = _check_embedded(schema, obj, "", unknown)
    return Checked(obj, unknown, error)


def prune(schema: Schema, obj: dict[str, Any]) -> list[str]:
    """Removes fields that the schema does not know, in place; returns their paths, sorted."""
    unknown: list[str] = []
    _prune(schema, obj, "", unknown, is_resource=True)
    return sorted(unknown)


def prune_value(schema: Schema, value: Any) -> list[str]:
    """Removes unknown fields below a value that is no resource itself, such as a default."""
    unknown: list[str] = []
    _prune(schema, value, "", unknown, is_resource=schema.embedded_resource)
    return sorted(unknown)


def _prune(schema: Schema | None, value: Any, path: str, unknown: list[str], is_resource: bool) -> None:
    keeps = schema is not None and schema.preserve_unknown
    if value.__class__ is dict:
        _prune_object(schema, value, path, unknown, _Mode(is_resource, keeps))
    elif value.__class__ is list:
        items = schema.items if schema is not None else None
        if keeps and items is None:
            return
        resources = items is not None and items.embedded_resource
        for index, item in enumerate(value):
            where = f"{path}[{index}]"
            if keeps and item.__class__ is dict:  # what is not pruned here is not pruned in its items either
                _prune_object(items, item, where, unknown, _Mode(resources, keeps=True))
            else:
                _prune(items, item, where, unknown, resources)


class _Mode(NamedTuple):
    """Whether an object is a resource, whose type and metadata are known, and whether unknown fields stay."""

    is_resource: bool
    keeps: bool


def _prune_object(schema: Schema | None, value: dict[str, Any], path: str, unknown: list[str], mode: _Mode) -> None:
    for key in list(value):
        if mode.is_resource and key in META_FIELDS:
            continue
        where = f"{path}.{key}" if path else key
        child = child_of(schema, key)
        if child is not None:
            _prune(child, value[key], where, unknown, child.embedded_resource)
        elif not mode.keeps:
            unknown.append(where)
            del value[key]


def drop_nulls(schema: Schema | None, value: Any) -> None:
    """Removes fields that are null although their schema neither allows it nor has a default to put there."""
    if value.__class__ is dict:
        for key in list(value):
            child = child_of(schema, key)
            if value[key] is None:
                if child is not None and not child.nullable and child.default is UNSET:
                    del value[key]
            else:
                drop_nulls(child, value[key])
    elif value.__class__ is list:
        for item in value:
            drop_nulls(schema.items if schema is not None else None, item)


def child_of(schema: Schema | None, key: str) -> Schema | None:
    """Returns the node of one field of an object: the named one, else that of all other values."""
    if schema is None:
        return None
    return schema.properties.get(key) or schema.additional


def _check_embedded(schema: Schema | None, value: Any, path: str, unknown: list[str]) -> str:
    """Checks the metadata of embedded resources; returns the first error."""
    if schema is None:
        return ""
    if value.__class__ is dict:
        if schema.embedded_resource:
            error = _check_type_and_metadata(value, path, unknown)
            if error:
                return error
        for key, item in value.items():
            error = _check_embedded(child_of(schema, key), item, f"{path}.{key}" if path else key, unknown)
            if error:
                return error
    elif value.__class__ is list:
        for index, item in enumerate(value):
            error = _check_embedded(schema.items, item, f"{path}[{index}]", unknown)
            if error:
                return error
    return ""


def _check_type_and_metadata(value: dict[str, Any], path: str, unknown: list[str]) -> str:
    for key in ("apiVersion", "kind"):
        if key in value and not isinstance(value[key], str):
            return f"{path}.{key}: Invalid value: {shown(value[key])}: must be a string"
    metadata = value.get("metadata")
    if metadata is None:
        return ""
    before = shown(metadata)
    if not isinstance(metadata, dict):
        fault = f"json: cannot unmarshal {_word(metadata)} into Go value of type v1.ObjectMeta"
        return f"{path}.metadata: Invalid value: {before}: {fault}"
    checked = check(object_meta(), metadata)
    unknown.extend(f"{path}.metadata.{field}" for field in checked.unknown)
    return f"{path}.metadata: Invalid value: {before}: {checked.error}" if checked.error else ""


def _word(value: Any) -> str:
    return {str: "string", bool: "bool", list: "array"}.get(value.__class__, "number")

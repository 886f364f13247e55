"""Whether a configuration can be applied at all: its kind, its types, its list keys.

The real server reads an applied configuration by the schema alone, before Go's types see it, and reports the first
thing that does not fit as an error that it does not classify: a 500 without a reason. The texts are Go's.
"""

from typing import Any

from corral.engine.apiserver.apply.field_set import json_text, step_text
from corral.engine.apiserver.apply.list_items import ANY, UnkeyedItemError, is_atomic_list, item_step
from corral.engine.apiserver.apply.tracking import MAX_MANAGER_LENGTH, FieldTracking
from corral.engine.apiserver.failures import ApiFailure, bad_request
from corral.engine.apiserver.field_errors import FieldError, quoted, required, too_long
from corral.engine.apiserver.patch.go_values import printed, type_name
from corral.engine.apiserver.schema.node import Schema


def manager_errors(manager: str, *, apply: bool) -> list[FieldError]:
    """Returns what is wrong with the `fieldManager` option; an apply must have one."""
    errors = [required("fieldManager", "is required for apply patch")] if apply and not manager else []
    if len(manager.encode()) > MAX_MANAGER_LENGTH:
        errors.append(too_long("fieldManager", MAX_MANAGER_LENGTH))
    at = 0
    for char in manager:
        if not char.isprintable():
            problem = f"invalid character U+{ord(char):04X} (at position {at})"
            errors.append(FieldError("Invalid value", "fieldManager", f"{quoted(manager)}: {problem}"))
        at += len(char.encode())
    return errors


def check_config(tracking: FieldTracking, config: dict[str, Any]) -> None:
    """Refuses a configuration of another kind, with managers of its own, or of another shape than the schema's."""
    version, kind = config.get("apiVersion") or "", config.get("kind") or ""
    if (version, kind) != (tracking.api_version, tracking.kind):
        shown = version if "/" in version else f"/{version}"
        raise bad_request(f"invalid object type: {shown}, Kind={kind}")
    metadata = config.get("metadata")
    named: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
    if named.get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    _check_shape(tracking, config, named, "patch")


def check_live(tracking: FieldTracking, live: dict[str, Any]) -> None:
    """Refuses to apply to an object with list items that cannot be told apart; plain writes may have stored them."""
    _check_shape(tracking, live, live["metadata"], "live")


def _check_shape(tracking: FieldTracking, obj: dict[str, Any], named: dict[str, Any], role: str) -> None:
    try:
        _check(obj, tracking.schema, "", False)
    except _MisfitError as misfit:
        version = tracking.api_version
        shown = version if "/" in version else f"/{version}"
        what = f"{named.get('namespace') or ''}/{named.get('name') or ''}; {shown}, Kind={tracking.kind}"
        raise ApiFailure(500, "", f"failed to create typed {role} object ({what}): {misfit}") from None


class _MisfitError(ValueError):
    """Says where a configuration does not fit the schema, and how."""


def _check(value: Any, schema: Schema, path: str, is_open: bool) -> None:
    """Checks one value; `is_open` says that unknown fields are kept here because they are kept somewhere above."""
    is_open = is_open or schema.preserve_unknown
    if value is None:
        return
    if isinstance(value, dict) and schema.type in ("object", ""):
        _check_map(value, schema, path, is_open)
    elif isinstance(value, list) and schema.type in ("array", ""):
        _check_list(value, schema, path, is_open)
    elif said := _scalar_misfit(value, schema):
        raise _MisfitError(f"{path}: {said}")


def _check_map(value: dict[str, Any], schema: Schema, path: str, is_open: bool) -> None:
    closed = bool(schema.properties) and schema.additional is None and not is_open
    for key in sorted(value):
        child = schema.properties.get(key)
        if child is None and closed:
            raise _MisfitError(f"{path}.{key}: field not declared in schema")
        _check(value[key], child or schema.additional or ANY, f"{path}.{key}", is_open)


def _check_list(items: list[Any], schema: Schema, path: str, is_open: bool) -> None:
    seen: set[str] = set()
    for index, item in enumerate(items):
        step = f"i:{index}"
        if not is_atomic_list(schema):
            try:
                step = item_step(item, schema)
            except UnkeyedItemError as problem:
                raise _MisfitError(f"{path}: element {index}: {problem}") from None
            if step in seen:
                raise _MisfitError(f"{path}: duplicate entries for key {step_text(step)}")
            seen.add(step)
        _check(item, schema.items or ANY, path + step_text(step), is_open)


def _scalar_misfit(value: Any, schema: Schema) -> str:
    scalar = not isinstance(value, dict | list)
    if schema.type == "object":
        return f"expected map, got &{{{printed(value)}}}"
    if schema.type == "array":
        return f"expected list, got &{{{printed(value)}}}"
    if schema.int_or_string or schema.type == "" or (schema.type == "string" and schema.format not in ("", "byte")):
        return "" if scalar else f"expected any scalar, got &{{{printed(value)}}}"
    if schema.type == "string":
        return "" if isinstance(value, str) else f"expected string, got &value.valueUnstructured{{Value:{_go(value)}}}"
    if schema.type == "boolean":
        return "" if isinstance(value, bool) else f"expected boolean, got &{{{printed(value)}}}"
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if numeric else f"expected numeric (int or float), got {type_name(value)}"


def _go(value: Any) -> str:
    """Returns a value in Go's own syntax, as far as messages show it."""
    match value:
        case dict():
            inner = ", ".join(f"{json_text(key)}:{_go(value[key])}" for key in sorted(value))
            return f"map[string]interface {{}}{{{inner}}}"
        case list():
            return f"[]interface {{}}{{{', '.join(map(_go, value))}}}"
        case str():
            return json_text(value)
    return "interface {}(nil)" if value is None else printed(value)

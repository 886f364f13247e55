"""Validates the parts of a version besides its schema: printer columns, subresources, selectable fields."""

from collections.abc import Iterator
from typing import Any, Final

from corral.engine.apiserver.field_errors import FieldError, duplicate, invalid, required

COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
SELECTABLE_LIMIT: Final = 8


def column_findings(columns: list[dict[str, Any]] | None, path: str) -> Iterator[FieldError]:
    """Yields what is wrong with printer columns."""
    for index, column in enumerate(columns or ()):
        where = f"{path}[{index}]"
        if not column.get("name"):
            yield required(f"{where}.name")
        kinds = f"must be one of {','.join(COLUMN_TYPES)}"
        kind, form = column.get("type", ""), column.get("format", "")
        if not kind:
            yield required(f"{where}.type", kinds)
        elif kind not in COLUMN_TYPES:
            yield invalid(f"{where}.type", kind, kinds)
        if form and form not in COLUMN_FORMATS:
            yield invalid(f"{where}.format", form, f"must be one of {','.join(COLUMN_FORMATS)}")
        if not column.get("jsonPath"):
            yield required(f"{where}.JSONPath")
        else:
            yield from _path_findings(column["jsonPath"], f"{where}.JSONPath")


def _path_findings(text: str, path: str) -> Iterator[FieldError]:
    if not text.startswith("."):
        yield invalid(path, text, "must be a simple json path starting with .")


def subresource_findings(subresources: dict[str, Any] | None, path: str) -> Iterator[FieldError]:
    """Yields what is wrong with the paths of the scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    for key, prefix, name in (
        ("specReplicasPath", (".spec.",), "under .spec"),
        ("statusReplicasPath", (".status.",), "under .status"),
        ("labelSelectorPath", (".spec.", ".status."), "under either .spec or .status"),
    ):
        text, where = scale.get(key, ""), f"{path}.scale.{key}"
        if not text:
            if key != "labelSelectorPath":
                yield required(where)
        elif faults := list(_path_findings(text, where)):
            yield from faults
        elif not text.startswith(prefix):
            yield invalid(where, text, f"should be a json path {name}")


def selectable_findings(
    fields: list[dict[str, Any]] | None, schema: dict[str, Any] | None, path: str
) -> Iterator[FieldError]:
    """Yields what is wrong with fields that selectors shall know: each must be a scalar that the schema has."""
    seen: set[str] = set()
    for index, field in enumerate(fields or ()):
        text, where = field.get("jsonPath", ""), f"{path}[{index}].jsonPath"
        if not text:
            yield required(where)
            continue
        found, fault = _found(text, schema or {})
        if fault:
            yield invalid(where, text, f"is an invalid path: {fault}")
            continue
        if text.startswith(".metadata"):
            yield invalid(where, text, "must not point to fields in metadata")
        if found.get("type") not in ("string", "boolean", "integer"):
            rule = "must point to a field of type string, boolean or integer."
            yield invalid(where, text, f"{rule} Enum string fields and strings with formats are allowed.")
        if text in seen:
            yield duplicate(where, text)
        seen.add(text)
    if len(seen) > SELECTABLE_LIMIT:
        yield FieldError("Too many", path, f"{len(seen)}: must have at most {SELECTABLE_LIMIT} items")


def _found(text: str, schema: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Returns the schema that a path leads to, or what is wrong with the path."""
    if not text.startswith("."):
        return {}, f"expected [ or . but got: {text.partition('.')[0]}"
    for part in text[1:].split("."):
        if "[" in part:
            return {}, "array notation is not allowed"
        if not part:
            return {}, "unexpected end of JSON path"
        properties = schema.get("properties")
        inner = properties.get(part) if properties else schema.get("additionalProperties")
        if not isinstance(inner, dict):
            return {}, "does not refer to a valid field"
        schema = inner
    return schema, ""

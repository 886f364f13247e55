"""How custom resources look in a Table: the name, and the columns that their definition asks for."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from corral.engine.apiserver.resources.resource import Column, Object, Printer
from corral.engine.apiserver.resources.tables.ages import age, instant
from corral.engine.apiserver.schema.value_rules import go_number
from corral.kinds.json_path import JsonPath, JsonPathError, parse_path

NAME_COLUMN: Final = Column(
    "Name",
    "string",
    "name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
)
_AGE: Final = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": "CreationTimestamp is a timestamp representing the server time when this object was created. It is "
    "not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It "
    "is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
}
_MISSING: Final = object()


def printer_of(columns: Sequence[dict[str, Any]] | None) -> Printer:
    """Returns the printer for a version's additionalPrinterColumns; without any, the age is shown."""
    wanted = list(columns or [_AGE])
    try:
        paths = [parse_path(column["jsonPath"]) for column in wanted]
    except JsonPathError:
        wanted, paths = [], []  # the real server then shows names only
    headers = tuple(_header(column) for column in wanted)
    kinds = [column["type"] for column in wanted]

    def cells(obj: Object, now: float) -> list[Any]:
        shown = [_cell(obj, path, kind, now) for path, kind in zip(paths, kinds, strict=True)]
        return [obj["metadata"].get("name", ""), *shown]

    return Printer((NAME_COLUMN, *headers), cells)


def _header(column: dict[str, Any]) -> Column:
    path = column["jsonPath"]
    description = column.get("description") or f"Custom resource definition column (in JSONPath format): {path}"
    return Column(column["name"], column["type"], column.get("format", ""), description, column.get("priority", 0))


def _cell(obj: Object, path: JsonPath, kind: str, now: float) -> Any:
    value = path.first(obj, _MISSING)
    if value is _MISSING:
        return None
    if kind == "string":
        return _text(value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return int(value) if number else None
    if kind == "number":
        return value if number else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, str):
        return "<unknown>" if not value else age(value, now) if instant(value) is not None else "<invalid>"
    return None


def _text(value: Any) -> str:
    if value is None:
        return "<no value>"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return msgspec.json.encode(value, order="sorted").decode()
    return go_number(value)

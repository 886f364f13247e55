"""Checks that lists declared as sets or maps have each element, or each key, only once."""

from collections.abc import Iterator
from typing import Any

import msgspec

from corral.engine.apiserver.field_errors import FieldError, duplicate, invalid
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.pruning import child_of


def duplicates(schema: Schema | None, value: Any, path: str = "") -> Iterator[FieldError]:
    """Yields a finding for each second appearance, in the whole object."""
    if schema is None:
        return
    if value.__class__ is dict:
        for key, item in value.items():
            if item.__class__ is dict or item.__class__ is list:
                named = key in schema.properties
                where = (f"{path}.{key}" if path else key) if named else f"{path}[{key}]"
                yield from duplicates(child_of(schema, key), item, where)
    elif value.__class__ is list:
        if schema.list_type == "set":
            yield from (duplicate(f"{path}[{index}]", item) for index, item in _repeated(value))
        elif schema.list_type == "map":
            yield from _repeated_keys(schema, value, path)
        for index, item in enumerate(value):
            yield from duplicates(schema.items, item, f"{path}[{index}]")


def _repeated_keys(schema: Schema, value: list[Any], path: str) -> Iterator[FieldError]:
    for index, item in enumerate(value):
        if item is not None and item.__class__ is not dict:
            yield invalid(f"{path}[{index}]", item, "must be an object for an array of list-type map")
            return
    keys = [{key: item[key] for key in schema.list_keys if key in item} if item else {} for item in value]
    yield from (duplicate(f"{path}[{index}]", key) for index, key in _repeated(keys))


def _repeated(items: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yields each element that stands a second time, once."""
    seen: dict[bytes, int] = {}
    for index, item in enumerate(items):
        text = msgspec.json.encode(item, order="deterministic")
        seen[text] = seen.get(text, 0) + 1
        if seen[text] == 2:
            yield index, item

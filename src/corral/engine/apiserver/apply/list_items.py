"""Items of lists that are merged item by item: which step of a field set leads to an item."""

from typing import Any

from corral.engine.apiserver.apply.field_set import json_text, key_step
from corral.engine.apiserver.schema.node import UNSET, Schema

ANY = Schema()


class UnkeyedItemError(ValueError):
    """An item of a keyed list or a set cannot be told from others."""


def child_schema(schema: Schema, key: str) -> Schema:
    """Returns the shape of one field of an object; a field that the schema does not know may hold anything."""
    return schema.properties.get(key) or schema.additional or ANY


def is_atomic_list(schema: Schema) -> bool:
    """Tells whether a list is owned and replaced as a whole."""
    return schema.list_type == "atomic"


def item_step(item: Any, schema: Schema) -> str:
    """Returns the step to an item of a list of this shape; keys that the item leaves out take their defaults."""
    if schema.list_type == "set":
        return _set_step(item)
    if not isinstance(item, dict):
        what = "a null element" if item is None else "non-map elements"
        raise UnkeyedItemError(f"associative list with keys may not have {what}")
    names = schema.list_keys
    if len(names) == 1 and type(value := item.get(names[0])) is str:
        return f'k:{{"{names[0]}":{json_text(value)}}}'
    keys = {name: value for name in sorted(names) if (value := _key_value(item, name, schema)) is not UNSET}
    if not keys:
        listed = " ".join(json_text(name) for name in names)
        said = f"omits all key fields [{listed}] (and doesn't have default values for any key fields)"
        raise UnkeyedItemError(f"associative list with keys has an element that {said}")
    return key_step(keys)


def _key_value(item: dict[str, Any], name: str, schema: Schema) -> Any:
    if name in item:
        return item[name]
    default = child_schema(schema.items or ANY, name).default
    return UNSET if default is None else default


def _set_step(item: Any) -> str:
    if isinstance(item, dict):
        raise UnkeyedItemError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise UnkeyedItemError("not supported: associative list with lists as elements")
    if item is None:
        raise UnkeyedItemError("associative list without keys has an element that's an explicit null")
    return f"v:{json_text(item)}"


def indexed(items: list[Any], schema: Schema) -> dict[str, list[Any]]:
    """Returns the items by step; a step with more than one item stands for duplicates, which are owned as one."""
    result: dict[str, list[Any]] = {}
    for item in items:
        result.setdefault(item_step(item, schema), []).append(item)
    return result

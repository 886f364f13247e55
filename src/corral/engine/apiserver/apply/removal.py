"""Removing fields that a manager has given up.

A field goes when its manager applied it last time, does not apply it now, and nobody else owns it. What was never
owned (defaults, for example) stays as long as the item or struct around it stays.
"""

from typing import Any

from corral.engine.apiserver.apply.comparison import claimed
from corral.engine.apiserver.apply.field_set import (
    Fields,
    difference,
    intersection,
    is_member,
    union,
    with_self,
)
from corral.engine.apiserver.apply.list_items import ANY, child_schema, is_atomic_list, item_step
from corral.engine.apiserver.schema.node import Schema


def pruned(merged: dict[str, Any], before: Fields, owned: Fields, schema: Schema, *, nulls: bool) -> dict[str, Any]:
    """Returns the merged object without what the manager's set held `before` and `owned`, everybody's, does not hold.

    A map or list that somebody else owns and that loses its last item becomes null with `nulls` (so it is for custom
    resources, and their validation refuses it), and is left out otherwise.
    """
    if not difference(before, owned):
        return merged
    last = named(before, schema)
    everything = named(claimed(merged, schema), schema)
    bare = removed(merged, last, schema)
    kept = union(named(claimed(bare, schema), schema), named(owned, schema))
    rest = removed(merged, difference(everything, kept), schema)
    gone = difference(everything, named(claimed(rest, schema), schema))
    return removed(merged, intersection(gone, last), schema, nulls=nulls)


def named(fields: Fields, schema: Schema) -> Fields:
    """Returns the set with every struct field that leads to a member as a member too."""
    result: Fields = {}
    for key, node in fields.items():
        if not node:
            result[key] = node
            continue
        kind, name = key[:2], key[2:]
        shape = child_schema(schema, name) if kind == "f:" else (schema.items or ANY)
        child = named(node, shape)
        result[key] = with_self(child) if kind == "f:" and name in schema.properties else child
    return result


def removed(value: dict[str, Any], fields: Fields, schema: Schema, *, nulls: bool = True) -> dict[str, Any]:
    """Returns the object without the given fields."""
    return _without_fields(value, fields, schema, nulls) or {} if fields else value


def _without_fields(value: Any, fields: Fields, schema: Schema, nulls: bool) -> Any:
    if isinstance(value, dict) and value and schema.map_type != "atomic":
        return _map_without(value, fields, schema, nulls)
    if isinstance(value, list) and value and not is_atomic_list(schema):
        return _list_without(value, fields, schema, nulls)
    return None if isinstance(value, dict | list) else value


def _map_without(value: dict[str, Any], fields: Fields, schema: Schema, nulls: bool) -> dict[str, Any] | None:
    result: dict[str, Any] = {}
    for key, item in value.items():
        node = fields.get(f"f:{key}")
        if node is None:
            result[key] = item
        elif not is_member(node):
            left = _without_fields(item, node, child_schema(schema, key), nulls)
            if nulls or left is not None:
                result[key] = left
    return result or None


def _list_without(items: list[Any], fields: Fields, schema: Schema, nulls: bool) -> list[Any] | None:
    result: list[Any] = []
    for item in items:
        node = fields.get(item_step(item, schema))
        if node is None:
            result.append(item)
        elif not is_member(node):
            result.append(_without_fields(item, node, schema.items or ANY, nulls))
    return result or None

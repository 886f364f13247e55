"""What a write changed, and which fields an object or a configuration holds.

Both walk a value by its schema. Go's type of a built-in object always shows its struct fields, so a struct that is
not sent counts as present and empty (`whole`); a custom resource has only what was sent.
"""

from typing import Any, Final, NamedTuple

from corral.engine.apiserver.apply.field_set import LEAF, SELF, Fields, in_order, with_self
from corral.engine.apiserver.apply.list_items import ANY, child_schema, indexed, is_atomic_list, item_step
from corral.engine.apiserver.schema.node import UNSET, Schema

_ABSENT: Final[Any] = object()


class Change(NamedTuple):
    """The fields that a write added or gave another value, and those that it removed."""

    touched: Fields
    removed: Fields


def compare(old: dict[str, Any], new: dict[str, Any], schema: Schema, *, whole: bool) -> Change:
    """Returns what is different in `new`."""
    change = Change({}, {})
    _compare_maps(old, new, schema, change, whole)
    return change


def _compare_maps(old: dict[str, Any], new: dict[str, Any], schema: Schema, change: Change, whole: bool) -> None:
    for key in sorted(new):
        value, before = new[key], old.get(key, _ABSENT)
        if before is value:
            continue
        child = child_schema(schema, key)
        if before is _ABSENT and whole:
            before = _unsent(schema, key, child, value)
        if before is _ABSENT:
            change.touched[f"f:{key}"] = fields_added(value, child)
        elif before != value:
            _compare_values(f"f:{key}", before, value, child, change, whole)
    for key in sorted(old.keys() - new.keys()):
        child = child_schema(schema, key)
        value = _unsent(schema, key, child, old[key]) if whole else _ABSENT
        if value is _ABSENT:
            change.removed[f"f:{key}"] = fields_added(old[key], child)
        elif old[key] != value:
            _compare_values(f"f:{key}", old[key], value, child, change, whole)


def _unsent(schema: Schema, key: str, child: Schema, value: Any) -> Any:
    """Returns what Go's type shows for a field that was not sent: an empty struct, a zero, or nothing.

    `value` is what stands there on the other side: null there is how some times show that they were not sent.
    """
    if child.default == {} and child.default is not UNSET:
        return {}
    if key in schema.go.kept:
        return None if child.default is UNSET else child.default
    return None if value is None else _ABSENT


def _compare_values(step: str, old: Any, new: Any, schema: Schema, change: Change, whole: bool) -> None:
    inner = Change({}, {})
    if isinstance(old or new, dict) and isinstance(new or old, dict) and schema.map_type != "atomic":
        if old or new:
            _compare_maps(old or {}, new or {}, schema, inner, whole)
        else:
            change.touched[step] = LEAF
    elif isinstance(old or new, list) and isinstance(new or old, list) and not is_atomic_list(schema) and (old or new):
        _compare_lists(old or [], new or [], schema, inner, whole)
    else:
        change.touched[step] = LEAF
        gone = fields_added(old, schema) if isinstance(old, dict | list) else LEAF
        inner.removed.update((key, node) for key, node in gone.items() if key != SELF)
    if inner.touched:
        change.touched[step] = inner.touched
    if inner.removed:
        change.removed[step] = inner.removed


def _compare_lists(old: list[Any], new: list[Any], schema: Schema, change: Change, whole: bool) -> None:
    before, after = indexed(old, schema), indexed(new, schema)
    items = schema.items or ANY
    for step in in_order([*before, *(step for step in after if step not in before)]):
        was, now = before.get(step, []), after.get(step, [])
        if len(was) == 1 and len(now) == 1:
            if was[0] != now[0]:
                _compare_values(step, was[0], now[0], items, change, whole)
            continue
        if len(was) > 1 and len(now) > 1:
            if was != now:
                change.touched[step] = LEAF
            continue
        if now:
            change.touched[step] = LEAF if len(now) > 1 else fields_added(now[0], items)
        if was:
            change.removed[step] = LEAF if len(was) > 1 else fields_added(was[0], items)


def fields_added(value: Any, schema: Schema) -> Fields:
    """Returns the node of a value that is new as a whole: it, and everything below it."""
    if type(value) is dict:
        if not value or schema.map_type == "atomic":
            return LEAF
        node: Fields = {SELF: {}}
        properties, additional = schema.properties, schema.additional or ANY
        for key in sorted(value):
            item = value[key]
            # Most fields are plain values: spare them the call.
            if type(item) is dict or type(item) is list:
                node["f:" + key] = fields_added(item, properties.get(key) or additional)
            else:
                node["f:" + key] = {}
        return node
    if type(value) is list and value and not is_atomic_list(schema):
        return _items_added(value, schema)
    return LEAF


def _items_added(items: list[Any], schema: Schema) -> Fields:
    shape = schema.items or ANY
    found: Fields = {}
    for item in items:
        step = item_step(item, schema)
        found[step] = LEAF if step in found else fields_added(item, shape)
    return {SELF: {}, **{step: found[step] for step in in_order(list(found))}}


def fields_of(value: Any, schema: Schema) -> Fields | None:
    """Returns the node of fields that a configuration claims, or None when it claims nothing.

    Fields of a struct count only through what they hold; entries of a map and items of a list count themselves.
    """
    if isinstance(value, dict) and schema.map_type != "atomic":
        return _fields_of_map(value, schema)
    if isinstance(value, list) and not is_atomic_list(schema):
        return _fields_of_list(value, schema)
    return LEAF


def claimed(config: dict[str, Any], schema: Schema) -> Fields:
    """Returns the set of fields that a whole object or configuration claims."""
    return _fields_of_map(config, schema) or {}


def _fields_of_map(value: dict[str, Any], schema: Schema) -> Fields | None:
    node: Fields = {}
    for key in sorted(value):
        item = value[key]
        found = fields_of(item, child_schema(schema, key))
        if item is None or item == {} or key not in schema.properties:
            found = with_self(found or LEAF)
        if found is not None:
            node[f"f:{key}"] = found
    return node or None


def _fields_of_list(items: list[Any], schema: Schema) -> Fields | None:
    shape = schema.items or ANY
    node: Fields = {}
    for item in items:
        step = item_step(item, schema)
        node[step] = LEAF if step in node else with_self(fields_of(item, shape) or LEAF)
    return {step: node[step] for step in in_order(list(node))} or None

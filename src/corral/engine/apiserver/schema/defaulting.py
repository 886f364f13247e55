"""Sets the defaults of a custom resource's schema.

A default fills a field that is absent, or that is null where null is not allowed; it is never looked for inside a
value that somebody gave, except in the fields of objects and the items of lists that are there.
"""

from typing import Any

from corral.engine.apiserver.schema.node import UNSET, Schema


def apply_defaults(schema: Schema, obj: Any) -> None:
    """Sets defaults in place, at every depth; running it again changes nothing."""
    if obj.__class__ is dict:
        _default_object(schema, obj)
    elif obj.__class__ is list and schema.items is not None:
        for index, item in enumerate(obj):
            if item is None and not schema.items.nullable:
                obj[index] = copied(_default_or_null(schema.items))
            apply_defaults(schema.items, obj[index])


def _default_object(schema: Schema, obj: dict[str, Any]) -> None:
    properties = schema.properties
    for key, child in properties.items():
        if child.default is not UNSET and (key not in obj or (obj[key] is None and not child.nullable)):
            obj[key] = copied(child.default)
    additional = schema.additional
    for key, item in obj.items():
        node = properties.get(key) or additional
        if node is None:
            continue
        if item is None and not node.nullable and key not in properties:
            obj[key] = copied(_default_or_null(node))
        apply_defaults(node, obj[key])


def _default_or_null(schema: Schema) -> Any:
    return None if schema.default is UNSET else schema.default


def copied(value: Any) -> Any:
    """Returns a copy of a JSON value that shares nothing with it."""
    if value.__class__ is dict:
        return {key: copied(item) for key, item in value.items()}
    if value.__class__ is list:
        return [copied(item) for item in value]
    return value

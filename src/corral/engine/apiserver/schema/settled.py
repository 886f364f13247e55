"""Whether a custom resource is already as its schema would make it: nothing to prune, to default, no null to drop.

Stored objects nearly always are, since they were made so when they came in; only a changed schema unsettles them.
Knowing it saves each read a copy and three walks. The answer errs on the side of no.
"""

from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.schema.node import UNSET, Schema
from corral.engine.apiserver.schema.pruning import META_FIELDS

_Test = Callable[[Any], bool]


def is_settled(schema: Schema, obj: dict[str, Any]) -> bool:
    """Tells whether pruning, dropping nulls and defaulting would all leave a resource as it is."""
    return _test_of(schema, is_root=True)(obj)


def _test_of(schema: Schema, is_root: bool = False) -> _Test:
    if schema.accepts is None:
        schema.accepts = _compiled(schema, is_root or schema.embedded_resource)
    return schema.accepts


def _compiled(schema: Schema, is_resource: bool) -> _Test:
    fields: dict[str, _Test] = {}
    defaulted: list[str] = []
    nullable: set[str] = set()
    ready = False

    def prepare() -> None:
        nonlocal ready
        for key, child in schema.properties.items():
            fields[key] = _test_of(child)
            if child.default is not UNSET:
                defaulted.append(key)
            if child.nullable:
                nullable.add(key)
        ready = True

    def settled(value: Any) -> bool:
        if value.__class__ is list:
            return _settled_list(schema, value)
        if not ready:
            prepare()
        for key in defaulted:
            if key not in value:
                return False
        for key, item in value.items():
            if is_resource and key in META_FIELDS:
                continue
            test = fields.get(key)
            if test is None:
                if schema.additional is None:
                    if schema.preserve_unknown:
                        continue
                    return False
                test = _test_of(schema.additional)
            if item.__class__ is dict or item.__class__ is list:
                if not test(item):
                    return False
            elif item is None and key not in nullable:
                return False
        return True

    return settled


def _settled_list(schema: Schema, value: list[Any]) -> bool:
    if schema.items is None:
        return schema.preserve_unknown or not any(item.__class__ in (dict, list) for item in value)
    if schema.preserve_unknown or None in value:
        return False
    test = _test_of(schema.items)
    return all(test(item) for item in value if item.__class__ is dict or item.__class__ is list)

"""Quick tests whether a custom resource is already as its schema would make it.

Clean: nothing to prune, no null to drop, no embedded metadata to look at. Settled: clean, and nothing to default.
Objects that come in are nearly always clean, and stored ones settled; only a changed schema unsettles them. Knowing it
spares each write three walks and each read a copy. The answers err on the side of no.
"""

from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.schema.node import UNSET, Schema

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})

_Test = Callable[[Any], bool]


def is_clean(schema: Schema, obj: dict[str, Any]) -> bool:
    """Tells whether pruning and dropping nulls would leave a resource as it is."""
    return _clean(schema, is_root=True)(obj)


def is_settled(schema: Schema, obj: dict[str, Any]) -> bool:
    """Tells whether pruning, dropping nulls and defaulting would all leave a resource as it is."""
    return _settled(schema, is_root=True)(obj)


def _clean(schema: Schema, is_root: bool = False) -> _Test:
    if schema.accepts is None:
        schema.accepts = _compiled(schema, is_root, _clean, with_defaults=False)
    return schema.accepts


def _settled(schema: Schema, is_root: bool = False) -> _Test:
    if schema.settled is None:
        schema.settled = _compiled(schema, is_root, _settled, with_defaults=True)
    return schema.settled


def _compiled(schema: Schema, is_root: bool, test_of: Callable[[Schema], _Test], with_defaults: bool) -> _Test:
    if schema.embedded_resource and not is_root:
        return _never
    fields: dict[str, _Test] = {}
    defaulted: list[str] = []
    nullable: set[str] = set()
    ready = False

    def prepare() -> None:
        nonlocal ready
        for key, child in schema.properties.items():
            fields[key] = test_of(child)
            if with_defaults and child.default is not UNSET:
                defaulted.append(key)
            if child.nullable:
                nullable.add(key)
        ready = True

    def passes(value: Any) -> bool:
        if value.__class__ is list:
            return _passes_list(schema, value, test_of)
        if not ready:
            prepare()
        for key in defaulted:
            if key not in value:
                return False
        for key, item in value.items():
            test = fields.get(key)
            if is_root and key in META_FIELDS:
                continue
            if test is None:
                if schema.additional is None:
                    if schema.preserve_unknown:
                        continue
                    return False
                test = test_of(schema.additional)
            if item.__class__ is dict or item.__class__ is list:
                if not test(item):
                    return False
            elif item is None and key not in nullable:
                return False
        return True

    return passes


def _passes_list(schema: Schema, value: list[Any], test_of: Callable[[Schema], _Test]) -> bool:
    if schema.items is None:
        return schema.preserve_unknown or not any(item.__class__ in (dict, list) for item in value)
    if schema.preserve_unknown or None in value:
        return False
    test = test_of(schema.items)
    return all(test(item) for item in value if item.__class__ is dict or item.__class__ is list)


def _never(value: Any) -> bool:
    return False

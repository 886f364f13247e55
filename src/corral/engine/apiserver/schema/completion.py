"""Adds what Go writes although nobody sent it: plain structs, and fields that are never left out.

A Deployment without `status` comes back with `status: {}`, a container without name with `name: ""`, a Role without
rules, or with an empty list of them, with `rules: null`. Run once, after defaulting and validation, on an object about to be stored.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from corral.engine.apiserver.schema import go_values
from corral.engine.apiserver.schema.node import Schema

_Completer = Callable[[Any], None]


def complete(schema: Schema, obj: dict[str, Any]) -> None:
    """Adds to a built-in object, in place, every field that kube-apiserver always shows."""
    _completer(schema)(obj)


@cache
def _completer(schema: Schema) -> _Completer:
    """Returns the compiled step of one node; nodes are compared by identity, as cycles demand."""
    absent: dict[str, Callable[[], Any]] = {}
    inside: dict[str, _Completer] = {}
    emptied = schema.go.kept - {key for key, child in schema.properties.items() if child.properties}
    ready = False

    def run(value: Any) -> None:
        nonlocal ready
        if not ready:
            absent.update(_absent_fields(schema))
            inside.update(_inner(schema))
            ready = True
        for key, make in absent.items():
            if key not in value:
                value[key] = make()
        for key, item in value.items():
            if item:
                step = inside.get(key)
                if step is not None:
                    step(item)
            elif key in emptied and item.__class__ in (list, dict):
                value[key] = None
            elif item.__class__ is dict and key in inside:
                inside[key](item)  # an empty struct has fields that are never left out, too

    return run


def _absent_fields(schema: Schema) -> dict[str, Callable[[], Any]]:
    """Returns a maker for each field that is shown even when absent."""
    makers: dict[str, Callable[[], Any]] = {}
    for key, child in schema.properties.items():
        if key in schema.go.pointers:
            continue
        if child.properties and child.default == {}:
            makers[key] = _struct_maker(child)
        elif key in schema.go.kept or child.format in ("date-time", "micro-time"):
            zero = go_values.zero_of(child)
            makers[key] = lambda zero=zero: zero  # type: ignore[misc]
    return makers


def _struct_maker(child: Schema) -> Callable[[], Any]:
    def make() -> dict[str, Any]:
        value: dict[str, Any] = {}
        _completer(child)(value)
        return value

    return make


def _inner(schema: Schema) -> dict[str, _Completer]:
    """Returns the step for each field that holds structs, alone, in a list or in a map."""
    steps: dict[str, _Completer] = {}
    for key, child in schema.properties.items():
        if child.properties:
            steps[key] = _completer(child)
        elif child.items is not None and child.items.properties and not child.preserve_unknown:
            steps[key] = _over_list(_completer(child.items))
        elif child.additional is not None and child.additional.properties:
            steps[key] = _over_map(_completer(child.additional))
    return steps


def _over_list(step: _Completer) -> _Completer:
    def run(value: Any) -> None:
        for item in value:
            step(item)

    return run


def _over_map(step: _Completer) -> _Completer:
    def run(value: Any) -> None:
        for item in value.values():
            step(item)

    return run

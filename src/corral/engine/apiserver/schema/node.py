"""The schema node: one compiled form for built-in kinds and for custom resources.

Everything that needs to know the shape of an object walks these nodes: type checks and unknown fields, pruning,
defaulting, validation, strategic merge (patch strategy, merge key) and server-side apply (list type, list keys).
Nodes may be cyclic (a JSON schema inside a CRD refers to itself), so they are compared by identity and never printed
whole. Built once, then treated as frozen.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""Stands for "no default given"; `None` is a real default."""


class GoFacts(msgspec.Struct, frozen=True):
    """What Go's type of a built-in object shows on the wire and OpenAPI does not tell.

    A field in `pointers` keeps a zero value that was sent; every other one loses it, unless it is in `kept`: then it
    is written even when it was not sent. `named` gives the Go type for messages where the schema does not.
    """

    pointers: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    named: Mapping[str, str] = msgspec.field(default_factory=dict)


NO_FACTS: Final = GoFacts()


class Schema:
    """The shape of one value.

    `type` is one of object, array, string, integer, number, boolean, or "" for any JSON value. `format` is OpenAPI's
    (date-time, int32, int64, byte, quantity, ...). An object has `properties`, or `additional` for the values of a
    map, or both empty with `preserve_unknown`. `rules` holds the value validations of a custom resource (enum,
    pattern, bounds, required, allOf, ...) as plain JSON schema keys; built-ins have none.
    """

    __slots__ = (
        "accepts",
        "additional",
        "default",
        "embedded_resource",
        "format",
        "go",
        "int_or_string",
        "items",
        "list_keys",
        "list_type",
        "map_type",
        "nullable",
        "patch_merge_key",
        "patch_strategies",
        "preserve_unknown",
        "properties",
        "ref",
        "required",
        "rules",
        "settled",
        "type",
        "valid",
    )

    def __init__(self, type: str = "") -> None:  # noqa: A002 - the schema keyword
        self.type = type
        self.format = ""
        self.ref = ""  # name of the OpenAPI definition this came from, "" when inline
        self.properties: dict[str, Schema] = {}
        self.required: tuple[str, ...] = ()
        self.items: Schema | None = None
        self.additional: Schema | None = None
        self.preserve_unknown = False
        self.int_or_string = False
        self.embedded_resource = False
        self.nullable = False
        self.default: Any = UNSET
        self.list_type = "atomic"  # atomic, set or map, as server-side apply sees a list without markers
        self.list_keys: tuple[str, ...] = ()
        self.map_type = "granular"  # granular or atomic
        self.patch_strategies: frozenset[str] = frozenset()  # of merge, replace, retainKeys
        self.patch_merge_key = ""
        self.rules: dict[str, Any] = {}
        self.go = NO_FACTS
        # Tests of a value, kept here once compiled: nothing to clean, nothing to default either, no rule broken.
        self.accepts: Callable[[Any], bool] | None = None
        self.settled: Callable[[Any], bool] | None = None
        self.valid: Callable[[Any], bool] | None = None

    def copied(self) -> "Schema":
        """Returns a second node of the same shape, for a place that adds a marker or a default of its own."""
        twin = Schema()
        for slot in Schema.__slots__:
            setattr(twin, slot, getattr(self, slot))
        return twin

    def __repr__(self) -> str:
        return f"Schema({self.ref or self.type or 'any'})"

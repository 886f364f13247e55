"""Compiles the `openAPIV3Schema` of a custom resource into nodes.

A definition of a training job has thousands of nodes, and a server with a dozen of them must start in half a second,
so children are compiled when first looked at: a slot that was never set is missing, and `__getattr__` fills it.
"""

from typing import Any, Final

from corral.engine.apiserver.schema.node import NO_FACTS, UNSET, Schema

RULES: Final = frozenset(
    {
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "uniqueItems",
    }
)
"""The keywords that limit a value without giving it structure."""

_LAZY: Final = frozenset({"properties", "items", "additional", "rules"})


def compile_schema(source: dict[str, Any]) -> Schema:
    """Returns the compiled form of a schema that has passed the validation of its definition."""
    return _Structural(source)


def source_of(schema: Schema) -> dict[str, Any]:
    """Returns the schema from which a node was compiled, as its definition has it; nobody may change it."""
    assert isinstance(schema, _Structural)
    return schema._source


class _Structural(Schema):
    """A node that compiles its children from the source when they are first asked for."""

    __slots__ = ("_source",)

    def __init__(self, source: dict[str, Any]) -> None:
        self._source = source
        self.type = source.get("type", "")
        self.format = source.get("format", "")
        self.ref = ""
        self.required = tuple(source.get("required", ()))
        self.preserve_unknown = bool(source.get("x-kubernetes-preserve-unknown-fields"))
        self.int_or_string = bool(source.get("x-kubernetes-int-or-string"))
        self.embedded_resource = bool(source.get("x-kubernetes-embedded-resource"))
        self.nullable = bool(source.get("nullable"))
        default = source.get("default")
        self.default = UNSET if default is None else default
        self.list_type = source.get("x-kubernetes-list-type", "atomic")
        self.list_keys = tuple(source.get("x-kubernetes-list-map-keys", ()))
        self.map_type = source.get("x-kubernetes-map-type", "granular")
        self.patch_strategies = frozenset()
        self.patch_merge_key = ""
        self.go = NO_FACTS
        self.accepts = self.settled = self.valid = None

    def __getattr__(self, name: str) -> Any:
        if name not in _LAZY:
            raise AttributeError(name)
        value = getattr(self, f"_make_{name}")()
        setattr(self, name, value)
        return value

    def _make_properties(self) -> dict[str, Schema]:
        return {key: _Structural(child) for key, child in self._source.get("properties", {}).items()}

    def _make_items(self) -> Schema | None:
        items = self._source.get("items")
        return _Structural(items) if isinstance(items, dict) else None

    def _make_additional(self) -> Schema | None:
        """`true` allows anything, so it becomes a node without type; `false` is a rule, see below."""
        additional = self._source.get("additionalProperties")
        if isinstance(additional, dict):
            return _Structural(additional)
        return None if additional is None else _anything()

    def _make_rules(self) -> dict[str, Any]:
        source = self._source
        rules = {key: source[key] for key in RULES & source.keys()}
        for junctor in ("allOf", "anyOf", "oneOf"):
            if source.get(junctor):
                rules[junctor] = [_Structural(option) for option in source[junctor]]
        if source.get("not"):
            rules["not"] = _Structural(source["not"])
        if source.get("additionalProperties") is False:
            rules["closed"] = True
        return rules


def _anything() -> Schema:
    node = _Structural({})
    node.nullable = True
    return node

"""The shapes of built-in kinds, as a real server of release 1.34 publishes them.

`builtin.json` is written by tools/generate_builtin_schemas.py. Reading it costs a few milliseconds, once; a definition
is decoded and turned into nodes when somebody asks for a kind that reaches it, so start-up pays for none.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from corral.engine.apiserver.schema.node import NO_FACTS, GoFacts, Schema

DEFINITIONS: Final = "#/components/schemas/"
META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_EXTENSIONS: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
_FORMATS: Final = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    META + "Time": "date-time",
    META + "MicroTime": "micro-time",
}
_UNIONS: Final = {
    _EXTENSIONS + "JSONSchemaPropsOrBool": "schema-or-bool",
    _EXTENSIONS + "JSONSchemaPropsOrArray": "schema-or-array",
    _EXTENSIONS + "JSONSchemaPropsOrStringArray": "schema-or-strings",
}
_FREE: Final = frozenset(
    {"io.k8s.apimachinery.pkg.runtime.RawExtension", META + "FieldsV1", META + "Patch", _EXTENSIONS + "JSON"}
)


class _Facts(msgspec.Struct):
    pointers: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    named: dict[str, str] = {}


class _File(msgspec.Struct):
    kinds: dict[str, str]
    go: dict[str, _Facts]
    definitions: dict[str, msgspec.Raw]


class UnknownKindError(LookupError):
    """The generated file does not describe a kind: it must be added to the generator's list."""


def builtin_schema(group: str, version: str, kind: str) -> Schema:
    """Returns the shape of a built-in kind; the same node every time."""
    name = _file().kinds.get(f"{group}/{version}/{kind}" if group else f"{version}/{kind}")
    if name is None:
        raise UnknownKindError(f"no structure of {kind} in {group or 'core'}/{version}")
    return definition_schema(name)


@cache
def definition_schema(name: str) -> Schema:
    """Returns the shape of one OpenAPI definition, by its full name."""
    return _Builder().definition(name)


@cache
def object_meta() -> Schema:
    """Returns the shape of `metadata`, which custom resources share with built-in kinds."""
    return definition_schema(META + "ObjectMeta")


def kind_definitions() -> dict[str, str]:
    """Returns the definition name of each built-in kind, by `apiVersion/kind`."""
    return dict(_file().kinds)


@cache
def raw_definition(name: str) -> Any:
    """Returns one definition as it stands in OpenAPI v3; nobody may change it."""
    return msgspec.json.decode(_file().definitions[name])


@cache
def content_hash() -> str:
    """Returns a hash of everything that is known of built-in kinds; it changes with the release they come from."""
    return hashlib.sha256(_bytes()).hexdigest()


def _bytes() -> bytes:
    return Path(__file__).with_name("builtin.json").read_bytes()


@cache
def _file() -> _File:
    return msgspec.json.decode(_bytes(), type=_File)


class _Builder:
    """Turns definitions into nodes; a definition under construction stands already, so cycles close."""

    nodes: dict[str, Schema] = {}  # noqa: RUF012 - shared: kinds have most of their definitions in common

    def definition(self, name: str) -> Schema:
        node = self.nodes.get(name)
        if node is None:
            node = self.nodes[name] = Schema()
            node.ref = name
            self._fill(node, raw_definition(name))
        return node

    def _fill(self, node: Schema, source: dict[str, Any]) -> None:
        """Sets everything but children first: a place that refers back copies the node while it is being filled."""
        _set_markers(node, source)
        name = node.ref
        if name in _FORMATS:
            node.type, node.format = "string", _FORMATS[name]
        elif name.endswith(".IntOrString"):
            node.type, node.format, node.int_or_string = "", "int-or-string", True
        elif name in _FREE:
            node.preserve_unknown = True
        elif name in _UNIONS:
            node.format, node.preserve_unknown = _UNIONS[name], True
            node.items = self.definition(_EXTENSIONS + "JSONSchemaProps")
        facts = _file().go.get(name)
        node.go = GoFacts(facts.pointers, facts.kept, facts.named) if facts else NO_FACTS
        for key, child in source.get("properties", {}).items():
            node.properties[key] = self._child(child)

    def _child(self, source: dict[str, Any]) -> Schema:
        reference = source.get("$ref") or next((s["$ref"] for s in source.get("allOf", ()) if "$ref" in s), None)
        if reference is not None:
            node = self.definition(reference.removeprefix(DEFINITIONS))
            if source.keys() <= {"$ref", "allOf"}:
                return node
            node = node.copied()
            _set_markers(node, source)
            return node
        node = Schema()
        _set_markers(node, source)
        if "items" in source:
            node.items = self._child(source["items"])
        additional = source.get("additionalProperties")
        if isinstance(additional, dict):
            node.additional = self._child(additional)
        for key, child in source.get("properties", {}).items():
            node.properties[key] = self._child(child)
        return node


def _set_markers(node: Schema, source: dict[str, Any]) -> None:
    """Copies what stands at one place: a reference with its own markers overrides those of its definition."""
    node.type = source.get("type", node.type)
    node.format = source.get("format", node.format)
    node.required = tuple(source.get("required", node.required))
    node.default = source.get("default", node.default)
    node.list_type = source.get("x-kubernetes-list-type", node.list_type)
    node.list_keys = tuple(source.get("x-kubernetes-list-map-keys", node.list_keys))
    node.map_type = source.get("x-kubernetes-map-type", node.map_type)
    node.patch_merge_key = source.get("x-kubernetes-patch-merge-key", node.patch_merge_key)
    strategy = source.get("x-kubernetes-patch-strategy")
    if strategy:
        node.patch_strategies = frozenset(strategy.split(","))
    node.preserve_unknown = source.get("x-kubernetes-preserve-unknown-fields", node.preserve_unknown)
    node.embedded_resource = source.get("x-kubernetes-embedded-resource", node.embedded_resource)

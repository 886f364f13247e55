"""Checks objects inside custom resources that are resources themselves: they need a type, and proper metadata."""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, required
from corral.engine.apiserver.grammar.names import label1035_faults
from corral.engine.apiserver.resources.metadata_validation import validate_metadata
from corral.engine.apiserver.schema.node import Schema
from corral.engine.apiserver.schema.pruning import child_of


def embedded_findings(schema: Schema | None, value: Any, path: str = "") -> Iterator[FieldError]:
    """Yields what is wrong with the type and metadata of every embedded resource below a value."""
    if schema is None:
        return
    if value.__class__ is dict:
        if schema.embedded_resource:
            yield from _resource_findings(value, path)
        for key, item in value.items():
            named = key in schema.properties
            where = (f"{path}.{key}" if path else key) if named else f"{path}[{key}]"
            yield from embedded_findings(child_of(schema, key), item, where)
    elif value.__class__ is list:
        for index, item in enumerate(value):
            yield from embedded_findings(schema.items, item, f"{path}[{index}]")


def _resource_findings(value: dict[str, Any], path: str) -> Iterator[FieldError]:
    for key in ("apiVersion", "kind"):
        if key not in value:
            yield required(f"{path}.{key}")
    version, kind = value.get("apiVersion", "v1"), value.get("kind", "x")
    if not version:
        yield invalid(f"{path}.apiVersion", version, "must not be empty")
    elif version.count("/") > 1:
        yield invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    if not kind:
        yield invalid(f"{path}.kind", kind, "must not be empty")
    else:
        faults = label1035_faults(kind.lower())
        if faults:
            text = "may have mixed case, but should otherwise match: " + ",".join(faults)
            yield invalid(f"{path}.kind", kind, text)
    metadata = value.get("metadata")
    if metadata:
        named = {"metadata": {**metadata, "name": metadata.get("name") or "fakename"}}
        namespaced = bool(metadata.get("namespace"))
        yield from validate_metadata(named, namespaced=namespaced, name_rule="path", path=f"{path}.metadata")

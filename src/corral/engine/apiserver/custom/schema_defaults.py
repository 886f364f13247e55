"""Whether the defaults of a schema are themselves valid, and complete without pruning."""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.custom.embedded_resources import embedded_findings
from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.schema.defaulting import copied
from corral.engine.apiserver.schema.node import UNSET, Schema
from corral.engine.apiserver.schema.pruning import prune_value
from corral.engine.apiserver.schema.settled import META_FIELDS
from corral.engine.apiserver.schema.structural import compile_schema
from corral.engine.apiserver.schema.validation import violations


def default_findings(source: dict[str, Any], path: str) -> list[FieldError]:
    """Returns what is wrong with the defaults of a structural schema."""
    return list(_findings(compile_schema(source), path, is_resource=True))


def _findings(schema: Schema, path: str, is_resource: bool) -> Iterator[FieldError]:
    if schema.default is not UNSET:
        yield from _one_default(schema, f"{path}.default")
    if schema.items is not None:
        yield from _findings(schema.items, f"{path}.items", schema.items.embedded_resource)
    for key, child in schema.properties.items():
        if is_resource and key in META_FIELDS:
            continue  # defaults in there are refused, or judged with the object around them
        yield from _findings(child, f"{path}.properties[{key}]", child.embedded_resource)


def _one_default(schema: Schema, path: str) -> Iterator[FieldError]:
    default = copied(schema.default)
    if prune_value(schema, default):
        yield invalid(path, schema.default, "must not have unknown fields")
    problems = list(embedded_findings(schema, schema.default, path)) or violations(schema, schema.default, path=path)
    yield from problems

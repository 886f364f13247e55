"""The document of version 2 in protobuf: the only form in which kubectl and other Go clients ask for it.

kubectl asks before it applies a kind that version 3 does not name, or a `List`; refused, it can only tell users to turn
validation off. The numbers are those of the published OpenAPIv2.proto; what our documents never have is left out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from corral.engine.apiserver.openapi.protobuf_encoding import (
    Encoder,
    anything,
    field,
    inside,
    message,
    named,
    numbered,
)

MEDIA_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""How an answer in this form is labelled."""
MEDIA_TYPES: Final = frozenset({MEDIA_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"})
"""How clients ask for this form; the older name is no valid media type, but it is the one that client-go sends."""


def encoded(document: dict[str, Any]) -> bytes:
    """Returns a document of version 2 as a protobuf message."""
    return _document(document)


def _schema(value: Any) -> bytes:
    return _SCHEMA(value)  # schemas hold schemas, so that the table below can only name it by this function


def _additional(value: Any) -> bytes:
    return field(2, value) if isinstance(value, bool) else field(1, _schema(value))


def _parameter(value: Mapping[str, Any]) -> bytes:
    if value["in"] == "body":
        return field(1, field(1, _BODY(value)))
    number, encoder = _PLACES[value["in"]]
    return field(1, field(2, field(number, encoder(value))))


_RULES: Final[tuple[tuple[str, Encoder], ...]] = (
    ("maximum", float), ("exclusiveMaximum", bool), ("minimum", float), ("exclusiveMinimum", bool), ("maxLength", int),
    ("minLength", int), ("pattern", str.encode), ("maxItems", int), ("minItems", int), ("uniqueItems", bool),
)  # fmt: skip
"""What limits a value, in the order of the numbers, which schemas and parameters have in common."""


def _rules(first: int) -> dict[str, tuple[int, Encoder]]:
    return {name: (number, encoder) for number, (name, encoder) in enumerate(_RULES, first)}


def _outside_body(leading: str, typed: int) -> Callable[[Any], bytes]:
    """The encoder of a parameter in query, path or header; a query parameter has one field more before its type."""
    fields = {
        "required": (1, bool),
        **numbered(leading, str.encode, 2),
        **numbered("type format", str.encode, typed),
        **_rules(typed + 5),
        "enum": (typed + 15, anything),
    }
    return message(fields, typed + 17, ["enum"])


_DOCS: Final = message(numbered("description url", str.encode), 3)
_SCHEMA: Final = message(
    {
        **numbered("$ref format title description", str.encode),
        "default": (5, anything),
        "multipleOf": (6, float),
        **_rules(7),
        "maxProperties": (17, int),
        "minProperties": (18, int),
        "required": (19, str.encode),
        "enum": (20, anything),
        "additionalProperties": (21, _additional),
        "type": (22, inside(1, str.encode)),
        "items": (23, inside(1, _schema)),
        "allOf": (24, _schema),
        "properties": (25, named(_schema)),
        "externalDocs": (29, _DOCS),
        "example": (30, anything),
    },
    31,
    ["required", "enum", "allOf"],
)
_BODY: Final = message(
    {**numbered("description name in", str.encode), "required": (4, bool), "schema": (5, _schema)}, 6
)
_IN_PLACE: Final = _outside_body("in description name", 5)
_PLACES: Final = {
    "query": (3, _outside_body("in description name", 6)),
    "path": (4, _IN_PLACE),
    "header": (1, _IN_PLACE),
}
_RESPONSE: Final = message({"description": (1, str.encode), "schema": (2, inside(1, _schema))}, 5)
_SECURITY: Final = named(lambda scopes: b"".join(field(1, scope.encode()) for scope in scopes))
_OPERATION: Final = message(
    {
        "tags": (1, str.encode),
        "description": (3, str.encode),
        "operationId": (5, str.encode),
        **numbered("produces consumes", str.encode, 6),
        "parameters": (8, _parameter),
        "responses": (9, named(inside(1, _RESPONSE))),
        "schemes": (10, str.encode),
        "deprecated": (11, bool),
        "security": (12, _SECURITY),
    },
    13,
    ["tags", "produces", "consumes", "parameters", "schemes", "security"],
)
_PATH: Final = message(
    {**numbered("get put post delete options head patch", _OPERATION, 2), "parameters": (9, _parameter)},
    10,
    ["parameters"],
)
_KEY: Final = message(numbered("type name in description", str.encode), 5)
_document: Final = message(
    {
        "swagger": (1, str.encode),
        "info": (2, message(numbered("title version description", str.encode), 7)),
        "paths": (8, named(_PATH, 2)),
        "definitions": (9, named(_schema)),
        "security": (12, _SECURITY),
        "securityDefinitions": (13, named(inside(2, _KEY))),
    },
    16,
    ["security"],
)

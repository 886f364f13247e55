"""What the annotations of a type say to a server about its schema, beyond what Python types can say.

Each value goes into `Meta(extra_json_schema=...)`; `definitions/schemas.py` copies it into the schema of the field.
A type with the class variable `keeps_unknown` describes some fields of an object; others are kept as they come.
"""

from typing import Any, Final

Mark = dict[str, Any]

FINGERPRINT: Final = "corral.dev/definition"
"""The annotation by which a definition is known as ours, and by its value as this one."""

QUANTITY_PATTERN: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
INT_OR_STRING: Final[Mark] = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
QUANTITIES: Final[Mark] = {"additionalProperties": {**INT_OR_STRING, "pattern": QUANTITY_PATTERN}}
"""Amounts by resource name, as Kubernetes writes them: 2, 500m, 16Gi."""
ANYTHING: Final[Mark] = {"x-kubernetes-preserve-unknown-fields": True}
INT64: Final[Mark] = {"format": "int64"}
TIME: Final[Mark] = {"format": "date-time"}


def keyed(*keys: str) -> Mark:
    """Marks a list whose items are told apart by some of their fields, so that two appliers can each own items of it."""
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}


def one_of(*values: str) -> Mark:
    """Marks a text that must be one of a few."""
    return {"enum": list(values)}


def default(value: Any) -> Mark:
    """Marks a default that the server writes into objects, where everybody can read it."""
    return {"default": value}

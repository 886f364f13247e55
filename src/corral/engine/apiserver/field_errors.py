"""Field errors: what is wrong with one field, in the words that kube-apiserver uses.

Validation collects all of them; `failures.invalid` turns the list into one 422 Status. Messages are facts of the wire
protocol (clients match on them), so their texts follow the real server exactly.
"""

import json
from collections.abc import Iterable
from typing import Any

import msgspec

REASON_OF = {
    "Required value": "FieldValueRequired",
    "Invalid value": "FieldValueInvalid",
    "Duplicate value": "FieldValueDuplicate",
    "Forbidden": "FieldValueForbidden",
    "Not found": "FieldValueNotFound",
    "Unsupported value": "FieldValueNotSupported",
    "Too long": "FieldValueTooLong",
    "Too many": "FieldValueTooMany",
    "Internal error": "InternalError",
    "Type invalid": "FieldValueTypeInvalid",
}


class FieldError(msgspec.Struct, frozen=True):
    """One wrong field: `kind` is a key of REASON_OF, `path` like `spec.containers[0].name`, `text` what follows it."""

    kind: str
    path: str
    text: str = ""

    @property
    def reason(self) -> str:
        """Returns the machine word used in `details.causes[].reason`."""
        return REASON_OF[self.kind]

    @property
    def body(self) -> str:
        """Returns the message without the path, as used in `details.causes[].message`."""
        word = "Invalid value" if self.kind == "Type invalid" else self.kind  # only the machine word tells them apart
        return f"{word}: {self.text}" if self.text else word

    def __str__(self) -> str:
        return f"{self.path}: {self.body}"


def required(path: str, detail: str = "") -> FieldError:
    """Says that a field is missing or empty."""
    return FieldError("Required value", path, detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """Says that a value is malformed; the value is shown as kube-apiserver shows it."""
    return FieldError("Invalid value", path, f"{shown(value)}: {detail}" if detail else shown(value))


def type_invalid(path: str, value: Any, detail: str) -> FieldError:
    """Says that a value is of another type than the schema wants."""
    return FieldError("Type invalid", path, f"{shown(value)}: {detail}")


def duplicate(path: str, value: Any) -> FieldError:
    """Says that a value stands twice where it must be unique."""
    return FieldError("Duplicate value", path, shown(value))


def forbidden(path: str, detail: str) -> FieldError:
    """Says that a field may not be set or changed here."""
    return FieldError("Forbidden", path, detail)


def not_found(path: str, value: Any) -> FieldError:
    """Says that a reference points nowhere."""
    return FieldError("Not found", path, shown(value))


def not_supported(path: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Says that a value is none of the allowed ones; the caller gives them in the order to print."""
    allowed = ", ".join(json.dumps(s, ensure_ascii=False) for s in supported)
    return FieldError("Unsupported value", path, f"{shown(value)}: supported values: {allowed}")


def too_long(path: str, limit: int) -> FieldError:
    """Says that a text is longer than `limit` bytes."""
    return FieldError("Too long", path, f"may not be more than {limit} bytes")


def too_many(path: str, actual: int, limit: int) -> FieldError:
    """Says that a list has more items than allowed."""
    return FieldError("Too many", path, f"{actual}: must have at most {limit} items")


def quoted(text: str) -> str:
    """Returns a text as Go quotes it in some messages: what cannot be printed as a number, in the shortest form."""
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(named.get(c) or (c if c.isprintable() else _escaped(ord(c))) for c in text) + '"'


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shown(value: Any) -> str:
    """Returns a bad value in the form of Go's field errors: strings quoted, everything else as JSON."""
    if value is None:
        return "null"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

"""One wrong field, told in the words in which Kubernetes tells it.

Clients and people match on these texts, so they are the same whether a rule speaks through the embedded server, through
an admission policy on a cluster, or through an event of the operator.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

Fault = Literal["Required value", "Invalid value", "Duplicate value", "Forbidden", "Unsupported value", "Too many"]

_WITHOUT_VALUE = ("Required value", "Forbidden")
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_TRANSLATION = str.maketrans(_ESCAPES)


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with the field at `path`."""

    path: str
    """Such as `spec.containers[0].image`; keys of maps stand in brackets too."""
    kind: Fault
    detail: str = ""
    value: Any = None
    """Shown for the kinds of fault that are about a value."""

    def __str__(self) -> str:
        shown = () if self.kind in _WITHOUT_VALUE else (shown_value(self.value),)
        return ": ".join(part for part in (self.path, self.kind, *shown, self.detail) if part)


def required(path: str, detail: str = "") -> FieldError:
    """Says that a field is missing or empty."""
    return FieldError(path, "Required value", detail)


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """Says that a value cannot be what it is."""
    return FieldError(path, "Invalid value", detail, value)


def forbidden(path: str, detail: str) -> FieldError:
    """Says that a field may not be set, or not so."""
    return FieldError(path, "Forbidden", detail)


def duplicate(path: str, value: Any) -> FieldError:
    """Says that a value stands twice where it must be unique."""
    return FieldError(path, "Duplicate value", "", value)


def unsupported(path: str, value: Any, supported: Iterable[str]) -> FieldError:
    """Says that a value is none of the allowed ones, which are shown in the order given."""
    return FieldError(path, "Unsupported value", "supported values: " + ", ".join(map(quoted, supported)), value)


def too_many(path: str, count: int, most: int) -> FieldError:
    """Says that a list has more items than allowed."""
    return FieldError(path, "Too many", f"must have at most {most} items", count)


def summary(errors: Sequence[FieldError]) -> str:
    """Returns all errors as one line: a single one as it is, several in brackets, as Kubernetes joins them."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def quoted(text: str) -> str:
    """Returns a text in quotes; what would end the quotes or the line is escaped."""
    return f'"{text.translate(_TRANSLATION)}"'


def path_key(text: str) -> str:
    """Returns a key of a map as a path shows it in brackets: escaped like a quoted text, without the quotes."""
    return text.translate(_TRANSLATION)


def shown_value(value: Any) -> str:
    """Returns a bad value as messages show it: texts quoted, everything else as JSON."""
    return quoted(value) if isinstance(value, str) else msgspec.json.encode(value).decode()

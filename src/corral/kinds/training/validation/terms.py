"""The words in which rules are written: each can be worked out here, and be written in CEL for a cluster to work out.

A rule is data made of these terms, so the embedded server and an admission policy cannot say different things. Only what
rules need is here, and only what CEL offers since Kubernetes 1.30. A field that is absent or null has its default.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

Scope = Mapping[str, Any]
"""The values of names while a rule is worked out; `object`, `oldObject` and `namespaceObject` are always there."""


class Term(Protocol):
    """Something that has a value."""

    def value(self, scope: Scope) -> Any:
        """Returns the value."""

    def cel(self) -> str:
        """Returns the CEL expression that has the same value."""


class Literal(msgspec.Struct, frozen=True):
    """A constant."""

    given: Any

    def value(self, scope: Scope) -> Any:
        """Returns the constant."""
        return self.given

    def cel(self) -> str:
        """Returns the constant; JSON is CEL."""
        return json.dumps(self.given)


class Name(msgspec.Struct, frozen=True):
    """A value that the request or a surrounding loop gives."""

    name: str

    def value(self, scope: Scope) -> Any:
        """Returns what the name stands for."""
        return scope[self.name]

    def cel(self) -> str:
        """Returns the name."""
        return self.name


class Variable(msgspec.Struct, frozen=True):
    """A term with a name, worked out once per request on a cluster."""

    name: str
    term: Term

    def value(self, scope: Scope) -> Any:
        """Returns the value of the term."""
        return self.term.value(scope)

    def cel(self) -> str:
        """Returns the reference to the policy's variable."""
        return f"variables.{self.name}"


class Field(msgspec.Struct, frozen=True):
    """A field below an object, with a default."""

    of: Term
    path: tuple[str, ...]
    default: Any = ""

    def value(self, scope: Scope) -> Any:
        """Returns the field, or the default when anything on the way is not there."""
        found = self.of.value(scope)
        for part in self.path:
            found = found.get(part) if isinstance(found, dict) else None
        return self.default if found is None else found

    def cel(self) -> str:
        """Returns an optional selection; where the default is a zero value, null becomes it too."""
        selected, default = _selected(self.of, self.path), json.dumps(self.default)
        if self.default:
            return f"{selected}.orValue({default})"
        return f"optional.ofNonZeroValue({selected}.orValue(dyn(null))).orValue({default})"


class Given(msgspec.Struct, frozen=True):
    """Whether a field is there and not null."""

    of: Term
    path: tuple[str, ...]

    def value(self, scope: Scope) -> bool:
        """Returns whether the field has a value."""
        return Field(self.of, self.path, default=None).value(scope) is not None

    def cel(self) -> str:
        """Returns a comparison with null, which stands for absence too."""
        return f"{_selected(self.of, self.path)}.orValue(dyn(null)) != null"


def _selected(of: Term, path: tuple[str, ...]) -> str:
    """Returns an optional selection; `namespace` is a word of CEL itself, and some keys are no words at all."""
    plain = (part.isidentifier() and part != "namespace" for part in path)
    parts = (f".?{part}" if is_plain else f"[?{json.dumps(part)}]" for part, is_plain in zip(path, plain, strict=True))
    return of.cel() + "".join(parts)


class Compared(msgspec.Struct, frozen=True):
    """Two values and one of the signs ==, !=, <, >, <=, >=."""

    left: Term
    sign: str
    right: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether the comparison holds."""
        left, right = self.left.value(scope), self.right.value(scope)
        match self.sign:
            case "==":
                return bool(left == right)
            case "!=":
                return bool(left != right)
            case "<":
                return bool(left < right)
            case ">":
                return bool(left > right)
            case "<=":
                return bool(left <= right)
        return bool(left >= right)

    def cel(self) -> str:
        """Returns the comparison."""
        return f"{self.left.cel()} {self.sign} {self.right.cel()}"


class OneOf(msgspec.Struct, frozen=True):
    """Whether a value stands in a list."""

    item: Term
    allowed: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether it is one of them."""
        return self.item.value(scope) in self.allowed.value(scope)

    def cel(self) -> str:
        """Returns CEL's `in`."""
        return f"{self.item.cel()} in {self.allowed.cel()}"


class Size(msgspec.Struct, frozen=True):
    """The length of a text or a list."""

    of: Term

    def value(self, scope: Scope) -> int:
        """Returns the length."""
        return len(self.of.value(scope))

    def cel(self) -> str:
        """Returns CEL's `size`."""
        return f"size({self.of.cel()})"


class Not(msgspec.Struct, frozen=True):
    """The contrary."""

    term: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether the term does not hold."""
        return not self.term.value(scope)

    def cel(self) -> str:
        """Returns the negation."""
        return f"!({self.term.cel()})"


class Every(msgspec.Struct, frozen=True):
    """Whether all of several conditions hold; later ones are not looked at when one does not."""

    terms: tuple[Term, ...]

    def value(self, scope: Scope) -> bool:
        """Returns whether all hold."""
        return all(term.value(scope) for term in self.terms)

    def cel(self) -> str:
        """Returns the conjunction."""
        return " && ".join(f"({term.cel()})" for term in self.terms)


class Sum(msgspec.Struct, frozen=True):
    """Two numbers together."""

    left: Term
    right: Term

    def value(self, scope: Scope) -> int:
        """Returns the sum."""
        return int(self.left.value(scope) + self.right.value(scope))

    def cel(self) -> str:
        """Returns the sum."""
        return f"({self.left.cel()} + {self.right.cel()})"


def names_within(term: Any) -> Iterator[Variable]:
    """Yields every variable that a term leans on, inner ones first."""
    if isinstance(term, tuple):
        for part in term:
            yield from names_within(part)
    elif isinstance(term, msgspec.Struct):
        for field in term.__struct_fields__:
            yield from names_within(getattr(term, field))
        if isinstance(term, Variable):
            yield term

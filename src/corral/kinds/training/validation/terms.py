"""The words in which rules are written: each can be worked out here, and be written in CEL for a cluster to work out.

A rule is data made of these terms, so the embedded server and an admission policy cannot say different things. Only what
rules need is here, and only what CEL offers since Kubernetes 1.30. A field that is absent or null has its default.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from corral.kinds.training.validation.field_error import path_key, quoted

MOST_ITEMS = 64
"""How many items of a list have their index looked at; CEL of Kubernetes 1.30 cannot count further by itself."""

Scope = Mapping[str, Any]
"""The values of names while a rule is worked out; `object`, `oldObject` and `namespaceObject` are always there."""


class Term(Protocol):
    """Something that has a value."""

    def value(self, scope: Scope) -> Any:
        """Returns the value."""

    def cel(self) -> str:
        """Returns the CEL expression that has the same value."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant."""

    given: Any

    def value(self, scope: Scope) -> Any:
        """Returns the constant."""
        return self.given

    def cel(self) -> str:
        """Returns the constant; JSON is CEL."""
        return json.dumps(self.given)


@dataclass(frozen=True, slots=True)
class Name:
    """A value that the request or a surrounding loop gives."""

    name: str

    def value(self, scope: Scope) -> Any:
        """Returns what the name stands for."""
        return scope[self.name]

    def cel(self) -> str:
        """Returns the name."""
        return self.name


@dataclass(frozen=True, slots=True)
class Variable:
    """A term with a name, worked out once per request on a cluster."""

    name: str
    term: Term

    def value(self, scope: Scope) -> Any:
        """Returns the value of the term."""
        return self.term.value(scope)

    def cel(self) -> str:
        """Returns the reference to the policy's variable."""
        return f"variables.{self.name}"


@dataclass(frozen=True, slots=True)
class Field:
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


@dataclass(frozen=True, slots=True)
class Given:
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


@dataclass(frozen=True, slots=True)
class Compared:
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


@dataclass(frozen=True, slots=True)
class OneOf:
    """Whether a value stands in a list."""

    item: Term
    allowed: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether it is one of them."""
        return self.item.value(scope) in self.allowed.value(scope)

    def cel(self) -> str:
        """Returns CEL's `in`."""
        return f"{self.item.cel()} in {self.allowed.cel()}"


@dataclass(frozen=True, slots=True)
class Matches:
    """Whether a whole text is of a form, written as a regular expression of RE2."""

    text: Term
    pattern: str

    def value(self, scope: Scope) -> bool:
        """Returns whether the text is of the form."""
        return re.fullmatch(self.pattern, str(self.text.value(scope))) is not None

    def cel(self) -> str:
        """Returns a match with both ends tied; a value that is no text is written as one first."""
        return f"string({self.text.cel()}).matches({json.dumps(f'^(?:{self.pattern})$')})"


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a text or a list."""

    of: Term

    def value(self, scope: Scope) -> int:
        """Returns the length."""
        return len(self.of.value(scope))

    def cel(self) -> str:
        """Returns CEL's `size`."""
        return f"size({self.of.cel()})"


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    term: Term

    def value(self, scope: Scope) -> bool:
        """Returns whether the term does not hold."""
        return not self.term.value(scope)

    def cel(self) -> str:
        """Returns the negation."""
        return f"!({self.term.cel()})"


@dataclass(frozen=True, slots=True)
class Every:
    """Whether all of several conditions hold; later ones are not looked at when one does not."""

    terms: tuple[Term, ...]

    def value(self, scope: Scope) -> bool:
        """Returns whether all hold."""
        return all(term.value(scope) for term in self.terms)

    def cel(self) -> str:
        """Returns the conjunction."""
        return " && ".join(f"({term.cel()})" for term in self.terms)


@dataclass(frozen=True, slots=True)
class Either:
    """Whether one of several conditions holds."""

    terms: tuple[Term, ...]

    def value(self, scope: Scope) -> bool:
        """Returns whether one holds."""
        return any(term.value(scope) for term in self.terms)

    def cel(self) -> str:
        """Returns the disjunction."""
        return " || ".join(f"({term.cel()})" for term in self.terms)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The items of a list (or keys of a map) for which a condition holds, under a name."""

    of: Term
    name: str
    when: Term

    def value(self, scope: Scope) -> list[Any]:
        """Returns them in the order of the list."""
        inner, found = dict(scope), []
        for item in self.of.value(scope):
            inner[self.name] = item
            if self.when.value(inner):
                found.append(item)
        return found

    def cel(self) -> str:
        """Returns CEL's `filter`."""
        return f"{self.of.cel()}.filter({self.name}, {self.when.cel()})"


@dataclass(frozen=True, slots=True)
class Ordered:
    """The first few of a list of different texts, in alphabetical order; CEL meets the keys of a map in any order."""

    of: Term
    most: int = 8

    def value(self, scope: Scope) -> list[str]:
        """Returns the sorted texts."""
        return sorted(self.of.value(scope))[: self.most]

    def cel(self) -> str:
        """Returns for each place the text that has so many before it; CEL of Kubernetes 1.30 cannot sort."""
        places = json.dumps(list(range(self.most)))
        rank = "all.filter(before, before < one).size() == place"
        found = f"{places}.filter(place, place < all.size()).map(place, all.filter(one, {rank})[0])"
        return f"[{self.of.cel()}].map(all, {found})[0]"


@dataclass(frozen=True, slots=True)
class Spelled:
    """The keys of a map that mean one of some words in any case: one for each word, in the order of the words."""

    of: Term
    words: tuple[str, ...]

    def value(self, scope: Scope) -> list[str]:
        """Returns the keys; where two mean the same word, the one that sorts first."""
        keys = self.of.value(scope)
        found = ([key for key in keys if key.lower() == word.lower()] for word in self.words)
        return [min(spelled) for spelled in found if spelled]

    def cel(self) -> str:
        """Returns the keys by the words in lower case."""
        words = json.dumps([word.lower() for word in self.words])
        spelled = f"{words}.map(word, {self.of.cel()}.filter(key, key.lowerAscii() == word))"
        return f"{spelled}.filter(found, found.size() > 0).map(found, found.min())"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a map or a list holds under a key or an index that is there."""

    of: Term
    key: Term

    def value(self, scope: Scope) -> Any:
        """Returns the entry."""
        return self.of.value(scope)[self.key.value(scope)]

    def cel(self) -> str:
        """Returns CEL's index."""
        return f"{self.of.cel()}[{self.key.cel()}]"


@dataclass(frozen=True, slots=True)
class Before:
    """The indexes before one."""

    index: Term

    def value(self, scope: Scope) -> range:
        """Returns them from 0."""
        return range(self.index.value(scope))

    def cel(self) -> str:
        """Returns the smaller ones of all indexes that are looked at."""
        return f"{json.dumps(list(range(MOST_ITEMS)))}.filter(before, before < {self.index.cel()})"


@dataclass(frozen=True, slots=True)
class Sum:
    """Two numbers together."""

    left: Term
    right: Term

    def value(self, scope: Scope) -> int:
        """Returns the sum."""
        return int(self.left.value(scope) + self.right.value(scope))

    def cel(self) -> str:
        """Returns the sum."""
        return f"({self.left.cel()} + {self.right.cel()})"


@dataclass(frozen=True, slots=True)
class Text:
    """Texts and terms, one after another."""

    parts: tuple[Term, ...]

    def value(self, scope: Scope) -> str:
        """Returns the parts as one text."""
        return "".join(str(part.value(scope)) for part in self.parts)

    def cel(self) -> str:
        """Returns the sum of the parts, each made a text."""
        return " + ".join(part.cel() if isinstance(part, Literal) else f"string({part.cel()})" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text in quotes, safe to show on one line."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the text with its quotes."""
        return quoted(str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns CEL's own quoting, which escapes the same characters."""
        return f"strings.quote(string({self.text.cel()}))"


@dataclass(frozen=True, slots=True)
class Key:
    """A key as a path shows it: escaped like a quoted text, without the quotes."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the escaped key."""
        return path_key(str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns the quoted text without its first and last character."""
        inner = f"strings.quote(string({self.text.cel()}))"
        return f"{inner}.substring(1, {inner}.size() - 1)"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A text in lower case (ASCII)."""

    text: Term

    def value(self, scope: Scope) -> str:
        """Returns the text with A to Z lowered."""
        return "".join(c.lower() if c.isascii() else c for c in str(self.text.value(scope)))

    def cel(self) -> str:
        """Returns CEL's `lowerAscii`."""
        return f"string({self.text.cel()}).lowerAscii()"


def names_within(term: Any) -> Iterator[Variable]:
    """Yields every variable that a term leans on, inner ones first."""
    if isinstance(term, tuple):
        for part in term:
            yield from names_within(part)
    elif hasattr(term, "__dataclass_fields__"):
        for field in term.__dataclass_fields__:
            yield from names_within(getattr(term, field))
        if isinstance(term, Variable):
            yield term

"""Rules as trees of checks: what is looked at, when it is wrong, and what is said then.

The same tree finds the field errors of an object here and is written as one CEL expression for a cluster. There an
expression of rules is a text: empty when nothing is wrong, else one error per line. Lines join and split without loops in
loops, which CEL has no way to flatten, and no error holds a line break, as whatever users wrote is shown escaped.
"""

import json
from collections.abc import Iterable, Iterator

import msgspec

from corral.kinds.training.validation.field_error import Fault, FieldError
from corral.kinds.training.validation.list_terms import MOST_ITEMS
from corral.kinds.training.validation.terms import Literal, Scope, Term
from corral.kinds.training.validation.text_terms import Quoted, Text

NOTHING = Literal("")


class Check(msgspec.Struct, frozen=True):
    """One thing that can be wrong."""

    when: Term
    """Holds when it is wrong."""
    kind: Fault
    path: Text
    detail: Term = NOTHING
    shown: Term | None = None
    """The bad value, for kinds of fault that show it; texts are wrapped in `Quoted`."""

    def found(self, scope: Scope) -> Iterator[FieldError]:
        """Yields the error when there is one."""
        if self.when.value(scope):
            shown = self.shown.text if isinstance(self.shown, Quoted) else self.shown
            value = None if shown is None else shown.value(scope)
            yield FieldError(self.path.value(scope), self.kind, self.detail.value(scope), value)

    def cel(self) -> str:
        """Returns the error as a text, or an empty one."""
        parts: list[Term] = [*self.path.parts, Literal(f": {self.kind}")]
        if self.shown is not None:
            parts += [Literal(": "), Literal("null") if self.shown == Literal(None) else self.shown]
        if self.detail != NOTHING:
            parts += [Literal(": "), self.detail]
        return f'({self.when.cel()}) ? {Text(_joined(parts)).cel()} : ""'


class Each(msgspec.Struct, frozen=True):
    """The same checks for every item of a list, under a name, and where paths need it with its index."""

    name: str
    of: Term
    body: "tuple[Rule, ...]"
    index: str = ""

    def found(self, scope: Scope) -> Iterator[FieldError]:
        """Yields the errors item by item."""
        items = self.of.value(scope)
        for index, item in enumerate(items[:MOST_ITEMS] if self.index else items):
            yield from errors_in(self.body, {**scope, self.name: item, self.index: index})

    def cel(self) -> str:
        """Returns the errors of all items, line by line."""
        if not self.index:
            return _lines(f"{self.of.cel()}.map({self.name}, {cel_of(self.body)})")
        places = f"{json.dumps(list(range(MOST_ITEMS)))}.filter({self.index}, {self.index} < size(items))"
        one = f"[items[{self.index}]].map({self.name}, {cel_of(self.body)})[0]"
        return f"[{self.of.cel()}].map(items, {_lines(f'{places}.map({self.index}, {one})')})[0]"


class Let(msgspec.Struct, frozen=True):
    """Checks in which a term has a name."""

    name: str
    term: Term
    body: "tuple[Rule, ...]"

    def found(self, scope: Scope) -> Iterator[FieldError]:
        """Yields the errors of the checks."""
        yield from errors_in(self.body, {**scope, self.name: self.term.value(scope)})

    def cel(self) -> str:
        """Returns the checks, looked at for a list of one."""
        return f"[{self.term.cel()}].map({self.name}, {cel_of(self.body)})[0]"


Rule = Check | Each | Let


def errors_in(rules: Iterable[Rule], scope: Scope) -> Iterator[FieldError]:
    """Yields everything that is wrong, in the order of the rules."""
    for rule in rules:
        yield from rule.found(scope)


def cel_of(rules: tuple[Rule, ...]) -> str:
    """Returns one CEL expression with the errors of all rules, line by line; each rule stands on a line of its own."""
    if len(rules) == 1:
        return rules[0].cel()
    texts = ",\n".join(rule.cel() for rule in rules)
    return _lines(f"[\n{texts}\n]")


def _lines(texts: str) -> str:
    return f'{texts}.filter(line, line != "").join("\\n")'


def _joined(parts: list[Term]) -> tuple[Term, ...]:
    """Joins constant texts that stand beside each other."""
    joined: list[Term] = []
    for part in parts:
        if isinstance(part, Literal) and joined and isinstance(joined[-1], Literal):
            joined[-1] = Literal(f"{joined[-1].given}{part.given}")
        else:
            joined.append(part)
    return tuple(joined)

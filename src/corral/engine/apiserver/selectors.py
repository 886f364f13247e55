"""Selectors: which objects of a list or watch a client wants, by label and by field.

Parsed once per request, then asked for every object, so a parsed selector holds only what `matches` needs. Error texts
are those of the real server: a client shows them to people.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec

from corral.engine.apiserver.failures import ApiFailure, bad_request
from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.grammar.names import label_value_faults, qualified_name_faults

_OPERATORS = {"=": "=", "==": "=", "!=": "!=", "in": "in", "notin": "notin", ">": ">", "<": "<"}
_EXPRESSION_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+)?")
_SYMBOLS = frozenset(["==", "!=", "=", "!", "(", ")", ",", "<", ">"])
_ALWAYS = ("metadata.name", "metadata.namespace")
_INT64 = range(-(2**63), 2**63)


class Requirement(msgspec.Struct, frozen=True):
    """One condition on one label: `operator` is one of = != in notin exists ! > <."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tells whether the labels meet the condition."""
        value = labels.get(self.key)
        match self.operator:
            case "=" | "in":
                return value is not None and value in self.values
            case "!=" | "notin":
                return value is None or value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        number, bound = _integer(value), _integer(self.values[0])
        if number is None or bound is None:
            return False
        return number > bound if self.operator == ">" else number < bound

    def __str__(self) -> str:
        match self.operator:
            case "exists":
                return self.key
            case "!":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
        return f"{self.key}{self.operator}{self.values[0]}"


class LabelSelector(msgspec.Struct, frozen=True):
    """A parsed label selector: all of its requirements must hold; `nothing` matches no object at all."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Tells whether an object with these labels is selected."""
        if self.nothing:
            return False
        found: Mapping[str, str] = labels or {}
        # A plain loop: this runs for every object of every list, and a generator would double its cost.
        for requirement in self.requirements:  # noqa: SIM110
            if not requirement.matches(found):
                return False
        return True

    def test(self) -> Callable[[Mapping[str, str]], bool]:
        """Returns `matches` in its quickest form, for thousands of objects: most selectors ask for one value."""
        if self.nothing or len(self.requirements) != 1 or self.requirements[0].operator not in ("=", "in"):
            return self.matches
        key, values = self.requirements[0].key, self.requirements[0].values
        if len(values) != 1:
            return lambda labels: labels.get(key) in values
        (value,) = values
        return lambda labels: labels.get(key) == value

    def __bool__(self) -> bool:
        return self.nothing or bool(self.requirements)

    def __str__(self) -> str:
        return ",".join(str(r) for r in self.requirements)


EVERYTHING = LabelSelector()
NOTHING = LabelSelector(nothing=True)


def parse_label_selector(text: str) -> LabelSelector:
    """Returns the selector that a `labelSelector` parameter spells; an ill-formed one is a 400."""
    if not text:
        return EVERYTHING
    return LabelSelector(tuple(sorted(_Reader(text).requirements(), key=lambda r: r.key)))


def label_selector_of(selector: Mapping[str, Any] | None) -> LabelSelector:
    """Returns the selector of a `matchLabels`/`matchExpressions` object; absent selects nothing, empty everything."""
    if selector is None:
        return NOTHING
    found = [_checked(key, "=", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or ():
        operator = _EXPRESSION_OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            raise bad_request(f'"{expression.get("operator", "")}" is not a valid label selector operator')
        found.append(_checked(expression.get("key", ""), operator, tuple(expression.get("values") or ())))
    return LabelSelector(tuple(sorted(found, key=lambda r: r.key)))


class _Reader:
    """Reads the text of a label selector from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = [m[1] or "" for m in _TOKEN.finditer(text) if m[1]] + [""]
        self._at = 0

    def requirements(self) -> Iterable[Requirement]:
        while self._peek():
            if self._peek() in _SYMBOLS and self._peek() != "!":
                raise bad_request(f"found '{self._peek()}', expected: !, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except _Unreadable as problem:
                raise bad_request(f"unable to parse requirement: {problem}") from None
            end = self._take()
            if end not in ("", ","):
                raise bad_request(f"found '{end}', expected: ',' or 'end of string'")
            after = self._peek()
            if end and (not after or (after in _SYMBOLS and after != "!")):
                raise bad_request(f"found '{after}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        absent = self._peek() == "!"
        if absent:
            self._take()
        key = self._take()
        if not key or key in _SYMBOLS:
            raise _Unreadable(f"found '{key}', expected: identifier")
        if faults := qualified_name_faults(key):
            raise _Unreadable(str(invalid("<nil>", key, "; ".join(faults))))
        if absent or self._peek() in ("", ","):
            return Requirement(key, "!" if absent else "exists")
        return self._comparison(key)

    def _comparison(self, key: str) -> Requirement:
        spelled = self._take()
        operator = _OPERATORS.get(spelled)
        if operator is None:
            raise _Unreadable(f"found '{spelled}', expected: in, notin, =, ==, !=, gt, lt")
        values = self._values() if operator in ("in", "notin") else (self._exact_value(),)
        return _checked(key, operator, values, wrapped=True)

    def _exact_value(self) -> str:
        if self._peek() in ("", ","):
            return ""
        value = self._take()
        if value in _SYMBOLS:
            raise _Unreadable(f"found '{value}', expected: identifier")
        return value

    def _values(self) -> tuple[str, ...]:
        if (opening := self._take()) != "(":
            raise _Unreadable(f"found '{opening}' expected: '('")
        first = self._peek()
        if not first or (first in _SYMBOLS and first not in (",", ")")):
            raise _Unreadable(f"found '{first}', expected: ',', ')' or identifier")
        # An empty place between commas or brackets stands for the empty value.
        values = set()
        while True:
            if self._peek() in (",", ")"):
                values.add("")
            else:
                values.add(self._listed_value())
            if self._take() == ")":
                return tuple(sorted(values))

    def _listed_value(self) -> str:
        value = self._take()
        if not value or value in _SYMBOLS:
            raise _Unreadable(f"found '{value}', expected: ',', or identifier")
        if self._peek() not in (",", ")"):
            raise _Unreadable(f"found '{self._peek()}', expected: ',' or ')'")
        return value

    def _peek(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token


class _Unreadable(Exception):  # noqa: N818 - never leaves this module
    """Says why a requirement cannot be read; the caller puts it in its frame."""


def _checked(key: str, operator: str, values: tuple[str, ...], *, wrapped: bool = False) -> Requirement:
    errors = [invalid("key", key, "; ".join(faults))] if (faults := qualified_name_faults(key)) else []
    errors += _value_errors(operator, values)
    for i, value in enumerate(values):
        if faults := label_value_faults(value):
            errors.append(invalid(f"values[{i}][{key}]", value, "; ".join(faults)))
    if errors:
        said = str(errors[0]) if len(errors) == 1 else "[" + ", ".join(str(e) for e in errors) + "]"
        raise _Unreadable(said) if wrapped else bad_request(said)
    return Requirement(key, operator, values)


def _value_errors(operator: str, values: tuple[str, ...]) -> list[FieldError]:
    match operator:
        case "in" | "notin" if not values:
            return [invalid("values", list(values), "for 'in', 'notin' operators, values set can't be empty")]
        case "exists" | "!" if values:
            return [invalid("values", list(values), "values set must be empty for exists and does not exist")]
        case ">" | "<" if _integer(values[0]) is None:
            return [invalid("values[0]", values[0], "for 'Gt', 'Lt' operators, the value must be an integer")]
    return []


def _integer(text: str | None) -> int | None:
    if text is None or re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII) is None:
        return None
    number = int(text)
    return number if number in _INT64 else None


class FieldSelector(msgspec.Struct, frozen=True):
    """A parsed field selector: (field, value, whether they must be equal) for every term."""

    terms: tuple[tuple[str, str, bool], ...] = ()

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Tells whether an object with these selectable fields is selected; an absent field counts as empty."""
        for name, value, equal in self.terms:  # noqa: SIM110 - runs for every object of a list
            if (fields.get(name, "") == value) is not equal:
                return False
        return True

    def required(self, name: str) -> str | None:
        """Returns the one value that the field must have, if the selector fixes it; lets lists take a short way."""
        return next((value for field, value, equal in self.terms if equal and field == name), None)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        spelled = (f"{name}{'=' if equal else '!='}{_escaped(value)}" for name, value, equal in self.terms)
        return ",".join(spelled)


def parse_field_selector(
    text: str, allowed: Collection[str] = (), *, kind: str = "", custom: bool = False
) -> FieldSelector:
    """Returns the selector that a `fieldSelector` parameter spells.

    `allowed` are the fields of the kind besides metadata.name and metadata.namespace; `custom` says that the kind is a
    custom resource: like a kind with fields of its own, and unlike one without, it refuses the others in short words.
    """
    own = set(allowed).difference(_ALWAYS)
    terms = [_term(text, part) for part in sorted(_parts(text)) if part]
    for name, _, _ in terms:
        if name not in own and name not in _ALWAYS:
            raise _unsupported(name, "" if custom else kind, known=bool(own) or custom)
    return FieldSelector(tuple(terms))


def _unsupported(name: str, kind: str, *, known: bool) -> ApiFailure:
    if kind == "Job":
        return bad_request(f'field label "{name}" not supported for Job')
    if known:
        return bad_request(f"field label not supported: {name}")
    return bad_request(f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"')


def _parts(text: str) -> list[str]:
    return re.findall(r"(?:^|,)((?:\\.|\\$|[^\\,])*)", text, re.DOTALL)


def _term(text: str, part: str) -> tuple[str, str, bool]:
    found = re.search(r"!=|==|=", part)
    if found is None:
        raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
    return part[: found.start()], _unescaped(part[found.end() :]), found[0] != "!="


def _unescaped(value: str) -> str:
    pieces: list[str] = []
    for escape, char in re.findall(r"(\\?)(.|$)", value, re.DOTALL):
        if escape and char not in ("\\", ",", "="):
            raise bad_request(f"invalid field selector: invalid escape sequence: \\{char}")
        if not escape and char in (",", "="):
            raise bad_request(f"invalid field selector: unescaped character in value: {ord(char)}")
        pieces.append(char)
    return "".join(pieces)


def _escaped(value: str) -> str:
    return re.sub(r"([\\,=])", r"\\\1", value)

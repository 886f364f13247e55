"""JSON paths of printer columns, selectable fields and `-o jsonpath`, in kubectl's dialect.

    .spec.replicas    .spec.template.spec.containers[*].image    .metadata.annotations.example\\.com/owner
    .status.conditions[?(@.type=="Ready")].status                ['key']  ['a','b.c']  [0]  [-1]  [0,2]  [1:3]  ..name

A field that is missing yields nothing; it is no error. An index beyond the end of a list is one for kubectl, and for
whoever asks strictly.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

_FIELD = re.compile(r"\.((?:\\.|[^.\[\]\\])+)")
_KEY = r"(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")"
_KEYS = re.compile(rf"\[\s*({_KEY}(?:\s*,\s*{_KEY})*)\s*\]")
_EACH_KEY = re.compile(_KEY)
_INDEXES = re.compile(r"\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\]")
_SLICE = re.compile(r"\[\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(\d+)\s*)?\]")
_FILTER = re.compile(r"\[\?\((.*?)\)\]")
_NOT_UNDERSTOOD = re.compile(r"=~|&&|\|\|")
_COMPARISON = re.compile(r"^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$")

_Step = Callable[[Any], Iterator[Any]]


class JsonPathError(ValueError):
    """A text is no JSON path that we understand."""


class OutOfBoundsError(JsonPathError):
    """A path asks for an item that a list does not have."""


class JsonPath(NamedTuple):
    """A compiled path."""

    steps: "tuple[_Step | _Union, ...]"

    def find(self, value: Any, *, strictly: bool = False) -> Iterator[Any]:
        """Yields every value that the path leads to, in document order; strictly, an index must be there."""
        found: Iterator[Any] = iter((value,))
        for step in self.steps:
            found = (
                _united(list(found), step, strictly) if isinstance(step, _Union) else _advanced(found, step, strictly)
            )
        yield from found

    def first(self, value: Any, missing: Any = None) -> Any:
        """Returns the first value that the path leads to."""
        return next(self.find(value), missing)


class _Union(NamedTuple):
    """Several steps at once; the values that the first finds come before those of the second."""

    parts: tuple[_Step, ...]


def _united(values: list[Any], union: _Union, strictly: bool) -> Iterator[Any]:
    for part in union.parts:
        yield from _advanced(iter(values), part, strictly)


def _advanced(values: Iterator[Any], step: _Step, strictly: bool) -> Iterator[Any]:
    for value in values:
        try:
            yield from step(value)
        except OutOfBoundsError:
            if strictly:
                raise


@lru_cache(maxsize=1024)
def parse_path(text: str) -> JsonPath:
    """Compiles a path like `.spec.replicas`; raises JsonPathError when it is none."""
    rest = text.removeprefix("$")
    steps: list[_Step | _Union] = []
    while rest and rest != ".":
        step, length = _step(rest, text)
        steps.append(step)
        rest = rest[length:]
    return JsonPath(tuple(steps))


def _step(rest: str, text: str) -> "tuple[_Step | _Union, int]":
    if rest.startswith(".."):
        match = _FIELD.match(rest, 1)
        if match:
            return _below(_plain(match[1])), match.end()
    elif rest.startswith(".*"):
        return _every, 2
    elif rest.startswith(".["):
        return _step_in_brackets(rest[1:], text, 1)
    elif rest.startswith("."):
        match = _FIELD.match(rest)
        if match:
            return _field(_plain(match[1])), match.end()
    elif rest.startswith("["):
        return _step_in_brackets(rest, text, 0)
    else:
        match = _FIELD.match(f".{rest}")
        if match:
            return _field(_plain(match[1])), match.end() - 1
    raise JsonPathError(f"unrecognized path {text!r} at {rest!r}")


def _step_in_brackets(rest: str, text: str, offset: int) -> "tuple[_Step | _Union, int]":
    if rest.startswith("[*]"):
        return _every, offset + 3
    if match := _KEYS.match(rest):
        return _together([_key(key[1:-1]) for key in _EACH_KEY.findall(match[1])]), offset + match.end()
    if match := _INDEXES.match(rest):
        return _together([_item(int(index)) for index in match[1].split(",")]), offset + match.end()
    if match := _SLICE.match(rest):
        numbers = [int(number) if number else None for number in match.groups()]
        if numbers[2] == 0:
            raise JsonPathError(f"a step of 0 leads nowhere in {text!r}")
        return _items(slice(*numbers)), offset + match.end()
    if match := _FILTER.match(rest):
        return _matching(match[1], text), offset + match.end()
    raise JsonPathError(f"unrecognized path {text!r} at {rest!r}")


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _field(name: str) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _key(text: str) -> _Step:
    """Returns the step of a key in quotes: that field, else, as kubectl reads it, the path that its dots make."""
    literal = _field(_plain(text))
    if not re.search(r"(?<!\\)\.", text):
        return literal
    path = parse_path(f".{text}")

    def step(value: Any) -> Iterator[Any]:
        yield from list(literal(value)) or path.find(value)

    return step


def _together(steps: list[_Step]) -> "_Step | _Union":
    return steps[0] if len(steps) == 1 else _Union(tuple(steps))


def _every(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _item(index: int) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if not isinstance(value, list):
            return
        if not -len(value) <= index < len(value):
            raise OutOfBoundsError(f"array index out of bounds: index {index}, length {len(value)}")
        yield value[index]

    return step


def _items(part: slice) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list):
            yield from value[part]

    return step


def _below(name: str) -> _Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            if name in value:
                yield value[name]
            for item in value.values():
                yield from step(item)
        elif isinstance(value, list):
            for item in value:
                yield from step(item)

    return step


def _matching(condition: str, text: str) -> _Step:
    """Compiles `@.type=="Ready"`, or `@.name` alone, which asks whether the field is there."""
    if found := _NOT_UNDERSTOOD.search(_EACH_KEY.sub("", condition)):
        raise JsonPathError(f"{found[0]!r} in {text!r} is not understood: a filter is one comparison")
    comparison = _COMPARISON.match(condition.strip())
    left = _operand(comparison[1] if comparison else condition, text)
    right = _operand(comparison[3], text) if comparison else None
    operator = comparison[2] if comparison else ""

    def step(value: Any) -> Iterator[Any]:
        for item in value if isinstance(value, list) else ():
            found = left(item)
            if found is _MISSING:
                continue
            if right is None or _holds(found, operator, right(item)):
                yield item

    return step


_MISSING = object()


def _operand(text: str, path: str) -> Callable[[Any], Any]:
    text = text.strip()
    if text.startswith("@"):
        inner = parse_path(text[1:])
        return lambda item: inner.first(item, _MISSING)
    constant: Any
    if text[:1] in "'\"" and len(text) >= 2 and text[-1] == text[0]:
        constant = _plain(text[1:-1])
    elif text in ("true", "false"):
        constant = text == "true"
    elif re.fullmatch(r"-?\d+", text):
        constant = int(text)
    elif re.fullmatch(r"-?\d*\.\d+", text):
        constant = float(text)
    else:
        raise JsonPathError(f"unrecognized value {text!r} in {path!r}")
    return lambda _: constant


def _holds(left: Any, operator: str, right: Any) -> bool:
    if right is _MISSING:
        return False
    if operator == "==":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    if not all(isinstance(one, (int, float)) for one in (left, right)) and not all(
        isinstance(one, str) for one in (left, right)
    ):
        return False
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))

"""YAML and JSON text into objects, the way people mean it: YAML 1.2, bounded, and without surprises.

PyYAML's C parser gives the events; we build the values ourselves, because its own composer recurses in C (a deeply
nested text ends the process) and follows YAML 1.1 (`no` is a boolean there, `012` is ten, a date is a date). Here:

    true false null 12 -3 1.5 0x1f 0o17   have their JSON meaning
    yes no on off 012 2024-01-01 1_000    stay the text that was written
    .inf .nan, tags, duplicate keys       are refused with their line
    *aliases and <<                       work, as copies, up to a limit

Everything is an argument; nothing is read from disk here.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from corral.errors import PermanentError


class Limits(NamedTuple):
    """How much one text may ask of us."""

    size: int = 3 * 1024 * 1024
    depth: int = 100
    documents: int = 1000
    copied: int = 20_000
    """Values that aliases may multiply; a billion-laughs text passes it in its third line."""
    values: int = 2_000_000
    """Values of a whole text; each costs microseconds, so who must not be kept waiting asks for less."""


class Document(NamedTuple):
    """One document of a text and the line, from 1, on which it starts."""

    value: Any
    line: int


class DocumentError(PermanentError):
    """The text is not what we read; the message starts with the place."""

    def __init__(self, message: str, *, source: str, line: int = 0) -> None:
        place = ", ".join(part for part in (source, f"line {line}" if line else "") if part)
        super().__init__("bad-document", f"{place}: {message}" if place else message)
        self.line = line


def load_documents(text: str | bytes, *, source: str = "", limits: Limits = Limits()) -> list[Document]:  # noqa: B008
    """Returns every document that is not empty; `source` names the text in messages."""
    decoded = _decoded(text, source, limits)
    builder = _Builder(source, limits)
    try:
        for event in yaml.parse(decoded, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark is not None else 0
        raise DocumentError(error.problem or "not YAML", source=source, line=line) from error
    except yaml.YAMLError as error:
        raise DocumentError(str(error).partition("\n")[0], source=source) from error
    return [document for document in builder.documents if document.value is not None]


def load_document(text: str | bytes, *, source: str = "", limits: Limits = Limits()) -> Any:  # noqa: B008
    """Returns the only document of the text, or None when it has none."""
    documents = load_documents(text, source=source, limits=limits)
    if len(documents) > 1:
        raise DocumentError("one document is expected, here starts another", source=source, line=documents[1].line)
    return documents[0].value if documents else None


def _decoded(text: str | bytes, source: str, limits: Limits) -> str:
    if len(text) > limits.size:
        raise DocumentError(f"{len(text)} bytes are more than the limit of {limits.size}", source=source)
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError("the text is not UTF-8", source=source) from error


_MERGE = object()
_NO_KEY = object()


class _Level:
    """A list or mapping under construction."""

    __slots__ = ("anchor", "key", "line", "merged", "value")

    def __init__(self, value: list[Any] | dict[str, Any], anchor: str | None, line: int) -> None:
        self.value = value
        self.anchor = anchor
        self.line = line
        self.key: Any = _NO_KEY
        self.merged: list[Any] = []


class _Builder:
    """Turns parser events into values with a stack of our own, so that depth costs memory and never the C stack."""

    def __init__(self, source: str, limits: Limits) -> None:
        self.documents: list[Document] = []
        self._source = source
        self._limits = limits
        self._levels: list[_Level] = []
        self._anchors: dict[str, Any] = {}
        self._copied = 0
        self._taken = 0
        self._line = 0

    def take(self, event: yaml.Event) -> None:
        """Advances by one event."""
        self._taken += 1
        if self._taken > self._limits.values:
            raise self._error(f"more than {self._limits.values} values")
        if event.start_mark is not None:
            self._line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._place(self._copy(event.anchor or ""))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
            if len(self.documents) >= self._limits.documents:
                raise self._error(f"more than {self._limits.documents} documents")

    def _error(self, message: str) -> DocumentError:
        return DocumentError(message, source=self._source, line=self._line)

    def _refuse_tag(self, tag: str | None) -> None:
        if tag is not None:
            raise self._error(f"tags are not allowed, found {_shown(tag)}")

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._refuse_tag(event.tag)
        plain = event.style is None or event.style == ""
        level = self._levels[-1] if self._levels else None
        if level is not None and isinstance(level.value, dict) and level.key is _NO_KEY:
            self._key(level, event.value, plain)
            return
        value = self._resolved(event.value) if plain else event.value
        if event.anchor:
            self._anchors[event.anchor] = value
        self._place(value)

    def _key(self, level: _Level, text: str, plain: bool) -> None:
        if plain and text == "<<":
            level.key = _MERGE
            return
        if plain and text in ("", "~", "null"):
            raise self._error("a key is missing")
        assert isinstance(level.value, dict)
        if text in level.value:
            raise self._error(f"the key {_shown(text)} stands twice in one mapping")
        level.key = text

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        self._refuse_tag(event.tag)
        if len(self._levels) >= self._limits.depth:
            raise self._error(f"nested deeper than {self._limits.depth} levels")
        if self._levels and isinstance(self._levels[-1].value, dict) and self._levels[-1].key is _NO_KEY:
            raise self._error("a key must be text")
        fresh: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._levels.append(_Level(fresh, event.anchor, self._line))

    def _close(self) -> None:
        level = self._levels.pop()
        if isinstance(level.value, dict):
            for merged in level.merged:
                for key, value in merged.items():
                    level.value.setdefault(key, value)
        if level.anchor:
            self._anchors[level.anchor] = level.value
        self._place(level.value, level.line)

    def _place(self, value: Any, line: int = 0) -> None:
        if not self._levels:
            self.documents.append(Document(value, line or self._line))
            return
        level = self._levels[-1]
        if isinstance(level.value, list):
            level.value.append(value)
        elif level.key is _NO_KEY:
            raise self._error("a key must be text")
        else:
            if level.key is _MERGE:
                level.merged.extend(self._mappings(value))
            else:
                level.value[level.key] = value
            level.key = _NO_KEY

    def _mappings(self, value: Any) -> list[Any]:
        candidates = value if isinstance(value, list) else [value]
        if not all(isinstance(candidate, dict) for candidate in candidates):
            raise self._error("<< takes a mapping or a list of mappings")
        return candidates

    def _copy(self, anchor: str) -> Any:
        if anchor not in self._anchors:
            raise self._error(f"the alias *{anchor} has no finished anchor before it")
        return self._duplicate(self._anchors[anchor], len(self._levels))

    def _duplicate(self, value: Any, depth: int) -> Any:
        self._copied += 1
        if self._copied > self._limits.copied:
            raise self._error(f"aliases stand for more than {self._limits.copied} values")
        if depth > self._limits.depth:
            raise self._error(f"nested deeper than {self._limits.depth} levels")
        if isinstance(value, dict):
            return {key: self._duplicate(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self._duplicate(item, depth + 1) for item in value]
        return value

    def _resolved(self, text: str) -> Any:
        try:
            return plain_value(text)
        except ValueError as error:
            raise self._error(str(error)) from None


def plain_value(text: str) -> Any:
    """Returns what a scalar without quotes means; a number that JSON cannot carry is a ValueError that says so."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    number = _number(text)
    if isinstance(number, int) and not -(2**63) <= number < 2**64:
        raise ValueError(f"the number {_shown(text)} does not fit into 64 bits")
    if number is not None and number - number != 0:
        raise ValueError(f"{_shown(text)} is no number that JSON can carry")
    return text if number is None else number


_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,30})\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_BASED = re.compile(r"0o[0-7]{1,30}\Z|0x[0-9a-fA-F]{1,30}\Z")
_UNREAL = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")


def _number(text: str) -> int | float | None:
    """Returns the number of YAML 1.2 that a plain text writes; a leading zero makes it text, as in `012`."""
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if _BASED.match(text):
        return int(text, 0)
    return float("nan") if _UNREAL.match(text) else None


def _shown(text: str) -> str:
    """Returns a piece of user text for a message: short, quoted, and with control characters escaped."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def each_object(documents: list[Document], *, source: str = "") -> Iterator[tuple[dict[str, Any], int]]:
    """Yields every Kubernetes object with its line; the items of a `List` come one by one."""
    for value, line in documents:
        if not isinstance(value, dict):
            raise DocumentError("an object is expected, with apiVersion and kind", source=source, line=line)
        items = value.get("items")
        if str(value.get("kind", "")).endswith("List") and isinstance(items, list):
            yield from each_object([Document(item, line) for item in items], source=source)
            continue
        for field in ("apiVersion", "kind"):
            if not isinstance(value.get(field), str) or not value[field]:
                raise DocumentError(f"{field} is missing or not text", source=source, line=line)
        yield value, line

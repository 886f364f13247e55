"""Templates of `-o jsonpath`, in kubectl's dialect: text, paths in braces, quoted text, and ranges.

    {.metadata.name}    {range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}

Several values of one path are parted by blanks; objects and lists are written as JSON. The paths themselves are
`corral.kinds.json_path`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

from corral.kinds.json_path import JsonPath, JsonPathError, parse_path

_PIECE = re.compile(r"[^{]+|\{(?:[^{}'\"]|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")*\}")
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_AS_GO_WRITES = {ord(one): f"\\u{ord(one):04x}" for one in "<>&"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Text(NamedTuple):
    """Something that is written as it stands."""

    text: str


class Range(NamedTuple):
    """Something that is written for each value of a path."""

    path: JsonPath
    body: tuple["Node", ...]


Node = Union[Text, JsonPath, Range]  # noqa: UP007 - a forward reference stands in it


class JsonTemplate(NamedTuple):
    """A template that was understood."""

    nodes: tuple[Node, ...]

    def write(self, value: Any) -> str:
        """Returns the text for a value; raises JsonPathError when an index is beyond the end of its list."""
        return "".join(_written(self.nodes, value))


def parse_template(text: str) -> JsonTemplate:
    """Returns the template of a text; raises JsonPathError when it is none."""
    pieces = list(_pieces(text))
    nodes = _nodes(pieces)
    if pieces:
        raise JsonPathError("{end} has no {range ...} before it")
    return JsonTemplate(nodes)


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            raise JsonPathError(f"{text[at:]!r} is not closed by a brace")
        yield found[0]
        at = found.end()


def _nodes(pieces: list[str], *, is_range: bool = False) -> tuple[Node, ...]:
    """Takes pieces up to the end of the text or, inside a range, up to its {end}; what is left over stays in the list.

    As with kubectl, a range without an end goes on to that of the text.
    """
    nodes: list[Node] = []
    while pieces:
        piece = pieces[0]
        action = piece[1:-1].strip()
        is_end = piece.startswith("{") and action == "end"
        if is_end and not is_range:
            break
        del pieces[0]
        if is_end:
            break
        if not piece.startswith("{"):
            nodes.append(Text(piece))
        elif action.startswith("range") and action[5:6].isspace():
            nodes.append(Range(_path(action[5:].strip()), _nodes(pieces, is_range=True)))
        elif _QUOTED.fullmatch(action):
            nodes.append(Text(re.sub(r"\\(.)", lambda one: _ESCAPES.get(one[1], one[1]), action[1:-1])))
        else:
            nodes.append(_path(action))
    return tuple(nodes)


def _path(action: str) -> JsonPath:
    if not action.startswith((".", "[", "$", "@")):
        raise JsonPathError(f"{action!r} is no path: it begins with a dot, as in {{.metadata.name}}")
    return parse_path(action.removeprefix("@"))


def _written(nodes: tuple[Node, ...], value: Any) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Text):
            yield node.text
        elif isinstance(node, Range):
            for each in node.path.find(value, strictly=True):
                yield from _written(node.body, each)
        else:
            yield " ".join(_text(one) for one in node.find(value, strictly=True))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).translate(_AS_GO_WRITES)

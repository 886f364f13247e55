"""Sets of fields, in the form in which the API shows them (FieldsV1).

A set is a tree of dicts. Keys name one step: `f:<name>` a field, `k:{...}` a list item by its keys, `v:...` an item of
a set by its value, `i:<n>` an index. An empty dict is a member without owned children; a node with children is itself
a member only when it holds `.`. A set without members is the empty dict at the root, and never anywhere below it.
Sets are values: no function changes its arguments, and results share what did not change.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

import msgspec

Fields = dict[str, Any]

SELF = "."
LEAF: Fields = {}


def is_member(node: Fields) -> bool:
    """Tells whether the step that leads to this node is itself owned."""
    return not node or SELF in node


def with_self(node: Fields) -> Fields:
    """Returns the node as a member, with its children."""
    return node if not node or SELF in node else {SELF: {}, **node}


def union(left: Fields, right: Fields) -> Fields:
    """Returns the fields that are in either set."""
    if not right:
        return left
    if not left:
        return right
    result = dict(left)
    for key, node in right.items():
        mine = result.get(key)
        result[key] = node if mine is None else _joined(mine, node)
    return result if len(result) == len(left) else ordered(result)


def _joined(left: Fields, right: Fields) -> Fields:
    if left == right:
        return left
    if not left or not right:
        return with_self(left or right)
    return union(left, right)


def difference(left: Fields, right: Fields) -> Fields:
    """Returns the fields of `left` that are not in `right`; it is `left` itself when the two do not meet."""
    result: Fields | None = None
    for key in left.keys() & right.keys() if right else ():
        mine = left[key]
        kept = _reduced(mine, right[key])
        if kept is mine:
            continue
        if result is None:
            result = dict(left)
        if kept is None:
            del result[key]
        else:
            result[key] = kept
    return left if result is None else result


def _reduced(left: Fields, right: Fields) -> Fields | None:
    member = is_member(left) and not is_member(right)
    if not left:
        return left if member else None
    children = difference(left, right)
    if children is left and member is (SELF in left):
        return left
    kept = {key: node for key, node in children.items() if key != SELF}
    if not kept:
        return LEAF if member else None
    return with_self(kept) if member else kept


def without_trees(left: Fields, right: Fields) -> Fields:
    """Returns the fields of `left` that are neither in `right` nor below one of its members."""
    result: Fields = {}
    for key, node in left.items():
        other = right.get(key)
        if other is None:
            result[key] = node
        elif not is_member(other):
            kept = without_trees(node, other)
            if kept or not node:
                result[key] = kept
    return result


def intersection(left: Fields, right: Fields) -> Fields:
    """Returns the fields that are in both sets."""
    result: Fields = {}
    for key, node in left.items():
        other = right.get(key)
        if other is None or key == SELF:
            continue
        common = intersection(node, other)
        if is_member(node) and is_member(other):
            result[key] = with_self(common)
        elif common:
            result[key] = common
    return result


def paths(fields: Fields, prefix: str = "") -> Iterator[str]:
    """Yields every member as text, like `.spec.containers[name="c"].image`, members of a level before deeper ones."""
    steps = [(key, prefix + step_text(key)) for key in fields if key != SELF]
    for key, text in steps:
        if is_member(fields[key]):
            yield text
    for key, text in steps:
        yield from paths(fields[key], text)


def step_text(key: str) -> str:
    """Returns one step as people read it."""
    kind, rest = key[:2], key[2:]
    if kind == "f:":
        return f".{rest}"
    if kind == "i:":
        return f"[{rest}]"
    value = msgspec.json.decode(rest)
    if kind == "v:":
        return f"[={json_text(value)}]"
    return "[" + ",".join(f"{name}={json_text(item)}" for name, item in sorted(value.items())) + "]"


def key_step(keys: Mapping[str, Any]) -> str:
    """Returns the step to a list item with these keys, given in the order of their names."""
    return "k:{" + ",".join(f'"{name}":{json_text(value)}' for name, value in keys.items()) + "}"


def json_text(value: Any) -> str:
    """Returns a value as the real server's JSON encoder writes it into a step."""
    if type(value) is str:
        text = encode_basestring(value)
        if "<" in text or ">" in text or "&" in text:
            text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        return text
    if type(value) is int:
        return str(value)
    return msgspec.json.encode(value, order="deterministic").decode()


def ordered(fields: Fields) -> Fields:
    """Returns one level in the order of the real server: self, fields by name, then items by key, value and index."""
    keys = list(fields)
    wanted = sorted(keys, key=_rank)
    return fields if keys == wanted else {key: fields[key] for key in wanted}


def in_order(keys: list[str]) -> list[str]:
    """Returns steps of one level in their order."""
    return sorted(keys, key=_rank) if len(keys) > 1 else keys


@lru_cache(maxsize=8192)
def _rank(key: str) -> tuple[int, Any]:
    kind, rest = key[:2], key[2:]
    if kind in ("f:", SELF):
        return (1 if rest else 0, rest)
    if kind == "i:":
        return (4, int(rest))
    value = msgspec.json.decode(rest)
    if kind == "v:":
        return (3, _value_rank(value))
    return (2, tuple((name, _value_rank(item)) for name, item in sorted(value.items())))


def _value_rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, int | float):
        return (0, value)
    return (1, value) if isinstance(value, str) else (3, json_text(value))


class MalformedFieldsError(ValueError):
    """A set sent by a client does not have the form of FieldsV1."""


def canonical(fields: Any) -> Fields:
    """Returns a set sent by a client in our form: steps spelled our way, in order, unknown kinds of steps dropped."""
    if not isinstance(fields, dict):
        raise MalformedFieldsError("fieldsV1 must be an object")
    result: Fields = {}
    for key, node in fields.items():
        step = _canonical_step(key)
        if step is None:
            continue
        child = canonical(node)
        if child.keys() == {SELF}:
            child = LEAF
        result[step] = _joined(result[step], child) if step in result else child
    return ordered(result)


def _canonical_step(key: str) -> str | None:
    if key == SELF or key.startswith("f:"):
        return key
    if key[1:2] != ":":
        raise MalformedFieldsError(f"missing colon: {key}")
    try:
        match key[0]:
            case "i":
                return f"i:{int(key[2:])}"
            case "v":
                return f"v:{json_text(msgspec.json.decode(key[2:]))}"
            case "k":
                keys = msgspec.json.decode(key[2:], type=dict[str, Any])
                return key_step(dict(sorted(keys.items())))
    except (msgspec.DecodeError, ValueError) as problem:
        raise MalformedFieldsError(str(problem)) from None
    return None

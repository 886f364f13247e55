"""How deep and how large a JSON value is, asked without recursion and without going further than allowed."""

from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode

DEEPEST = 200
"""How deep a body may nest: far more than any kind does, far less than the interpreter's stack bears."""


def decode(raw: bytes) -> Any:
    """Returns the value of a JSON text; RecursionError when it nests too deep for what follows."""
    value = _decode(raw)
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and is_deeper(value):
        raise RecursionError
    return value


def is_deeper(value: Any, limit: int = DEEPEST) -> bool:
    """Says whether containers nest deeper than a limit; goes level by level, each container of a level once."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        if not level:
            return False
        # A patch can put one container in many places; looking at each once keeps this from growing with them.
        below = {
            id(child): child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        }
        level = list(below.values())
    return bool(level)


def weight(value: Any, limit: int) -> int:
    """Returns roughly the length of a value as JSON; stops counting above the limit."""
    total, waiting = 0, [value]
    while waiting and total <= limit:
        found = waiting.pop()
        total += 2
        if isinstance(found, dict):
            total += sum(map(len, found))
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, str):
            total += len(found)
    return total

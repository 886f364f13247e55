"""When two parts of an object mean the same, although one shows empty fields that the other leaves out.

A stored object has been completed (`status: {}`, `strategy: {}`), a new one not yet, so plain comparison would see
changes where there are none.
"""

import json
from difflib import unified_diff
from typing import Any


def is_same(one: Any, other: Any) -> bool:
    """Tells whether two values are equal, an empty field being the same as none."""
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return all(is_same(one.get(key), other.get(key)) for key in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(is_same(a, b) for a, b in zip(one, other, strict=True))
    return _is_void(one) and _is_void(other)


def difference(old: Any, new: Any) -> str:
    """Returns the lines that differ, for people: a unified diff of both as JSON."""
    before, after = (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) for value in (old, new))
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm=""))
    return "\n".join(lines[2:]) + "\n"


def _is_void(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_void(item) for item in value.values())
    return value is None or value in ("", [])

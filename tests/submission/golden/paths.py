"""Paths into objects: a small language in which no key is ambiguous.

`spec.runPolicy` goes down by key; `[0]` takes an element of a list, `[name=x]` the element whose `name` is x (`[a.b=x]`
looks deeper), `[*]` every element. Any other text in brackets is a key, so that dots and slashes may stand in it:
`resources.limits[nvidia.com/gpu]`.
"""

import re
from typing import Any, Final


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""What a path leads to when there is nothing, and the value of a fact that says so."""

_STEP = re.compile(r"\[([^\]]+)\]|([^.\[\]]+)")


def value_at(obj: Any, path: str) -> Any:
    """Returns what stands at a path, ABSENT when the path leads nowhere."""
    found = obj
    for bracketed, key in _STEP.findall(path):
        found = _below(found, bracketed) if bracketed else _by_key(found, key)
        if found is ABSENT:
            return ABSENT
    return found


def _below(found: Any, step: str) -> Any:
    if step == "*":
        return found if isinstance(found, list) else ABSENT
    if isinstance(found, list):
        if step.isdigit():
            return found[int(step)] if int(step) < len(found) else ABSENT
        name, _, text = step.partition("=")
        return next((one for one in found if _shown(value_at(one, name)) == text), ABSENT)
    return _by_key(found, step)


def _by_key(found: Any, key: str) -> Any:
    if isinstance(found, list):  # what follows `[*]` is asked of every element
        values = [value for value in (_by_key(one, key) for one in found) if value is not ABSENT]
        return values or ABSENT
    return found.get(key, ABSENT) if isinstance(found, dict) else ABSENT


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Values that JSON can tell, and that come back as they went: what a function may be given."""

from collections.abc import Iterator
from typing import Any

_DEEPEST = 100


def faults_in(value: Any, place: str, depth: int = 0) -> Iterator[str]:
    """Yields what JSON cannot tell about a value, each with its place; tuples are told as lists."""
    if value is None or isinstance(value, bool | int | float | str):
        return
    if depth > _DEEPEST:
        yield f"{place} is nested too deeply"
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from faults_in(one, f"{place}[{number}]", depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            if isinstance(key, str):
                yield from faults_in(one, f"{place}[{key!r}]", depth + 1)
            else:
                yield f"{place} has the key {key!r}, which is no text"
    else:
        yield f"{place} is a {type(value).__qualname__}"

"""`$(VAR)` in values, commands and paths, as Kubernetes reads it.

`$(NAME)` is replaced, `$$` stands for one `$`, and everything else that begins with `$` stays as it is. What a variable's
value brings in is not read again.
"""

import re
from collections.abc import Callable, Iterable, Mapping

_replace = re.compile(r"\$(?:(?P<escaped>\$)|\((?P<name>[^)]*)\)|(?P<other>\(|[^$(]))", re.DOTALL).sub


def expand(text: str, known: Callable[[str], str | None]) -> str:
    """Returns the text with its references replaced; one that is not known stays as it was written."""

    def replacement(match: "re.Match[str]") -> str:
        if match["escaped"]:
            return "$"
        if match["name"] is None:
            return match[0]
        value = known(match["name"])
        return match[0] if value is None else value

    return _replace(replacement, text) if "$" in text else text


def expand_all(texts: Iterable[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """Returns each of the texts with its references replaced."""
    return tuple(expand(text, values.get) for text in texts)


def missing_in(text: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the names in a text that have no value or an empty one, sorted."""
    missing = set()

    def known(name: str) -> str | None:
        if not values.get(name):
            missing.add(name)
        return None

    expand(text, known)
    return tuple(sorted(missing))

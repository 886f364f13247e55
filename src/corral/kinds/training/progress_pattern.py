"""The expression by which a user tells how a job prints its progress: RE2, so that no expression can stall the operator."""

from functools import lru_cache
from typing import Any

LONGEST_PATTERN = 1000
MOST_GROUPS = 20
LONGEST_NAME = 63


class PatternError(ValueError):
    """The text is no expression by which progress can be read."""


class ProgressPattern:
    """A checked expression; its groups are named after what they find."""

    def __init__(self, expression: Any, names: tuple[str, ...]) -> None:
        self._search = expression.search
        self.names = names

    def find(self, line: str) -> dict[str, str]:
        """Returns what the groups found in a line, nothing when the expression does not match."""
        match = self._search(line.encode(errors="replace"))
        if match is None:
            return {}
        found = match.groupdict()
        return {name.decode(): value.decode(errors="replace") for name, value in found.items() if value is not None}


@lru_cache(maxsize=256)
def progress_pattern(text: str) -> ProgressPattern:
    """Returns the checked expression; raises PatternError when it cannot be used."""
    # Here, because few jobs have a pattern and every command that reads manifests would pay for the import.
    import re2  # type: ignore[import-untyped]

    if len(text) > LONGEST_PATTERN:
        raise PatternError(f"must be no longer than {LONGEST_PATTERN} characters")
    options: Any = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        expression = re2.compile(text.encode(errors="replace"), options)
    except re2.error as fault:
        raise PatternError(f"is no RE2 expression: {fault.args[0].decode(errors='replace')}") from fault
    names = tuple(name.decode() for name in expression.groupindex)
    if not names:
        raise PatternError("must have a group named step, total or a metric, such as (?P<step>[0-9]+)")
    if len(names) > MOST_GROUPS:
        raise PatternError(f"must have no more than {MOST_GROUPS} named groups")
    return ProgressPattern(expression, names)


def fault_in(text: str) -> str:
    """Returns what is wrong with an expression, as the end of a sentence about the field, or nothing."""
    try:
        progress_pattern(text)
    except PatternError as error:
        return str(error)
    return ""

"""Regular expressions of schemas, run by RE2 as on a real server.

Whoever may create a definition chooses the expression and whoever may create an object chooses the text, so the time
of a match must grow with the length of the text only: RE2 promises that, Python's `re` does not. Go's engine, which
the real server uses, has the same syntax and the same reasons for a refusal; `_REASONS` puts them into its words.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

Test = Callable[[str], bool]

_REASONS: Final = {
    "bad repetition operator": "invalid nested repetition operator",
    "invalid UTF-8": "invalid escape sequence",
    "invalid named capture group": "invalid named capture",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "no argument for repetition operator": "missing argument to repetition operator",
    "pattern too large - compile failed": "expression too large",
    "trailing \\": "trailing backslash at end of expression",
}
_SINGLE_BYTE: Final = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_LOOK_BEHIND: Final = re.compile(r"\(\?<[=!][^>]*>?")


class PatternError(ValueError):
    """A text is no regular expression of RE2; the message is the real server's."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Test:
    """Returns the test whether a text contains a match of an expression; raises PatternError when it is none."""
    # Here, because few schemas have patterns and importing it takes a twentieth of the start.
    import re2  # type: ignore[import-untyped]

    options: Any = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(pattern.encode(errors="replace"), options).search
    except re2.error as fault:
        raise _refusal(pattern, fault.args[0].decode(errors="replace")) from fault
    if _SINGLE_BYTE.search(pattern):
        raise PatternError("error parsing regexp: invalid escape sequence: `\\C`")
    # As bytes, because the library would translate every offset of a match in a text, which nobody asks for here.
    return lambda text: search(text.encode(errors="replace")) is not None


def _refusal(pattern: str, fault: str) -> PatternError:
    reason, _, part = fault.partition(": ")
    behind = _LOOK_BEHIND.search(pattern) if part.startswith("(?<") else None
    if behind:  # Go takes it for a name that does not end
        reason, part = "invalid named capture", behind[0]
    return PatternError(f"error parsing regexp: {_REASONS.get(reason, reason)}: `{part}`")

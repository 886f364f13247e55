"""Regular expressions of schemas: written for RE2, run by Python's `re`.

The two differ where it hurts: `$` before a final newline, the meaning of `{,3}`, possessive quantifiers, flags in the
middle, POSIX classes, and ASCII-only `\\d`. `compile_pattern` rewrites the first kind and refuses what RE2 refuses, in
its words; Unicode classes (`\\p{Greek}`) exist only in RE2 and are refused by name.
"""

import re
from functools import lru_cache
from typing import Final

_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_SPACE: Final = r"\t\n\f\r "
_REPEAT: Final = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAMED: Final = re.compile(r"\(\?P?<([A-Za-z0-9_]+)>", re.ASCII)


class PatternError(ValueError):
    """A text is no regular expression that we can run; the message is RE2's where RE2 refuses it as well."""


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compiles an RE2 expression; raises PatternError when it is none, or needs what only RE2 has."""
    translated = _Translation(pattern).run()
    try:
        return re.compile(translated, re.ASCII)
    except re.error as fault:
        raise PatternError(f"error parsing regexp: {fault}") from fault


class _Translation:
    """One left-to-right pass over the expression."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.open: list[int] = []  # per open group, how many more closing brackets its inner flags need
        self.multiline = [False]
        self.repeatable = False

    def run(self) -> str:
        while self.at < len(self.pattern):
            self._step()
        if self.open:
            raise PatternError(f"error parsing regexp: missing closing ): `{self.pattern}`")
        return "".join(self.out) + ")" * self.trailing

    trailing = 0

    def _step(self) -> None:
        char = self.pattern[self.at]
        if char == "\\":
            self._escape()
        elif char == "[":
            self._take(_CharacterClass(self.pattern, self.at).run())
        elif char == "(":
            self._group()
        elif char == ")":
            self._close()
        elif char in "*+?":
            self._repeat(char)
        elif char == "{":
            match = _REPEAT.match(self.pattern, self.at)
            if match:
                self._repeat(match[0])
            else:
                self._emit(r"\{", 1)
        elif char in "^$":
            self._anchor(char)
        elif char == "|":
            self._emit("|", 1, repeatable=False)
        else:
            self._emit(re.escape(char) if char in " #" else char, 1)

    def _emit(self, text: str, length: int, repeatable: bool = True) -> None:
        self.out.append(text)
        self.at += length
        self.repeatable = repeatable

    def _take(self, part: tuple[str, int]) -> None:
        self._emit(part[0], part[1])

    def _anchor(self, char: str) -> None:
        if self.multiline[-1]:
            self._emit("(?m:^)" if char == "^" else "(?m:$)", 1)
        else:
            self._emit(r"\A" if char == "^" else r"\Z", 1)

    def _repeat(self, text: str) -> None:
        """A quantifier, and the question mark that makes it lazy; two in a row are an error in RE2."""
        if not self.repeatable:
            before = self.pattern[: self.at]
            if self.out and re.search(r"[*+?}]$", before):
                start = re.search(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??$", before)
                shown = (start[0] if start else "") + text
                raise PatternError(f"error parsing regexp: invalid nested repetition operator: `{shown}`")
            raise PatternError(f"error parsing regexp: missing argument to repetition operator: `{text}`")
        counts = [int(number) for number in re.findall(r"\d+", text)]
        if any(count > 1000 for count in counts) or (len(counts) == 2 and counts[0] > counts[1]):
            raise PatternError(f"error parsing regexp: invalid repeat count: `{text}`")
        length = len(text)
        if self.pattern[self.at + length : self.at + length + 1] == "?":
            text, length = text + "?", length + 1
        self._emit(text, length, repeatable=False)

    def _group(self) -> None:
        rest = self.pattern[self.at :]
        if not rest.startswith("(?"):
            self._open("(", 1)
            return
        named = _NAMED.match(rest)
        if named:
            self._open(f"(?P<{named[1]}>", named.end())
            return
        if re.match(r"\(\?P?<", rest):
            name, bracket, _ = rest.partition(">")
            raise PatternError(f"error parsing regexp: invalid named capture: `{name}{bracket}`")
        flags = _FLAGS.match(rest)
        if flags is None or "U" in (flags[1] + (flags[2] or "")):
            shown = re.match(r"\(\?<?.?", rest)
            raise PatternError(
                f"error parsing regexp: invalid or unsupported Perl syntax: `{shown[0] if shown else rest}`"
            )
        self._flagged(flags)

    def _flagged(self, flags: re.Match[str]) -> None:
        """`(?i)` holds to the end of its group: it becomes `(?i:` with one more bracket to close."""
        on, off = flags[1].replace("m", ""), (flags[2] or "").replace("m", "")
        text = f"(?{on}-{off}:" if off else f"(?{on}:"
        multiline = "m" in flags[1] or (self.multiline[-1] and "m" not in (flags[2] or ""))
        if flags[3] == ":":
            self._open(text, flags.end())
            self.multiline[-1] = multiline
            return
        self._emit(text, flags.end(), repeatable=False)
        self.multiline[-1] = multiline
        if self.open:
            self.open[-1] += 1
        else:
            self.trailing += 1

    def _open(self, text: str, length: int) -> None:
        self._emit(text, length, repeatable=False)
        self.open.append(0)
        self.multiline.append(self.multiline[-1])

    def _close(self) -> None:
        if not self.open:
            raise PatternError(f"error parsing regexp: unexpected ): `{self.pattern}`")
        self._emit(")" * (1 + self.open.pop()), 1)
        self.multiline.pop()

    def _escape(self) -> None:
        self._take(_escaped(self.pattern, self.at, in_class=False))


class _CharacterClass:
    """The translation of one `[...]`."""

    def __init__(self, pattern: str, at: int) -> None:
        self.pattern = pattern
        self.start = at

    def run(self) -> tuple[str, int]:
        """Returns the Python form and how many characters of the source it stands for."""
        pattern, at = self.pattern, self.start + 1
        out = ["["]
        if pattern[at : at + 1] == "^":
            out.append("^")
            at += 1
        first = True
        while at < len(pattern) and (pattern[at] != "]" or first):
            text, length = self._member(at)
            out.append(text)
            at += length
            first = False
        if at >= len(pattern):
            raise PatternError(f"error parsing regexp: missing closing ]: `{pattern[self.start :]}`")
        return "".join(out) + "]", at + 1 - self.start

    def _member(self, at: int) -> tuple[str, int]:
        posix = re.compile(r"\[:(\^?)(\w+):\]").match(self.pattern, at)
        if posix:
            if posix[2] not in _POSIX or posix[1]:
                raise PatternError(f"error parsing regexp: invalid character class range: `{posix[0]}`")
            return _POSIX[posix[2]], len(posix[0])
        char = self.pattern[at]
        if char == "\\":
            return _escaped(self.pattern, at, in_class=True)
        return (f"\\{char}", 1) if char in "[&|~]" else (char, 1)


def _escaped(pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    """Returns the Python form of one escape sequence, and its length in the source."""
    char = pattern[at + 1 : at + 2]
    if not char:
        raise PatternError("error parsing regexp: trailing backslash at end of expression: ``")
    if char in "sS":
        if not in_class:
            return (f"[{_SPACE}]" if char == "s" else f"[^{_SPACE}]"), 2
        return (_SPACE if char == "s" else "\\S"), 2
    if char == "x":
        return _hexadecimal(pattern, at)
    if char in "dDwWtnrfv" or (char in "bBA" and not in_class):
        return f"\\{char}", 2
    if char == "a":
        return "\\x07", 2
    if char == "z" and not in_class:
        return r"\Z", 2
    if char == "Q" and not in_class:
        end = pattern.find(r"\E", at)
        quoted = pattern[at + 2 :] if end < 0 else pattern[at + 2 : end]
        return re.escape(quoted), len(quoted) + (2 if end < 0 else 4)
    octal = re.compile(r"\\(0[0-7]{0,2}|[1-7][0-7]{1,2})").match(pattern, at)
    if octal:
        return f"\\x{int(octal[1], 8) & 0xFF:02x}", len(octal[0])
    if char in "pP":
        raise PatternError(f"Unicode classes such as `{pattern[at : at + 8]}` are not supported by this release")
    if char.isascii() and char.isalnum():
        raise PatternError(f"error parsing regexp: invalid escape sequence: `\\{char}`")
    return f"\\{char}", 2


def _hexadecimal(pattern: str, at: int) -> tuple[str, int]:
    match = re.compile(r"\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))").match(pattern, at)
    if match is None or int(match[1] or match[2], 16) > 0x10FFFF:
        raise PatternError(f"error parsing regexp: invalid escape sequence: `{pattern[at : at + 4]}`")
    return f"\\U{int(match[1] or match[2], 16):08x}", len(match[0])

"""Regular expressions mean what they mean to the real server, or are refused with its words."""

import subprocess
import sys
import time

import msgspec
import pytest

from corral.engine.apiserver.schema.patterns import PatternError, compile_pattern

MEANINGS = [
    ("^[a-z]([-a-z0-9]*[a-z0-9])?$", "ab-c", True),
    ("^a$", "a\n", False),
    ("a{,3}", "a{,3}", True),
    ("a{,3}", "aa", False),
    ("[[:alpha:]_-]+", "x", True),
    ("(?i)^abc$", "ABC", True),
    ("a(?i)b", "aB", True),
    ("(a(?i)b)c", "aBC", False),
    (r"^\d+$", "\u0661", False),
    (r"^\s$", "\v", False),
    (r"\Qa.b\E", "axb", False),
    (r"[\s\d]+", "5", True),
    (r"^[^[&|]+$", "a[", False),
    (r"\x{41}", "A", True),
    ("(?m)^b$", "a\nb\nc", True),
    ("(?s)a.c", "a\nc", True),
    ("(?<year>[0-9]{4})", "2020", True),
    (r"[^/]+/[]a]", "x/]", True),
    (r"a\z", "a", True),
    ("x*?y", "xxy", True),
    (r"^\p{Greek}+$", "αβγ", True),
    (r"^\pL$", "1", False),
    ("^.$", "é", True),
    ("(?U)^a+", "aa", True),
    ("[[:^digit:]]", "5", False),
]


@pytest.mark.parametrize(("pattern", "text", "matches"), MEANINGS)
def test_a_pattern_matches_as_in_re2(pattern: str, text: str, matches: bool) -> None:
    assert compile_pattern(pattern)(text) == matches


REFUSED = {
    "(?=a)": "invalid or unsupported Perl syntax: `(?=`",
    "(?<=a)": "invalid named capture: `(?<=a)`",
    r"(a)\1": r"invalid escape sequence: `\1`",
    "a++": "invalid nested repetition operator: `++`",
    "*a": "missing argument to repetition operator: `*`",
    "[a": "missing closing ]: `[a`",
    "(a": "missing closing ): `(a`",
    "a)": "unexpected ): `a)`",
    "a{2000}": "invalid repeat count: `{2000}`",
    r"\Z": r"invalid escape sequence: `\Z`",
    r"\C": r"invalid escape sequence: `\C`",
    "\\": "trailing backslash at end of expression: ``",
    "(?<!a)": "invalid named capture: `(?<!a)`",
    "(?P<n": "invalid named capture: `(?P<n`",
    "(?P=n)": "invalid or unsupported Perl syntax: `(?P`",
    "[z-a]": "invalid character class range: `z-a`",
    r"\p{Nope}": r"invalid character class range: `\p{Nope}`",
    "((a{100}){100}){100}": "invalid repeat count: `{100}`",
    "a{3}{4}": "invalid nested repetition operator: `{3}{4}`",
}


@pytest.mark.parametrize(("pattern", "reason"), REFUSED.items())
def test_what_re2_refuses_is_refused_in_its_words(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as refusal:
        compile_pattern(pattern)
    assert str(refusal.value) == f"error parsing regexp: {reason}"


def test_time_grows_with_the_text_only() -> None:
    """A hundred thousand characters would take a backtracking engine longer than the universe."""
    text = "a" * 100_000
    began = time.process_time()
    assert not compile_pattern("^(a+)+$")(text + "!")
    hard = time.process_time() - began
    began = time.process_time()
    assert len(msgspec.json.encode(list(text))) > len(text)  # work that is linear for certain
    assert hard < 50 * (time.process_time() - began) + 0.1


def test_the_server_starts_without_the_library() -> None:
    """Most servers see no pattern; those pay nothing for the library."""
    code = "import sys, corral.engine.apiserver.__main__ as m; sys.exit('re2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

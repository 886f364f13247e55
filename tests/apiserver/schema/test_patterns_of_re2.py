"""Regular expressions mean what they mean to the real server, or are refused with its words."""

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
]


@pytest.mark.parametrize(("pattern", "text", "matches"), MEANINGS)
def test_a_pattern_matches_as_in_re2(pattern: str, text: str, matches: bool) -> None:
    assert bool(compile_pattern(pattern).search(text)) == matches


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
}


@pytest.mark.parametrize(("pattern", "reason"), REFUSED.items())
def test_what_re2_refuses_is_refused_in_its_words(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as refusal:
        compile_pattern(pattern)
    assert str(refusal.value) == f"error parsing regexp: {reason}"


def test_what_only_re2_has_is_refused_by_name() -> None:
    with pytest.raises(PatternError, match="not supported by this release"):
        compile_pattern(r"\p{Greek}")

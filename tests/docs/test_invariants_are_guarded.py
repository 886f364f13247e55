"""Every numbered invariant is cited by a test that guards it, and tests cite only invariants that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/design/invariants.md").read_text()
NUMBERS = re.findall(r"^- \*\*([A-Z]\d+)\*\*", PAGE, re.MULTILINE)
UNGUARDED = re.findall(r"^- ([A-Z]\d+):", PAGE.partition("## Not guarded yet")[2], re.MULTILINE)
CITATION = re.compile(r"(?:\b[Ii]nvariants? |^)((?:[A-Z]\d+(?:, | and )?)+)(?=[:.,; )]|$)")
DEFINITIONS = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _cited() -> set[str]:
    found: set[str] = set()
    for path in ROOT.glob("tests/**/test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            text = (ast.get_docstring(node) or "") if isinstance(node, DEFINITIONS) else ""
            for match in CITATION.finditer(text):
                found.update(re.findall(r"[A-Z]\d+", match[1]))
    return {number for number in found if number[0] in {known[0] for known in NUMBERS}}


def test_numbers_are_used_once() -> None:
    assert len(NUMBERS) == len(set(NUMBERS)) > 30


def test_every_invariant_is_cited_or_listed_as_not_guarded() -> None:
    assert sorted(set(NUMBERS) - _cited() - set(UNGUARDED)) == []


def test_only_invariants_that_exist_are_cited() -> None:
    assert sorted(_cited() - set(NUMBERS)) == []


def test_what_is_cited_is_not_listed_as_not_guarded() -> None:
    assert sorted(set(UNGUARDED) & _cited()) == []
    assert sorted(set(UNGUARDED) - set(NUMBERS)) == []

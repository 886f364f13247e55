"""`$(VAR)` as Kubernetes reads it: the table is that of its own tests, and what users trip over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.node.expansion import expand, expand_all, missing_in

VALUES = {"A": "1", "B": "two", "EMPTY": "", "ODD": "$(A)", "a.b": "dotted", "": "no name"}

CASES = {
    "no reference": ("plain", "plain"),
    "one": ("$(A)", "1"),
    "several": ("$(A)-$(B)$(A)", "1-two1"),
    "in the midst of text": ("x$(A)y", "x1y"),
    "an empty value": ("x$(EMPTY)y", "xy"),
    "a name with a dot": ("$(a.b)", "dotted"),
    "unknown stays as written": ("$(NOPE) $(A)", "$(NOPE) 1"),
    "escaped": ("$$(A)", "$(A)"),
    "escaped twice": ("$$$(A)", "$1"),
    "escaped four times": ("$$$$(A)", "$$(A)"),
    "two dollars alone": ("$$", "$"),
    "a dollar at the end": ("cost$", "cost$"),
    "a shell variable is not ours": ("$A ${A}", "$A ${A}"),
    "never closed": ("$(A", "$(A"),
    "never closed, then one that is": ("$(A $(B)", "$(A $(B)"),
    "what a value brings in is not read again": ("$(ODD)", "$(A)"),
    "an empty name": ("$()", "no name"),
    "a dollar before another": ("$x$$(A)", "$x$(A)"),
    "over a line": ("$\n$(A)", "$\n1"),
}


@pytest.mark.parametrize(("text", "want"), CASES.values(), ids=CASES)
def test_references_are_replaced(text: str, want: str) -> None:
    assert expand(text, VALUES.get) == want


def test_all_words_of_a_command_are_read() -> None:
    assert expand_all(["a", "$(A)", "$$(A)"], VALUES) == ("a", "1", "$(A)")


def test_names_without_a_value_are_found() -> None:
    assert missing_in("$(A)/$(NOPE)/$(EMPTY)/$$(ESCAPED)", VALUES) == ("EMPTY", "NOPE")


@given(st.text(alphabet="$()Ax", max_size=20))
def test_nothing_known_changes_only_escapes(text: str) -> None:
    assert expand(text, lambda _: None).replace("$", "") == text.replace("$", "")


@given(st.text(max_size=30))
def test_doubling_every_dollar_gives_the_text_itself(text: str) -> None:
    assert expand(text.replace("$", "$$"), VALUES.get) == text

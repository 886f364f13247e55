"""The guide of queues, typed line by line on nodes that only play: every answer is that of the page.

The scheduler tells how queues stand a second or two later; so what only looks is typed again until the answer is the one of the page.
"""

import time
from pathlib import Path

import pytest

from tests.docs.test_quickstart_is_replayed import common
from tests.docs.test_the_guide_of_giving_way_is_replayed import home, terminal
from tests.docs.transcript import Terminal, Typed, WrittenFile, steps_of

__all__ = ["home", "terminal"]

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "queues.md").read_text()
LONGEST = 120.0
LOOKS = ("corral top", "corral why", "corral get")


@pytest.fixture
def machine(terminal: Terminal) -> Terminal:
    """A terminal on a machine with two nodes of four GPUs."""
    terminal.answer_to("corral up --fake-nodes 2x4", LONGEST)
    return terminal


@pytest.mark.timeout(300)
def test_the_guide_answers_as_the_page_says(home: Path, machine: Terminal) -> None:
    typed = 0
    for step in steps_of(PAGE):
        if isinstance(step, WrittenFile):
            (home / step.name).write_text(step.text)
            continue
        answer = answered(machine, step, home)
        assert common(answer, here=home) == common(step.answer), f"$ {step.command}\n{answer}"
        typed += 1
    assert typed > 25


def answered(terminal: Terminal, step: Typed, here: Path) -> str:
    """Returns the answer to a line, for one that only looks the first that is as expected, or the last one in time."""
    deadline = time.monotonic() + LONGEST
    while True:
        answer = terminal.answer_to(step.command, LONGEST)
        is_right = common(answer, here=here) == common(step.answer)
        if is_right or not step.command.startswith(LOOKS) or time.monotonic() > deadline:
            return answer

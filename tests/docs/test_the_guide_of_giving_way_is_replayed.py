"""The guide of jobs that give way, typed line by line on nodes that only play: every answer is that of the page."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_quickstart_is_replayed import common
from tests.docs.transcript import Terminal, Typed, WrittenFile, steps_of

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "jobs-that-give-way.md").read_text()
LONGEST = 120.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a user."""
    place = tmp_path / "you"
    place.mkdir()
    return place


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    """A shell that finds the `corral` of the environment that runs the tests."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert shutil.which("corral", path=path)
    terminal = Terminal(home, {**kept, "PATH": path, "HOME": str(home), "TERM": "xterm", "NO_COLOR": "1"})
    try:
        yield terminal
    finally:
        terminal.answer_to("corral down", LONGEST)
        terminal.close()


@pytest.mark.timeout(300)
def test_the_guide_answers_as_the_page_says(home: Path, terminal: Terminal) -> None:
    typed = 0
    for step in steps_of(PAGE):
        if isinstance(step, WrittenFile):
            (home / step.name).write_text(step.text)
            continue
        assert isinstance(step, Typed)
        answer = terminal.answer_to(step.command, LONGEST)
        assert common(answer, here=home) == common(step.answer), f"$ {step.command}\n{answer}"
        typed += 1
    assert typed > 15

"""The quickstart, typed line by line as a new user would, in a home of its own: every answer is word for word that of the page.

What differs from run to run is replaced on both sides by the few placeholders below; the width of columns follows from what
stands in them, so blanks between words are compared as such and not counted. Nothing is downloaded: the packages that Corral
needs are those of the environment that runs the tests.
"""

import os
import re
import site
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.docs.transcript import Terminal, Typed, WrittenFile, steps_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "quickstart.md").read_text()
PLACEHOLDERS: Mapping[str, str] = {
    "PORT": r"(?<=127\.0\.0\.1:)\d+",
    "PID": r"(?<=pid )\d+",
    "MILLISECONDS": r"\d+(?= ms\b)",
    "MOMENT": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
    "DURATION": r"\b\d+s\b",
    "LETTERS": r"(?<=\btrain-)[a-z0-9]{5}\b",
}
"""What a run cannot repeat, by the word that stands for it."""
LONGEST = 120.0
"""Seconds that one line may take; the first one makes an environment."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a user who has a checkout of Corral and nothing else."""
    place = tmp_path / "you"
    place.mkdir()
    (place / "corral").symlink_to(ROOT)
    return place


@pytest.fixture
def terminal(home: Path) -> Iterator[Terminal]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    quiet = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    terminal = Terminal(home, {**kept, **quiet, "HOME": str(home), "TERM": "xterm", "NO_COLOR": "1"})
    try:
        yield terminal
    finally:
        terminal.answer_to("corral down", LONGEST)
        terminal.close()


def test_the_quickstart_answers_as_the_page_says(home: Path, terminal: Terminal) -> None:
    typed = 0
    for step in steps_of(PAGE):
        if isinstance(step, WrittenFile):
            (home / step.name).write_text(step.text)
            continue
        if step.command.startswith("pip install"):
            lend_packages(home / "corral-environment")
        answer = terminal.answer_to(step.command, LONGEST)
        assert common(answer, here=home) == common(step.answer), f"$ {step.command}\n{answer}"
        typed += 1
    assert typed > 10


def test_the_page_holds_what_a_first_hour_needs() -> None:
    verbs = {
        step.command.split()[1] for step in steps_of(PAGE) if isinstance(step, Typed) and "corral " in step.command
    }
    assert verbs >= {"up", "run", "submit", "logs", "list", "get", "why", "delete", "down"}


def common(text: str, here: Path | None = None) -> list[str]:
    """Returns the lines of an answer with what differs between runs replaced."""
    if here is not None:
        text = text.replace(str(here), "/home/you")
        text = re.sub(rf"(?<![\w.-]){re.escape(socket.gethostname().lower())}(?![\w.-])", "laptop", text)
    for word, pattern in PLACEHOLDERS.items():
        text = re.sub(pattern, word, text)
    return [re.sub(r"(?<=\S) {2,}", "  ", line.rstrip()) for line in text.splitlines()]


def lend_packages(environment: Path) -> None:
    """Gives a new environment the packages of ours, but not Corral itself."""
    lent = environment / "lent"
    lent.mkdir()
    for folder in site.getsitepackages():
        for one in Path(folder).iterdir():
            if "corral" not in one.name and not one.name.endswith(".pth"):
                (lent / one.name).symlink_to(one)
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "lent.pth").write_text(f"{lent}\n")

"""Who waits is told what for, and who cannot be asked is told which flag answers."""

import os
import pty
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from corral.control.desk.patience import remarks as patience
from corral.engine.supervisor.home import Home
from corral.engine.supervisor.readiness import wait_ready
from corral.errors import RetryError
from corral.surfaces.cli.speech.asking import answer_to
from corral.surfaces.cli.speech.manner import MANNER
from corral.surfaces.cli.speech.mistyped import Mistyped
from tests.surfaces.conftest import Cli
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]


def test_a_quick_wait_says_nothing() -> None:
    told: list[str] = []
    patience.Patience(told.append).remark("it is not there yet")
    assert told == []


def test_a_long_wait_says_what_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "TELLS_AFTER", 0.0)
    told: list[str] = []
    waiting = patience.Patience(told.append)
    waiting.remark("a is not there yet")
    waiting.remark("b is not there yet")
    assert told == ["waiting: a is not there yet", "waiting: b is not there yet"]


def test_a_start_that_takes_long_leaves_time_for_words(tmp_path: Path) -> None:
    """A server that takes the connection and does not answer, as one that still loads."""
    slices: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(RetryError, match="not become ready"):
        wait_ready(Home(str(tmp_path)), silent.getsockname()[1], 0.5, lambda: slices.append(1))
    assert len(slices) >= 2


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[str]]:
    """The keyboard of a terminal that stdin is."""
    keyboard, screen = pty.openpty()
    with os.fdopen(keyboard, "w") as keys, os.fdopen(screen, "r") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keys


@pytest.mark.usefixtures("typed")
def test_a_question_is_answered_at_a_terminal(terminal: IO[str]) -> None:
    terminal.write("3\n")
    terminal.flush()
    assert answer_to("Type 3", otherwise="3 would go", flag="-y") == "3"


@pytest.mark.usefixtures("terminal", "typed")
@pytest.mark.parametrize("way", ["flag", "variable"])
def test_nobody_is_asked_who_does_not_want_to_be(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "flag":
        monkeypatch.setattr(MANNER, "no_input", True)
    else:
        monkeypatch.setenv("CORRAL_NO_INPUT", "1")
    with pytest.raises(Mistyped, match="3 would go, and nobody can be asked") as refused:
        answer_to("Type 3", otherwise="3 would go", flag="-y does it without asking")
    assert refused.value.hint == "-y does it without asking"


def test_the_flag_is_taken_before_and_behind_a_command(typed: Typing) -> None:
    assert typed("--no-input", "version").status == 0
    assert typed("version", "--no-input").status == 0


def test_a_job_that_can_never_run_here_is_not_waited_for(
    cli: Cli, corral_home: Path, typed: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No node of this machine ever grows; on a cluster one may come, and the wait goes on with the reason in its lines."""
    assert cli("up", "--no-node", "--fake-nodes", "1x4:V100").returncode == 0
    monkeypatch.setenv("CORRAL_HOME", str(corral_home))
    monkeypatch.setattr(patience, "TELLS_AFTER", 1.0)
    done = typed("submit", "pytorchjob", "--name", "big", "--image", "x", "--gpus", "8", "--wait", "true")
    assert done.status == 6, done.err
    error, hint = done.err.splitlines()[-2:]
    assert error.startswith("error: big waits in vain: ")
    assert "can never run here" in error
    assert hint == "hint: the job stays; `corral why big` tells more, `corral delete big` ends it"
    assert typed("wait", "big", "--for", "delete", "--timeout", "2s").status == 7

"""Colours: on terminals, unless somebody says otherwise; one rule for everything, and nothing told by colour alone."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from corral.surfaces.cli.render.terminal import is_coloured
from tests.surfaces.conftest import private_environment
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]

RULES: dict[str, tuple[str, dict[str, str], bool, bool]] = {
    "a terminal": ("", {"TERM": "xterm"}, True, True),
    "a pipe": ("", {"TERM": "xterm"}, False, False),
    "auto is the same": ("auto", {}, True, True),
    "NO_COLOR": ("", {"NO_COLOR": "1"}, True, False),
    "an empty NO_COLOR says nothing": ("", {"NO_COLOR": ""}, True, True),
    "a dumb terminal": ("", {"TERM": "dumb"}, True, False),
    "FORCE_COLOR into a pipe": ("", {"FORCE_COLOR": "1"}, False, True),
    "FORCE_COLOR of 0 says nothing": ("", {"FORCE_COLOR": "0"}, False, False),
    "NO_COLOR over FORCE_COLOR": ("", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    "always over all": ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
    "never over all": ("never", {"FORCE_COLOR": "1"}, True, False),
}


@pytest.mark.parametrize("case", RULES)
def test_when_there_are_colours(case: str) -> None:
    mode, environ, is_terminal, want = RULES[case]
    assert is_coloured(mode, environ, is_terminal=is_terminal) is want


def test_errors_are_red_and_hints_dim_when_asked_for(typed: Typing) -> None:
    plain = typed("lsit", "--color=never").err
    assert plain == 'error: there is no command "corral lsit"\nhint: did you mean "list"?\n'
    coloured = typed("--color=always", "lsit").err
    assert coloured.startswith("\x1b[31merror:\x1b[0m there is no command")
    assert coloured.splitlines()[1] == '\x1b[2mhint: did you mean "list"?\x1b[0m'


def test_a_variable_and_a_setting_say_it_for_all_commands(typed: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    from corral.surfaces.cli.render.terminal import colours_wanted

    assert not colours_wanted(is_terminal=False)
    typed("config", "set", "color", "always")
    assert colours_wanted(is_terminal=False)
    monkeypatch.setenv("CORRAL_COLOR", "never")
    typed("version")
    assert not colours_wanted(is_terminal=True)


def shown_on_terminal(folder: Path, *words: str, **more: str) -> str:
    """Returns what a command writes to stderr when that is a terminal."""
    keyboard, screen = pty.openpty()
    environment = {**private_environment(folder / "home"), "TERM": "xterm", **more}
    command = [sys.executable, "-m", "corral", *words]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=screen)
    os.close(screen)
    shown = b""
    try:
        while data := os.read(keyboard, 4096):
            shown += data
    except OSError:  # the terminal has gone with its last writer
        pass
    finally:
        os.close(keyboard)
    process.wait(60)
    return shown.decode()


def test_a_terminal_sees_colours_of_ours_and_none_of_others(tmp_path: Path) -> None:
    shown = shown_on_terminal(tmp_path, "a\x1b[31mb\x1b]0;owned\x07")
    assert shown.startswith("\x1b[31merror:\x1b[0m there is no command")
    assert shown.count("\x1b") == 4
    assert "\x07" not in shown
    assert "\x1b" not in shown_on_terminal(tmp_path, "lsit", NO_COLOR="1")

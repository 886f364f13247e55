"""A page with a transcript: what it tells to type, what it says comes back, and a terminal on which to type it again.

Blocks of `console` hold command lines behind a dollar and their answers; a block of code that names a file is that file.
"""

import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SENTINEL = b"\x01"
COLUMNS, LINES = 100, 40


class Typed(NamedTuple):
    """A command line, and what comes back."""

    command: str
    answer: str


class WrittenFile(NamedTuple):
    """A file that is written before the next line is typed."""

    name: str
    text: str


def steps_of(page: str) -> Iterator[Typed | WrittenFile]:
    """Yields what a page tells to do, in its order."""
    for about, text in _BLOCK.findall(page):
        language, _, name = about.partition(" ")
        if name:
            yield WrittenFile(name, text)
        elif language == "console":
            for command, answer in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
                yield Typed(command, answer)


class Terminal:
    """A shell whose output is a terminal, as a user has it; answers are read until it is ready for the next line."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._screen, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (LINES, COLUMNS))
        modes = termios.tcgetattr(theirs)
        modes[1] &= ~termios.OPOST  # lines end as they were written
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)

    def answer_to(self, command: str, within: float) -> str:
        """Types a line and returns what came back."""
        keyboard = self._shell.stdin
        assert keyboard is not None
        # One compound command: what runs in it cannot read what is typed behind it.
        keyboard.write(f"{{ {command}\n}} </dev/null; printf '\\001'\n".encode())
        keyboard.flush()
        heard, deadline = b"", time.monotonic() + within
        while not heard.endswith(_SENTINEL):
            ready, _, _ = select.select([self._screen], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{command}: no end after {within:g} s, only {heard.decode(errors='replace')!r}"
            heard += os.read(self._screen, 65536)
        return heard.removesuffix(_SENTINEL).decode()

    def close(self) -> None:
        """Ends the shell."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait(timeout=30)
        os.close(self._screen)

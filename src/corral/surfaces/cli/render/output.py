"""Writing answers: harmless on a terminal, as they are into a file or a pipe."""

import os
import sys

import click

from corral.surfaces.cli.render.terminal import is_coloured
from corral.surfaces.cli.speech.harmless import harmless
from corral.surfaces.cli.speech.manner import MANNER


def say(text: str, *, end: str = "\n") -> None:
    """Writes an answer to stdout."""
    click.echo((harmless(text) if sys.stdout.isatty() else text) + end, nl=False)


def say_painted(text: str) -> None:
    """Writes an answer whose parts were made harmless before they were coloured."""
    click.echo(text, color=True)


def tell(text: str) -> None:
    """Writes a remark to stderr; where there are colours, errors are red, hints are dim, and what is waited for is yellow."""
    is_terminal = sys.stderr.isatty()
    shown = harmless(text) if is_terminal else text
    if is_coloured(MANNER.color or os.environ.get("CORRAL_COLOR", ""), os.environ, is_terminal=is_terminal):
        shown = "\n".join(_painted(harmless(line)) for line in text.split("\n"))
    click.echo(shown, err=True, color=True)


def say_to_nobody() -> None:
    """Lets whatever is still said go nowhere: its reader has left."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _painted(line: str) -> str:
    for word, colour in _REMARKS.items():
        if line.startswith(word):
            painted = line if word == "hint:" else word
            return f"\x1b[{colour}m{painted}\x1b[0m{line[len(painted) :]}"
    return line


_REMARKS = {"error:": 31, "hint:": 2, "waiting:": 33}

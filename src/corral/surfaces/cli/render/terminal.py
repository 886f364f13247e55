"""Where an answer goes: how wide a terminal is, and whether colours are wanted there."""

import os
import sys
from typing import NamedTuple

from corral.surfaces.cli.render.harmless import harmless

_CHOICE = {"color": "auto"}
"""What `--color` says; it holds for the whole process."""


class Surroundings(NamedTuple):
    """What is known about stdout; a width of None is a file or a pipe, into which everything fits."""

    width: int | None = None
    is_coloured: bool = False

    def safe(self, text: str) -> str:
        """Returns a text as it may be shown here: where people see it, nothing in it can steer a terminal."""
        return text if self.width is None and not self.is_coloured else harmless(text)


def choose_colours(word: str) -> None:
    """Takes what `--color` says: auto, always or never."""
    _CHOICE["color"] = word


def surroundings() -> Surroundings:
    """Returns what is known about stdout."""
    is_terminal = sys.stdout.isatty()
    return Surroundings(_width() if is_terminal else None, colours_wanted(is_terminal=is_terminal))


def colours_wanted(*, is_terminal: bool) -> bool:
    """Whether colours are wanted: on a terminal, unless the user said otherwise by `--color`, NO_COLOR or TERM."""
    if _CHOICE["color"] != "auto":
        return _CHOICE["color"] == "always"
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except OSError:
        return 80

"""Where an answer goes: how wide a terminal is, and whether colours are wanted there."""

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from corral.surfaces.cli.speech.harmless import harmless
from corral.surfaces.cli.speech.manner import MANNER


class Surroundings(NamedTuple):
    """What is known about stdout; a width of None is a file or a pipe, into which everything fits."""

    width: int | None = None
    is_coloured: bool = False

    def safe(self, text: str) -> str:
        """Returns a text as it may be shown here: where people see it, nothing in it can steer a terminal."""
        return text if self.width is None and not self.is_coloured else harmless(text)


def surroundings() -> Surroundings:
    """Returns what is known about stdout."""
    is_terminal = sys.stdout.isatty()
    return Surroundings(_width() if is_terminal else None, colours_wanted(is_terminal=is_terminal))


def colours_wanted(*, is_terminal: bool) -> bool:
    """Whether an answer is coloured, by `--color`, by settings, by the environment and by where it goes."""
    return is_coloured(MANNER.color or _set_by_user(), os.environ, is_terminal=is_terminal)


def is_coloured(mode: str, environ: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether text is coloured: as the mode says, else as NO_COLOR, FORCE_COLOR and TERM say, else on terminals."""
    if mode in ("always", "never"):
        return mode == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_terminal and environ.get("TERM") != "dumb"


def _set_by_user() -> str:
    """Returns what the settings of the user say; asked once, since a list that is watched asks again and again."""
    if not MANNER.color:
        from corral import assembly  # who shows a list has it already

        MANNER.color = assembly.read_settings().of("color").value or "auto"
    return MANNER.color


def _width() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except OSError:
        return 80

"""Tells an answer that could not be written from everything else that an operating system refuses."""

from typing import Final

_WRITERS: Final = ("click.utils", "corral.surfaces.cli.render.log_lines", "corral.surfaces.cli.acts.live_command")
"""The modules that write to stdout and stderr, and to nothing else."""


def is_of_the_answer(error: OSError) -> bool:
    """Whether writing the answer was refused: then the error was raised where answers are written, and names no file."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return error.filename is None and place is not None and place.tb_frame.f_globals.get("__name__") in _WRITERS

"""What the commands that change crons have in common: one cron after the other, and a failure keeps none back."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from corral.errors import CorralError
from corral.ports.refusals import ConflictError
from corral.surfaces.cli.connection import connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, exit_status
from corral.surfaces.cli.speech.spoken import spoken

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


def to_each(names: Sequence[str], act: "Callable[[Session, Found], object]", done: str, *, doing: str) -> int:
    """Does something to each cron and says `done` of it; returns the exit status."""
    from corral.control.desk.making.crons import cron_named
    from corral.errors import PermanentError

    refused: list[CorralError] = []
    with connected(doing=doing) as session:
        for name in names:
            try:
                act(session, cron_named(session, name))
                say(f"cron {name} {done}")
            except (PermanentError, ConflictError) as error:
                refused.append(error)
                tell(spoken(error))
    return exit_status(refused[0]) if refused else DONE

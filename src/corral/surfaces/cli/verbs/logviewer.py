"""`corral logviewer`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from corral import assembly
from corral.surfaces.cli.connection import api_options, connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.words.durations import seconds_given
from corral.surfaces.cli.words.trainer_type import type_option

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session

_LINES = 2_000
"""So many of the last lines of each pod are shown, as at the API of one machine."""


@click.command()
@click.argument("job")
@type_option
@click.option(
    "--expires-in",
    "seconds",
    callback=seconds_given,
    default="1h",
    show_default=True,
    metavar="TIME",
    help="How long the address works, on one machine.",
)
@api_options
def logviewer(job: str, trainer: str, seconds: int) -> None:
    """Print the address of a page with the logs of a job.

    On one machine the API serves it; whoever has the address can read these logs until it expires, and nothing else. On a
    cluster the command itself serves it, on this machine, until Ctrl-C.
    """
    from corral.control.desk.naming.finding import job_or_pod

    with connected() as session:
        found = job_or_pod(session, job, trainer=trainer)
        if session.is_embedded:
            _announce(assembly.signed_log_link(*found.key, seconds))
        else:
            tell("the page is served until you press Ctrl-C")
            assembly.serve_log_page(lambda: _text(session, found), _announce)


def _announce(address: str) -> None:
    say(f"Your LogViewer will be available on:\n{address}")


def _text(session: "Session", found: "Found") -> Iterator[bytes]:
    """Yields the logs as they are now; each reader has a connection of their own."""
    from corral.control.desk.logs.reading import Printed, read_present, shelf_of
    from corral.control.desk.logs.sources import Choice
    from corral.errors import CorralError

    own = session._replace(store=session.open_store())
    try:
        shelf = shelf_of(own, found)
        for heard in read_present(own, shelf, Choice(tail=_LINES)):
            if isinstance(heard, Printed):
                mark = f"[{heard.source.label}] ".encode() if len(shelf.pods) > 1 else b""
                for piece in heard.pieces:
                    yield (mark if piece.starts else b"") + piece.text + (b"\n" if piece.ends else b"")
            else:
                yield f"# {heard.text}\n".encode()
    except CorralError as error:
        yield f"# {error.message}\n".encode()
    finally:
        own.store.close()

"""What the pods of a job print, as lines for a program."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from corral.control.desk.logs.cursor import Piece
from corral.control.desk.logs.following import Ended, Following
from corral.control.desk.logs.reading import Note, Printed, read_present, shelf_of
from corral.control.desk.logs.sources import Choice
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.surfaces.sdk.functions.rank_program import MARK

LONGEST_LINE: Final = 1024 * 1024
"""A line that is longer comes in several parts."""


class LogLine(NamedTuple):
    """One line that a pod has printed."""

    rank: str
    """Who printed it: `worker-0`, `master-0`."""
    text: str
    time: datetime | None = None
    """When it was printed, as the node noted it."""

    def __str__(self) -> str:
        return f"[{self.rank}] {self.text}"


class LogStream:
    """The lines of a job, until now or until it ends; may be left from another thread."""

    def __init__(
        self, session: Session, job: Found, choice: Choice, *, follow: bool, with_results: bool = False
    ) -> None:
        self._session = session
        self._job = job
        self._choice = choice
        self._hidden = () if with_results else (MARK,)
        self._following = Following(session, job, choice) if follow else None
        self._open: dict[str, list[Piece]] = {}

    def batches(self) -> Iterator[Sequence[LogLine]]:
        """Yields lines as they come, several at once where they came together."""
        for heard in self._heard():
            if isinstance(heard, Printed):
                found = (line for piece in heard.pieces for line in self._whole(heard.source.label, piece))
                lines = [line for line in found if not line.text.startswith(self._hidden)]
                if lines:
                    yield lines
        rest = [_line(rank, pieces) for rank, pieces in self._open.items() if pieces]
        if rest:
            yield rest

    def leave(self) -> None:
        """Ends it, from any thread."""
        if self._following is not None:
            self._following.leave()
        self._session.store.cut()

    def _heard(self) -> Iterator[Printed | Note | Ended]:
        if self._following is not None:
            return self._following.events()
        return read_present(self._session, shelf_of(self._session, self._job), self._choice)

    def _whole(self, rank: str, piece: Piece) -> Iterator[LogLine]:
        """Yields what a piece completes."""
        held = self._open.setdefault(rank, [])
        if piece.starts and held:
            yield _line(rank, held)
            held.clear()
        held.append(piece)
        if piece.ends or sum(len(one.text) for one in held) > LONGEST_LINE:
            yield _line(rank, held)
            held.clear()


def _line(rank: str, pieces: Sequence[Piece]) -> LogLine:
    text = b"".join(piece.text for piece in pieces).decode("utf-8", "replace")
    return LogLine(rank, text.removesuffix("\r"), _time(pieces[0].stamp))


def _time(stamp: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp.decode())
    except ValueError:
        return None

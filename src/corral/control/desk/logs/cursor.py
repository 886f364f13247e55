"""Where a reader of one log is, so that it can go on after a cut without losing or doubling a line. Pure.

A server is asked for time stamps, and after a cut once more from the second of the last one on. What it then repeats is
known by its text: the reader remembers the latest lines as checksums and passes over everything up to the place where
they come again. Stamps alone would not do: several lines may share one, and a node that notes times only now and then may
give a line another one later. A line that is too long to be held is handed on in parts; a cut within such a line goes on
behind its last byte.
"""

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from zlib import crc32

LONGEST_HELD: Final = 64 * 1024
"""How much of a line without an end is held before its beginning is handed on."""
REMEMBERED: Final = 4096
"""How many lines are known when they come again."""
SURELY: Final = 64
"""How many must come again when the stream begins before what is remembered."""
DRIFT_SECONDS: Final = 6
"""By how much a node may tell a later time of a line than before: it notes times only now and then."""
MOST_STARTS: Final = 512
"""How many places are tried; only a log that says the same again and again has so many."""
MOST_DOUBTFUL: Final = 4 * 1024 * 1024
"""How much is held back while the place is not found."""


class Piece(NamedTuple):
    """A line, or a part of one that is very long."""

    stamp: bytes
    """When it was printed, as the server writes it; of a further part that of the line."""
    text: bytes
    starts: bool = True
    ends: bool = True


class _Line:
    """The sum of a line as far as it was read: what it is known by."""

    def __init__(self) -> None:
        self.check = 0
        self.length = 0

    def add(self, text: bytes) -> None:
        """Adds a part."""
        self.check = crc32(text, self.check)
        self.length += len(text)

    def known_as(self, stamp: bytes) -> "_Known":
        """Returns what it can be known by when it comes again."""
        return _Known(self.check, self.length, stamp)


class _Known(NamedTuple):
    """What a line that was read is known by."""

    check: int
    length: int
    stamp: bytes

    def comes_again_as(self, other: "_Known") -> bool:
        """Whether another line can be this one: the same text, told to be as old or a little younger."""
        if (self.check, self.length) != (other.check, other.length):
            return False
        if self.stamp == other.stamp:
            return True
        before, after = nanoseconds(self.stamp), nanoseconds(other.stamp)
        return before <= after <= before + DRIFT_SECONDS * 1_000_000_000


class _Search:
    """The search for the place at which the reader was, in a stream that begins before it.

    `least` lines are repeated for sure: those of the second from which the server was asked. When they are more than are
    remembered, the first ones cannot be known again, and so many of the last must be instead.
    """

    def __init__(self, known: Sequence[_Known], least: int) -> None:
        self._known = known
        self._repeated = least
        self._begins_before = least > len(known)
        self._least = min(SURELY, len(known)) if self._begins_before else least
        self._lines = 0
        self._matches: dict[int, int] = {}
        """The index of the line that must come next, and that of the first one that came again."""
        self.is_there = least == 0
        self.is_lost = False
        self.held: list[Piece] = []
        self._held_bytes = 0

    def hold(self, piece: Piece) -> None:
        """Keeps what may be news, up to a limit: before it, what is surely a repetition is let go."""
        self.held.append(piece)
        self._held_bytes += len(piece.text) + 50
        if self._held_bytes > MOST_DOUBTFUL:
            self._held_bytes = 0
            if self._lines >= self._repeated:
                self.is_lost = True
            else:
                self.held.clear()

    def meet(self, line: _Known) -> None:
        """Takes note of a whole line."""
        self._lines += 1
        known, matches = self._known, {}
        for index, first in self._matches.items():
            if index < len(known) and known[index].comes_again_as(line):
                matches[index + 1] = first
        for index in self._possible_starts():
            if index + 1 not in matches and known[index].comes_again_as(line):
                matches[index + 1] = index
        self._matches = matches
        self.is_there = len(known) in matches and len(known) - matches[len(known)] >= self._least
        is_hopeless = not matches and not self._begins_before
        self.is_lost = not self.is_there and (is_hopeless or self._is_too_late(line))

    def _possible_starts(self) -> range:
        """Returns with which remembered line the stream may begin; where it begins before them, only the last ones count."""
        latest = len(self._known) - self._least
        if self._begins_before:
            return range(latest, latest + 1)
        return range(latest, max(latest - MOST_STARTS, -1), -1) if self._lines == 1 else range(0)

    def _is_too_late(self, line: _Known) -> bool:
        """Whether a line is younger than the last one that was read, whatever time is told of that by now."""
        last = self._known[-1].stamp
        return (
            line.stamp[:18] != last[:18] and nanoseconds(line.stamp) > nanoseconds(last) + DRIFT_SECONDS * 1_000_000_000
        )


class LogCursor:
    """Turns the bytes of one stream after the other into lines that were not there before."""

    def __init__(self) -> None:
        self.has_jumped = False
        """Whether it went on behind a gap: what it reads now may be another log than before."""
        self.stamp = b""
        """The stamp of the last line."""
        self._known: deque[_Known] = deque(maxlen=REMEMBERED)
        self._in_second = 0
        self._open_bytes = 0
        self._waiting = b""
        self._line: _Line | None = None
        self._line_stamp = b""
        self._search: _Search | None = None
        self._beyond: int | None = None
        """After a search in vain: only what is later than this is news."""
        self._skipped = 0

    @property
    def has_begun(self) -> bool:
        """Whether a line was read at all."""
        return bool(self.stamp)

    @property
    def is_lost(self) -> bool:
        """Whether the present stream does not hold what was read last: it is of another run, or the log was cut."""
        return self._search is not None and self._search.is_lost

    @property
    def resumes_from(self) -> str:
        """Returns the whole second from which a server is to be asked after a cut."""
        text = self.stamp.decode("ascii", "replace")
        zone = text.lstrip("0123456789-T:.")
        if not zone and text[-6:-5] in "+-":
            zone = text[-6:]
        return text[:19] + (zone or "Z")

    def begin(self) -> None:
        """Starts a new stream of the same log; what it repeats will be passed over."""
        self._waiting, self._line, self._skipped, self._beyond = b"", None, 0, None
        self._search = _Search(tuple(self._known), self._in_second) if self.has_begun else None
        self._end_search_if_there()

    def feed(self, data: bytes) -> list[Piece]:
        """Returns the lines that `data` completes, and what is longer than can be held."""
        *lines, rest = (self._waiting + data).split(b"\n")
        pieces: list[Piece] = []
        for line in lines:
            self._take(line, pieces, ends=True)
        if len(rest) > LONGEST_HELD:
            self._take(rest, pieces, ends=False)
            rest = b""
        self._waiting = rest
        return pieces

    def finish(self) -> list[Piece]:
        """Returns what stood after the last line end, when a stream ended well; a search that found nothing is lost."""
        pieces: list[Piece] = []
        if self._waiting:
            self._take(self._waiting, pieces, ends=False)
            self._waiting = b""
        if self._search is not None:
            self._search.is_lost = True
        return pieces

    def go_on_regardless(self) -> list[Piece]:
        """Ends a search in vain, and returns everything later than the last line."""
        search, self._search = self._search, None
        assert search is not None
        self.has_jumped = True
        self._open_bytes = self._skipped = 0
        self._beyond, current, pieces = nanoseconds(self.stamp), self._line, list[Piece]()
        for piece in search.held:
            if piece.starts or self._line is None:
                self._line = _Line()
            self._line.add(piece.text)
            self._give_if_later(piece, pieces)
        self._line = current
        return pieces

    def _take(self, text: bytes, pieces: list[Piece], *, ends: bool) -> None:
        """Takes a line or a part of one."""
        starts = self._line is None
        if self._line is None:
            self._line = _Line()
            self._line_stamp, text = _split(text, self._line_stamp or self.stamp)
        self._line.add(text)
        piece = Piece(self._line_stamp, text, starts, ends)
        if self._search is None:
            self._give_if_later(piece, pieces)
        else:
            self._search.hold(piece)
            if ends:
                self._search.meet(self._line.known_as(self._line_stamp))
                self._end_search_if_there()
        if ends:
            self._line = None

    def _end_search_if_there(self) -> None:
        if self._search is not None and self._search.is_there:
            self._search = None
            self._skipped = self._open_bytes

    def _give_if_later(self, piece: Piece, pieces: list[Piece]) -> None:
        """Hands a piece on unless a search ended in vain and it is no later than what was read before."""
        if self._beyond is not None:
            if nanoseconds(piece.stamp) <= self._beyond:
                return
            # From here on it is another log, or one that was cut: it does not repeat what was read before.
            self._beyond, self._in_second = None, 0
            self._known.clear()
        self._give(piece, pieces)

    def _give(self, piece: Piece, pieces: list[Piece]) -> None:
        """Hands a piece on, without what was handed on before a cut."""
        assert self._line is not None
        if piece.starts:
            self._in_second = self._in_second if piece.stamp[:19] == self.stamp[:19] else 0
            self.stamp, self._open_bytes = piece.stamp, 0
        repeated, fresh = self._skipped, piece.text[self._skipped :]
        self._skipped = max(0, self._skipped - len(piece.text))
        self._open_bytes += len(piece.text)
        if piece.ends:
            self._known.append(self._line.known_as(piece.stamp))
            self._in_second += 1
            self._open_bytes = self._skipped = 0
        if fresh or not repeated:
            pieces.append(Piece(piece.stamp, fresh, piece.starts and not repeated, piece.ends))


def _split(line: bytes, otherwise: bytes) -> tuple[bytes, bytes]:
    """Returns stamp and text; a line without a stamp counts to the line before it."""
    stamp, blank, text = line.partition(b" ")
    if (blank or len(stamp) <= 36) and len(stamp) >= 20 and stamp[4:5] == b"-" and stamp[10:11] == b"T":
        return stamp, text
    return otherwise, line


def nanoseconds(stamp: bytes) -> int:
    """Returns a stamp as a number that can be compared, 0 when it is none."""
    text = stamp.decode("ascii", "replace")
    whole, _, rest = text.partition(".")
    digits = rest.rstrip("Z").split("+")[0].split("-")[0] if rest else ""
    zone = rest[len(digits) :] if rest else ""
    try:
        seconds = datetime.fromisoformat((whole + zone).replace("Z", "+00:00")).timestamp()
        return int(seconds) * 1_000_000_000 + int((digits + "0" * 9)[:9])
    except ValueError:
        return 0

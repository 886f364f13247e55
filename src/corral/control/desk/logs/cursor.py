"""Where a reader of one log is, so that it can go on after a cut without losing or doubling a line. Pure.

A server is asked for time stamps, and after a cut once more from the second of the last one on. What it then repeats is
known by its text: the reader remembers the latest lines as checksums and passes over everything up to the place where
they come again. Stamps alone would not do: several lines may share one, and a node that notes times only now and then may
give a line another one later. A line that is too long to be held is handed on in parts; a cut within such a line goes on
behind its last byte.
"""

from collections import deque
from datetime import datetime
from typing import Final, NamedTuple
from zlib import crc32

LONGEST_HELD: Final = 64 * 1024
"""How much of a line without an end is held before its beginning is handed on."""
REMEMBERED: Final = 64
"""How many lines must come again to be sure of the place."""
MOST_DOUBTFUL: Final = 4 * 1024 * 1024
"""How much is held back while the place is not found; beyond it the log was cut short, and everything later is news."""
DOUBT_SECONDS: Final = 10
"""How much later than the last line one may be without ending the search."""


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

    @property
    def known_as(self) -> tuple[int, int]:
        """Returns what two equal lines have in common."""
        return self.check, self.length


class _Search:
    """The search for the place at which the reader was, in a stream that begins before it."""

    def __init__(self, known: "deque[tuple[int, int]]", least: int) -> None:
        self._known = list(known)
        self._least = least
        """So many lines are repeated at least: those of the second from which the server was asked."""
        self._met: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)
        self._count = 0
        self.held: deque[Piece] = deque()
        self._held_bytes = 0

    def is_there(self) -> bool:
        """Whether the lines met so far end with those that were read last."""
        length = min(self._count, len(self._known))
        first, begin = len(self._met) - length, len(self._known) - length
        return self._count >= self._least and list(self._met)[first:] == self._known[begin:]

    def meet(self, line: "_Line") -> None:
        """Takes note of a whole line."""
        self._met.append(line.known_as)
        self._count += 1

    def hold(self, piece: Piece) -> bool:
        """Keeps what may be news; says whether there is room for more."""
        self.held.append(piece)
        self._held_bytes += len(piece.text) + 50
        while self._held_bytes > MOST_DOUBTFUL and self._count < self._least:
            self._held_bytes -= len(self.held.popleft().text) + 50
        return self._held_bytes <= MOST_DOUBTFUL


class LogCursor:
    """Turns the bytes of one stream after the other into lines that were not there before."""

    def __init__(self) -> None:
        self.stamp = b""
        """The stamp of the last line."""
        self._known: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)
        self._in_second = 0
        self._open_bytes = 0
        self._waiting = b""
        self._line: _Line | None = None
        self._line_stamp = b""
        self._search: _Search | None = None
        self._skipped = 0

    @property
    def has_begun(self) -> bool:
        """Whether a line was read at all."""
        return bool(self.stamp)

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
        self._waiting, self._line, self._skipped = b"", None, 0
        self._search = _Search(self._known, self._in_second) if self.has_begun else None
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
        """Returns what stood after the last line end, when a stream ended well; and what was held back in doubt."""
        pieces: list[Piece] = []
        if self._waiting:
            self._take(self._waiting, pieces, ends=False)
            self._waiting = b""
        if self._search is not None:
            self._give_up_search(pieces)
        return pieces

    def _take(self, text: bytes, pieces: list[Piece], *, ends: bool) -> None:
        """Takes a line or a part of one."""
        starts = self._line is None
        if self._line is None:
            self._line = _Line()
            self._line_stamp, text = _split(text, self._line_stamp or self.stamp)
        self._line.add(text)
        piece = Piece(self._line_stamp, text, starts, ends)
        if self._search is not None:
            self._look_for_place(self._search, piece, pieces)
        else:
            self._give(piece, pieces)
        if ends:
            self._line = None

    # --- the search after a cut ---

    def _look_for_place(self, search: _Search, piece: Piece, pieces: list[Piece]) -> None:
        has_room = search.hold(piece)
        if piece.ends and self._line is not None:
            search.meet(self._line)
            self._end_search_if_there()
        if self._search is not None and (not has_room or self._is_beyond_doubt(piece)):
            self._give_up_search(pieces)

    def _end_search_if_there(self) -> None:
        if self._search is not None and self._search.is_there():
            self._search = None
            self._skipped = self._open_bytes

    def _is_beyond_doubt(self, piece: Piece) -> bool:
        return (
            piece.starts
            and piece.stamp[:18] != self.stamp[:18]
            and nanoseconds(piece.stamp) - nanoseconds(self.stamp) > DOUBT_SECONDS * 1_000_000_000
        )

    def _give_up_search(self, pieces: list[Piece]) -> None:
        """Takes everything later than the last line as news: the log does not hold that line any more."""
        search, self._search = self._search, None
        assert search is not None
        self._open_bytes = self._skipped = 0
        last, current = nanoseconds(self.stamp), self._line
        for piece in search.held:
            if nanoseconds(piece.stamp) > last:
                if piece.starts or self._line is None:
                    self._line = _Line()
                self._line.add(piece.text)
                self._give(piece, pieces)
        self._line = current

    # --- what is news ---

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
            self._known.append(self._line.known_as)
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

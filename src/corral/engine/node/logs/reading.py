"""Reading the log of a run: from where, up to where, with times, and waiting for more.

Everything goes in pieces of a fixed size, so neither a huge file nor a line without an end takes memory. Between pieces the
loop has its turn. Who follows looks again soon after something came and more rarely when nothing does; nobody looks at a log
that is not followed.
"""

import asyncio
import errno
from collections.abc import AsyncGenerator, Callable

from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.log_file import LogFile
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.stamping import stamped
from corral.engine.node.logs.starting_points import since_start, tail_start

PIECE_BYTES = 128 << 10
SOONEST_SECONDS, LATEST_SECONDS = 0.02, 0.25
"""How long a follower waits before it looks again."""
_LOOKS_IN_VAIN = 240
"""How often a log whose run is over is asked for the rest of it, a minute long: a cut under way holds readers up, on a busy
machine for seconds; one that broke off holds them up until the node settles it."""


class UnreadLogError(OSError):
    """There is more of a log than could be read of it."""


async def read(log: RunLog, asked: Asked, is_over: Callable[[], bool]) -> AsyncGenerator[bytes, None]:
    """Yields what was asked for; when following, until the run is over and everything was read.

    A log that is not there is FileNotFoundError with the first piece, one whose end cannot be read UnreadLogError after the
    last: whoever reads must not take it for complete. `previous` is for whoever chooses the run.
    """
    left, in_vain = asked.most_bytes, 0
    pause = SOONEST_SECONDS
    with LogFile(log) as file:
        reader = _Reader(file, asked, await _start(file, asked))
        while left is None or left > 0:
            # Asked before reading: what was said before the end is not missed then.
            is_last = not asked.follow or is_over()
            piece = reader.next(is_last)[:left]
            if piece:
                yield piece
                left = None if left is None else left - len(piece)
                pause, in_vain = 0.0, 0
            elif is_last and reader.has_read_all():
                return
            elif in_vain == _LOOKS_IN_VAIN:
                raise UnreadLogError(errno.EBUSY, "it is being cut, and that does not come to an end", log.path)
            else:
                in_vain = in_vain + 1 if is_last else 0
            await asyncio.sleep(pause)
            pause = min(max(pause * 2, SOONEST_SECONDS), LATEST_SECONDS)


async def _start(file: LogFile, asked: Asked) -> int:
    start = file.first()
    if asked.tail is not None:
        start = max(start, await tail_start(file, asked.tail))
    if asked.since is not None:
        start = max(start, await since_start(file, asked.since))
    return start


class _Reader:
    """Where a reader is, and what it shows next."""

    def __init__(self, file: LogFile, asked: Asked, start: int) -> None:
        self._file = file
        self._has_times = asked.timestamps
        self._position = start
        self._stop = None if asked.follow else file.end()
        self._is_line_start = True

    def next(self, is_last: bool) -> bytes:
        """Returns the next piece as it is shown, nothing when there is none yet."""
        most = PIECE_BYTES if self._stop is None else min(PIECE_BYTES, self._stop - self._position)
        if most <= 0:
            return b""
        found, data = self._file.read(self._position, most)
        if not data:
            self._look_for_a_cut()
            return b""
        shown = b"" if self._is_line_start or found == self._position else b"\n"
        self._is_line_start |= found != self._position
        self._position = found
        if self._has_times:
            data = data if is_last or len(data) == PIECE_BYTES else data[: data.rfind(b"\n") + 1]
            marks = self._file.marks(found + len(data))
            shown += stamped(data, found, marks, self._file.last_written(), self._is_line_start)
        else:
            shown += data
        if data:
            self._position += len(data)
            self._is_line_start = data.endswith(b"\n")
        return shown

    def has_read_all(self) -> bool:
        """Returns whether it is certain that nothing is left of what was asked for."""
        end = self._file.known_end()
        return end is not None and self._position >= (end if self._stop is None else min(self._stop, end))

    def _look_for_a_cut(self) -> None:
        """Begins anew when the container itself has emptied its log, as `> /dev/stdout` does."""
        end = self._file.known_end()
        if end is not None and self._position > end:
            self._position, self._is_line_start = self._file.first(), True

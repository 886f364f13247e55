"""A log as readers see it: bytes by position, however the file was cut meanwhile, and never what was given back."""

import os
import time
from contextlib import suppress
from types import TracebackType

from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.time_index import Kept, Marks, read_kept, read_marks
from corral.engine.small_files import open_plain

_TRIES = 20
_MARKS_SECONDS = 0.5
"""How old the known times may be when a line is beyond them."""


class LogFile:
    """One run's log, open for reading; positions are those of `time_index`."""

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._descriptor = open_plain(log.path)
        self._marks = Marks()
        self._marks_read = -_MARKS_SECONDS

    def __enter__(self) -> "LogFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def first(self) -> int:
        """Returns the position of the first byte that is kept."""
        return read_kept(self._log).first

    def end(self) -> int:
        """Returns the position after the last byte; while the file is being cut, one that is near."""
        known = self.known_end()
        return read_kept(self._log).base + os.fstat(self._descriptor).st_size if known is None else known

    def known_end(self) -> int | None:
        """Returns the position after the last byte, None while the file is being cut.

        Its size tells a position only by the base of the same cut: a cut in between would make the log look shorter than
        what was read of it.
        """
        for _ in range(_TRIES):
            before = read_kept(self._log)
            size = os.fstat(self._descriptor).st_size
            if before.is_being_cut:
                return None
            if read_kept(self._log).generation == before.generation:
                return before.base + size
        return None

    def last_written(self) -> int:
        """Returns when the file was last written to, in nanoseconds since the epoch."""
        return os.fstat(self._descriptor).st_mtime_ns

    def marks(self, up_to: int) -> Marks:
        """Returns the times of the log, read again when they end before a position."""
        now = time.monotonic()
        if self._marks.end < up_to and now - self._marks_read >= _MARKS_SECONDS:
            self._marks, self._marks_read = read_marks(self._log), now
        return self._marks

    def read(self, position: int, most: int) -> tuple[int, bytes]:
        """Returns bytes from a position on, and where they begin: later, when what was asked for is kept no more.

        Nothing at the end, and while the file is being cut, which `known_end` tells apart.
        """
        for _ in range(_TRIES):
            before = read_kept(self._log)
            if before.is_being_cut:
                break  # positions lead to the wrong places, or into what an earlier cut put aside
            start = max(position, before.first)
            data = self._pread(before, start, most)
            # Whoever cuts tells so first: what is still said to be kept after reading was there while it was read.
            after = read_kept(self._log)
            if before.generation != after.generation:
                continue
            missing = max(after.first - start, 0)
            if data and missing >= len(data):
                continue  # all of it was given back while it was read; there is more behind it
            return start + missing, data[missing:]
        return position, b""

    def _pread(self, kept: Kept, position: int, most: int) -> bytes:
        if position >= kept.base:
            return os.pread(self._descriptor, most, position - kept.base)
        with suppress(FileNotFoundError), open(open_plain(self._log.older), "rb", buffering=0) as older:
            older.seek(position - kept.first)
            return older.read(min(most, kept.base - position)) or b""
        return b""

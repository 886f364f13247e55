"""Logs while their runs go on: the times of what they say, and a bound on what they take of the disk.

One timer looks at all of them, once a second, and at those that are quiet every few seconds; with none there is no timer.
A look is one `stat`, and only a log that has grown is written about. The time of a mark is when the file was last written to, so that also a single line after an hour
of silence has its own time. A log that is being flooded is looked at more often, since its blocks are given back only then.
"""

import asyncio
import logging
import os

from corral.engine.node.logs import hole_punching
from corral.engine.node.logs.cutting import cut, is_too_long, settle
from corral.engine.node.logs.hole_punching import Punch
from corral.engine.node.logs.run_log import RunLog
from corral.engine.node.logs.time_index import Kept, TimeIndex

_log = logging.getLogger(__name__)

KEEP_BYTES = 64 << 20
LOOK_SECONDS, FLOOD_SECONDS = 1.0, 0.1
QUIET_LOOKS, MOST_LOOKS_APART = 10, 5
"""After so many looks without a word, the next ones are further apart, up to so many times as far."""


class LiveLogs:
    """The logs of the runs under way; to be used in one loop."""

    def __init__(self, keep_bytes: int = KEEP_BYTES, *, punch: Punch = hole_punching.punch) -> None:
        self._keep_bytes = keep_bytes
        self._punch = punch
        self._live: dict[RunLog, _Live] = {}
        self._looking: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._live)

    def begin(self, log: RunLog) -> None:
        """Looks after a log from now on: at the start of its run, or when it is taken over; harmless twice."""
        if log not in self._live:
            self._live[log] = _Live(log)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look_at_times())

    async def end(self, log: RunLog) -> None:
        """Takes a last look at a log whose run is over, also one that nobody looked after, and lets go of it."""
        async with self._lock:
            await self._look(self._live.pop(log) if log in self._live else _Live(log))

    async def close(self) -> None:
        """Lets go of all logs; whoever begins with them again finds everything on disk."""
        self._live.clear()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look_at_times(self) -> None:
        number = 0
        while self._live:
            number += 1
            is_flooded = False
            async with self._lock:
                for live in list(self._live.values()):
                    if live.is_due(number) and live.has_changed():
                        is_flooded |= await self._look(live)
            await asyncio.sleep(FLOOD_SECONDS if is_flooded else LOOK_SECONDS)

    async def _look(self, live: "_Live") -> bool:
        """Looks at one log; says whether it grows so fast that it must be looked at again soon."""
        try:
            grown = live.look()
            if grown and is_too_long(live.index.kept, live.end, self._keep_bytes):
                await asyncio.to_thread(cut, live.log, live.index, self._keep_bytes, self._punch)
        except OSError as error:
            # A full disk or a file that somebody removed must not end the care for the others.
            _log.warning("log cannot be kept", extra={"log": live.log.path, "why": str(error)})
            return False
        return grown > self._keep_bytes // 4


class _Live:
    """One log that grows."""

    def __init__(self, log: RunLog) -> None:
        self.log = log
        self.end = 0
        self._path = log.path
        self._size = 0
        self._quiet = 0
        self._due = 0
        self._index: TimeIndex | None = None

    @property
    def index(self) -> TimeIndex:
        """Returns the index, which is begun with the first byte that is said."""
        if self._index is None:
            self._index = TimeIndex(self.log)
            settle(self.log, self._index)
        return self._index

    def is_due(self, number: int) -> bool:
        """Whether the log is to be looked at in this round."""
        if number < self._due:
            return False
        self._due = number + min(1 + self._quiet // QUIET_LOOKS, MOST_LOOKS_APART)
        return True

    def has_changed(self) -> bool:
        """Whether the file has another size than at the last look."""
        try:
            is_same = os.stat(self._path).st_size == self._size
        except FileNotFoundError:
            is_same = True
        self._quiet = self._quiet + 1 if is_same else 0
        return not is_same

    def look(self) -> int:
        """Notes the time of what was said since the last look; returns how many bytes that is."""
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return 0
        self._size = found.st_size
        if found.st_size == 0 and self._index is None:
            return 0
        index = self.index
        known = index.marks.end
        self.end = index.kept.base + found.st_size
        if self.end < known:
            # The container has emptied its own log, as `> /dev/stdout` does.
            kept = index.kept
            index.forget(Kept(kept.generation + 2, kept.base, kept.base, kept.base))
            known = 0
        if self.end > known:
            index.note(found.st_mtime_ns, self.end)
        return self.end - known

"""The work queue: which key to look at next, each once, never by two workers, failing ones ever later.

`KeyLine` holds the rules as plain state with the time as an argument; `WorkQueue` adds waiting. Memory is bounded by the
number of distinct keys: a key has at most one place in line, one mark to come again, one timer and one failure count.
"""

import asyncio
import heapq
from collections import deque
from typing import Generic, TypeVar

from corral.control.backoff import Backoff
from corral.ports.clock import Clock
from corral.ports.identity import Randomness

K = TypeVar("K")


class KeyLine(Generic[K]):
    """Keys waiting, keys being worked on, keys for later. Pure."""

    def __init__(self) -> None:
        self._line: deque[K] = deque()
        self._waiting: set[K] = set()
        self._working: set[K] = set()
        self._again: set[K] = set()
        self._later: list[tuple[float, int, K]] = []
        self._due: dict[K, float] = {}
        self._count = 0

    def add(self, key: K) -> None:
        """Puts a key in line; one that is being worked on comes again afterwards."""
        if key in self._working:
            self._again.add(key)
        elif key not in self._waiting:
            self._waiting.add(key)
            self._line.append(key)

    def add_at(self, key: K, due: float) -> None:
        """Puts a key in line at a time; of several times the earliest counts."""
        if self._due.get(key, due + 1) <= due:
            return
        self._due[key] = due
        self._count += 1
        heapq.heappush(self._later, (due, self._count, key))

    def take(self, now: float) -> K | None:
        """Returns the next key to work on, or None when there is none yet."""
        self._promote(now)
        if not self._line:
            return None
        key = self._line.popleft()
        self._waiting.remove(key)
        self._working.add(key)
        return key

    def done(self, key: K) -> None:
        """Ends the work on a key; if it was added meanwhile, it stands in line again."""
        self._working.discard(key)
        if key in self._again:
            self._again.remove(key)
            self.add(key)

    def next_due(self) -> float | None:
        """Returns when the next delayed key comes, if any."""
        while self._later and self._due.get(self._later[0][2]) != self._later[0][0]:
            heapq.heappop(self._later)  # overtaken by an earlier time, or already promoted
        return self._later[0][0] if self._later else None

    def _promote(self, now: float) -> None:
        while (due := self.next_due()) is not None and due <= now:
            _, _, key = heapq.heappop(self._later)
            del self._due[key]
            self.add(key)

    @property
    def waiting(self) -> int:
        """Returns how many keys stand in line now."""
        return len(self._line)

    @property
    def delayed(self) -> int:
        """Returns how many keys have a time in the future."""
        return len(self._due)

    @property
    def working(self) -> int:
        """Returns how many keys are being worked on."""
        return len(self._working)


class WorkQueue(Generic[K]):
    """A `KeyLine` to wait at, with back-off for keys that fail."""

    def __init__(self, clock: Clock, randomness: Randomness, backoff: Backoff = Backoff()) -> None:  # noqa: B008
        self._clock = clock
        self._randomness = randomness
        self._backoff = backoff
        self._line: KeyLine[K] = KeyLine()
        self._failures: dict[K, int] = {}
        self._workers: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at = 0.0

    def __len__(self) -> int:
        return self._line.waiting

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits, is worked on or is due later."""
        return not (self._line.waiting or self._line.working or self._line.delayed)

    @property
    def delayed(self) -> int:
        """Returns how many keys come later by themselves."""
        return self._line.delayed

    def add(self, key: K) -> None:
        """Asks for work on a key; adding it again before it is taken changes nothing."""
        self._line.add(key)
        self._wake()

    def add_after(self, key: K, seconds: float) -> None:
        """Asks for work on a key after a while."""
        if seconds <= 0:
            self.add(key)
            return
        self._line.add_at(key, self._clock.monotonic() + seconds)
        self._set_alarm()

    def add_failed(self, key: K, *, at_least: float = 0.0) -> float:
        """Asks for work on a key that failed, later each time in a row; returns the seconds it will wait."""
        self._failures[key] = self._failures.get(key, 0) + 1
        wait = max(at_least, self._backoff.wait(self._failures[key], self._randomness.fraction()))
        self.add_after(key, wait)
        return wait

    def failures(self, key: K) -> int:
        """Returns how often a key failed in a row."""
        return self._failures.get(key, 0)

    def forget(self, key: K) -> None:
        """Clears the failures of a key after a success."""
        self._failures.pop(key, None)

    async def get(self) -> K:
        """Waits for a key and takes it; the taker must call `done`."""
        while True:
            key = self._line.take(self._clock.monotonic())
            if key is not None:
                self._wake()
                return key
            self._set_alarm()
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._workers.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn in self._workers:
                    self._workers.remove(turn)
                else:
                    self._wake()  # this worker was called and goes away: call another
                raise

    def done(self, key: K) -> None:
        """Ends the work on a key."""
        self._line.done(key)
        self._wake()

    def close(self) -> None:
        """Stops the timer; the queue is not used afterwards."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _wake(self) -> None:
        """Calls one worker when something is in line; that one calls the next."""
        while self._line.waiting and self._workers:
            turn = self._workers.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _set_alarm(self) -> None:
        due = self._line.next_due()
        if due is None or (self._alarm is not None and not self._alarm.done() and self._alarm_at <= due):
            return
        self.close()
        self._alarm_at = due
        self._alarm = asyncio.create_task(self._ring(due), name="work-queue-alarm")

    async def _ring(self, due: float) -> None:
        await self._clock.sleep(due - self._clock.monotonic())
        self._alarm = None
        if self._workers:
            turn = self._workers.popleft()
            if not turn.done():
                turn.set_result(None)

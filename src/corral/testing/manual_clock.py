"""A clock that stands until a test moves it, and chance that is always the same."""

import asyncio
import heapq


class ManualClock:
    """Implements the `Clock` port; `advance` wakes everybody whose time has come, in order."""

    def __init__(self, start: float = 1_000_000.0) -> None:
        self._now = start
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        """Returns the time a test has set."""
        return self._now

    def monotonic(self) -> float:
        """Returns the same time: it only moves forward here."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Returns when the clock was advanced far enough."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, self._count, waiting))
        await waiting

    @property
    def sleepers(self) -> int:
        """Returns how many wait for this clock."""
        return sum(not waiting.done() for _, _, waiting in self._sleepers)

    @property
    def next_due(self) -> float | None:
        """Returns when the next of those who wait shall wake, None when nobody waits."""
        return min((due for due, _, waiting in self._sleepers if not waiting.done()), default=None)

    async def advance(self, seconds: float) -> None:
        """Moves the time forward, sleeper by sleeper, and lets each run before the next wakes."""
        target = self._now + seconds
        await settled()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, waiting = heapq.heappop(self._sleepers)
            self._now = max(self._now, due)
            if not waiting.done():
                waiting.set_result(None)
            await settled()
        self._now = target
        await settled()

    async def jump(self, seconds: float) -> None:
        """Moves the time forward at once, as for a process that was stopped: whoever wakes finds the later time."""
        self._now += seconds
        await self.advance(0)


async def settled(rounds: int = 20) -> None:
    """Lets every task run that can, a few times over; nothing here waits for real time."""
    for _ in range(rounds):
        await asyncio.sleep(0)


class FixedRandomness:
    """Implements the `Randomness` port: always the same fraction, and tokens that count."""

    def __init__(self, fraction: float = 0.5) -> None:
        self._fraction = fraction
        self._count = 0

    def fraction(self) -> float:
        """Returns the fixed fraction."""
        return self._fraction

    def token(self) -> str:
        """Returns `token00001`, `token00002` and so on."""
        self._count += 1
        return f"token{self._count:05d}"

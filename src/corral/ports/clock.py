"""Time, injected: loops never look at a clock themselves, so tests can hold it and fault tests can bend it."""

from typing import Protocol


class Clock(Protocol):
    """Two clocks and a wait. Durations and limits use `monotonic`; `now` is for display and stored timestamps only."""

    def now(self) -> float:
        """Returns seconds since the epoch; may jump in either direction."""

    def monotonic(self) -> float:
        """Returns seconds that only grow, also while the process is stopped by a signal."""

    async def sleep(self, seconds: float) -> None:
        """Returns after the time has passed; at once for nothing or less. Cancellable."""

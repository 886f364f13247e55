"""The clocks of the machine, as the `Clock` port."""

import asyncio
import time


class SystemClock:
    """Real time."""

    def now(self) -> float:
        """Returns seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Returns seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Returns after the time has passed."""
        await asyncio.sleep(max(0.0, seconds))

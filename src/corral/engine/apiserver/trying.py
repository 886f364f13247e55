"""Work of the server's own that nobody waits for: it is tried until it is done, and every failure is told in the log."""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable

from corral.engine.apiserver.failures import ApiFailure

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0

Work = Callable[[], Awaitable[None]]


async def keep_trying(what: str, work: Work) -> None:
    """Does some work; after a failure it is done again, each time after a longer pause."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            return await work()
        except ApiFailure as failure:
            print(f"corral: {what}: {failure.message}; again in {pause:g} s", file=sys.stderr, flush=True)
        except Exception:  # noqa: BLE001 - a bug must not leave the work undone in silence
            print(f"corral: {what} failed; again in {pause:g} s:", file=sys.stderr)
            traceback.print_exc(file=sys.stderr)
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

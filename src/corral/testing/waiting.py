"""Waiting for something to become true, with a limit, for tests that watch real processes and connections."""

import asyncio
from collections.abc import Callable


async def eventually(condition: Callable[[], object], *, within: float = 10.0) -> None:
    """Returns as soon as the condition holds; raises TimeoutError when it does not in time."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - the condition is of another process, and tells nobody
            await asyncio.sleep(0.005)

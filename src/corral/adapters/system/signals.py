"""Ending politely when somebody asks for it."""

import asyncio
import logging
import signal
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger("corral.system.signals")

_PATIENCE = 3.0
"""Seconds after which work that was asked to end is asked again."""


async def until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Runs `work` until it ends or SIGTERM or SIGINT comes, then cancels it and waits for its end."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stopped.set)
    working = asyncio.create_task(work, name="work")
    waiting = asyncio.create_task(stopped.wait(), name="signals")
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if stopped.is_set():
            _log.info("stopping")
    finally:
        waiting.cancel()
        await _ended(working)
        for number in numbers:
            loop.remove_signal_handler(number)
    if not working.cancelled():
        working.result()


async def _ended(working: asyncio.Task[None]) -> None:
    """Cancels until the work has ended: one cancellation can be lost in code that is just catching another."""
    while not working.done():
        working.cancel()
        await asyncio.wait({working}, timeout=_PATIENCE)
        if not working.done():
            _log.warning(
                "still stopping", extra={"tasks": ", ".join(sorted(t.get_name() for t in asyncio.all_tasks()))}
            )

"""Ending politely when somebody asks for it."""

import asyncio
import logging
import signal
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger("corral.system.signals")


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
        working.cancel()
        waiting.cancel()
        await asyncio.wait({working, waiting})
        for number in numbers:
            loop.remove_signal_handler(number)
    if not working.cancelled():
        working.result()

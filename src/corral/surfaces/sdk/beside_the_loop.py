"""Work in a thread of its own, awaited from an event loop; whoever stops waiting ends it.

The verbs are written once, for a thread that waits; here that thread is not the loop's. Threads are daemons: a program that
ends waits for none of them.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def beside_the_loop(work: Callable[[], T], give_up: Callable[[], None]) -> T:
    """Returns what a piece of work returns; when nobody waits for it any more, `give_up` makes it end soon."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def tell(*what: Any) -> None:
        # A loop that is closed has nobody who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, *what)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it is raised again where somebody waits for it
            tell(None, error)
        else:
            tell(result, None)

    threading.Thread(target=run, name="corral", daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        give_up()
        raise

"""A bell that everybody hears who listens when it is rung."""

import asyncio

from corral.ports.clock import Clock


class Bell:
    """Rung by callbacks, heard by tasks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._listeners: list[asyncio.Future[None]] = []

    def ring(self) -> None:
        """Wakes everybody who listens now."""
        listeners, self._listeners = self._listeners, []
        for one in listeners:
            if not one.done():
                one.set_result(None)

    async def heard(self, within: float) -> None:
        """Returns at the next ring, or after so many seconds."""
        listener: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listeners.append(listener)
        patience = asyncio.ensure_future(self._clock.sleep(within))
        try:
            await asyncio.wait((listener, patience), return_when=asyncio.FIRST_COMPLETED)
        finally:
            listener.cancel()
            patience.cancel()

"""An operator that dies at a chosen call, before the server has heard it or before the answer was seen."""

import asyncio
from typing import Literal

from tests.training.sweeps.troubled_store import Trouble

Moment = Literal["before", "after"]


class Crash(Trouble):
    """Stops everything at call `number`; the operator makes no other call and sees no other answer."""

    def __init__(self, number: int, moment: Moment, *, is_followed_at_once: bool = False) -> None:
        super().__init__()
        self._number = number
        self._moment = moment
        self.is_followed_at_once = is_followed_at_once

    async def before(self, what: str) -> int:
        """Dies instead of sending."""
        if self.is_fatal:
            await _for_ever()
        number = await super().before(what)
        if number == self._number and self._moment == "before":
            await self._die()
        return number

    async def after(self, number: int) -> None:
        """Dies instead of reading the answer."""
        if self.is_fatal:
            await _for_ever()
        if number == self._number and self._moment == "after":
            await self._die()

    async def _die(self) -> None:
        self.is_fatal = True
        await _for_ever()


async def _for_ever() -> None:
    await asyncio.Event().wait()

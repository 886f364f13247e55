"""Saying what is awaited: nothing while it is quick, a line after ten seconds, and then one every ten."""

import time
from collections.abc import Callable
from typing import Final

TELLS_AFTER: Final = 10.0
"""After so many seconds, and then again and again, it is told what is awaited."""


class Patience:
    """The patience of one who waits for something."""

    def __init__(self, on_wait: Callable[[str], None]) -> None:
        self._on_wait = on_wait
        self._told_at = time.monotonic()

    @property
    def wake(self) -> float:
        """Returns when there will be something to say, on the monotonic clock."""
        return self._told_at + TELLS_AFTER

    @property
    def is_due(self) -> bool:
        """Whether it is time to say something."""
        return time.monotonic() >= self.wake

    def remark(self, awaited: str) -> None:
        """Tells what is awaited if it is time to; called as often as one likes."""
        if self.is_due:
            self._told_at = time.monotonic()
            self._on_wait(f"waiting: {awaited}")

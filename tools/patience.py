"""Waiting for something in a scene of the demo: for so long, and then saying what did not come."""

import time
from collections.abc import Callable
from typing import TypeVar

from corral.engine.supervisor.home import default_home
from corral.errors import RetryError

T = TypeVar("T")


class NothingCameError(RetryError):
    """What a scene waited for did not happen; the log of the controllers may tell why."""

    def __init__(self, what: str, seconds: float) -> None:
        log = default_home().log_of("controllers")
        super().__init__("demo-stuck", f"waited {seconds:g} s in vain for {what}", hint=f"see what stands in {log}")


def wait_for(what: str, look: Callable[[], T], until: Callable[[T], object], seconds: float = 20.0) -> T:
    """Returns what is seen as soon as `until` holds for it; raises NothingCameError after a while."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if until(seen):
            return seen
        if time.monotonic() > deadline:
            raise NothingCameError(what, seconds)
        time.sleep(0.02)

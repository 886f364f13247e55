"""Tells an event loop when a process ends, child or not, without asking again and again.

A process handle (pidfd) becomes readable at the end of the process and pins it, so nothing can be mistaken for it. Where
there are none (macOS, some sandboxes), the process is looked at five times a second.
"""

import asyncio
import os
from collections.abc import Callable

from corral.engine.node.machine.processes import open_handle, reap
from corral.engine.supervisor.host import ProcessIdentity

LOOK_EVERY = 0.2
TELL_AGAIN, TELL_AGAIN_AT_LEAST = 1.0, 60.0
"""Seconds until an end is told again to somebody who failed to take it, at first and at most."""


class EndWatch:
    """Calls back once, from the event loop, when a process has ended; reaps it when it was a child of ours.

    A callback should not raise. When it does, the event loop reports that, and the end is told again later: an end that is
    told to nobody would leave somebody waiting for ever.
    """

    def __init__(self, process: ProcessIdentity, ended: Callable[[], None]) -> None:
        self._process = process
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None
        self._handle = open_handle(process.pid)
        self.exit_code: int | None = None
        """The exit code (128 and the number for a signal), known when the process was a child of ours."""
        if self._handle is not None:
            # Readable at once when it has ended already; a handle of a later owner of the pid is noticed below.
            self._loop.add_reader(self._handle, self._finish)
        if self._handle is None or not process.is_alive():
            self._timer = self._loop.call_soon(self._look)

    def close(self) -> None:
        """Stops watching; nothing is called any more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._handle is not None:
            self._loop.remove_reader(self._handle)
            os.close(self._handle)
        self._timer = self._handle = None

    def _look(self) -> None:
        if self._process.is_alive():
            self._timer = self._loop.call_later(LOOK_EVERY, self._look)
        else:
            self._finish()

    def _finish(self) -> None:
        self.close()
        self._tell(TELL_AGAIN)

    def _tell(self, pause: float) -> None:
        again = self._loop.call_later(pause, self._tell, min(pause * 2, TELL_AGAIN_AT_LEAST))
        try:
            if self.exit_code is None:
                self.exit_code = reap(self._process)
            self._ended()
            again.cancel()
        finally:
            # Only now: a callback that closes this watch and fails afterwards has not taken the end.
            self._timer = again

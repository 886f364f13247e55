"""Ending one run: the hook before, the polite signal, the grace, and then force.

The grace includes the hook, as it does in kubelet. A second, shorter grace shortens a stop under way; a longer one does
not stretch it.
"""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from corral.engine.node.containers.ending import is_born, kill_everything, signal_program
from corral.engine.node.containers.record import Run
from corral.ports.clock import Clock

SIGNAL_GRACE = 2.0
"""Seconds that a program has after the polite signal even if its hook used up everything."""

_KILL_PATIENCE = 0.05
_KILL_AGAIN = 0.5
_BIRTH, _BIRTH_LOOK = 1.0, 0.01
"""How long a signal waits until the program is there that it is meant for."""

Hook = Callable[[float], Awaitable[None]]
"""What is done before the signal, within so many seconds."""


_log = logging.getLogger("corral.engine.node.pods")


class Stopping:
    """The end of one run, in a task of its own; the run's own watch tells when it is over."""

    def __init__(self, run: Run, clock: Clock, grace: float, hook: Hook | None, stop_signal: int) -> None:
        self._run = run
        self._clock = clock
        self._hook = hook
        self._signal = stop_signal
        self._deadline = clock.monotonic() + grace
        self._is_shortened = False
        self._shortened = asyncio.Event()
        """Set whenever the deadline was moved."""
        self._task = asyncio.get_running_loop().create_task(self._stop(), name="stopping")

    def shorten(self, grace: float) -> None:
        """Lets the stop take at most so many seconds from now."""
        deadline = self._clock.monotonic() + grace
        if deadline < self._deadline - 0.5:
            self._deadline = deadline
            self._is_shortened = True
            self._shortened.set()

    def cancel(self) -> None:
        """Does nothing further: the run has ended, or somebody else will end it."""
        self._task.cancel()

    async def _stop(self) -> None:
        if self._hook is not None and self._left() > 0:
            await self._run_hook(self._hook)
            if not self._is_shortened:  # whoever wants it over now does not wait for a polite end either
                self._deadline = max(self._deadline, self._clock.monotonic() + SIGNAL_GRACE)
        if self._left() > 0:
            await self._wait_for_birth()
            signal_program(self._run, self._signal)
        while self._left() > 0:
            await self._wait_until_due()
        while True:
            try:
                kill_everything(self._run, _KILL_PATIENCE)
            except OSError as error:
                # No room for another open file, say: the next try may have it.
                _log.warning("kill failed", extra={"run": self._run.owner, "why": str(error)})
            await self._clock.sleep(_KILL_AGAIN)

    async def _wait_for_birth(self) -> None:
        until = min(self._deadline, self._clock.monotonic() + _BIRTH)
        while not is_born(self._run) and self._clock.monotonic() < until:
            await self._clock.sleep(_BIRTH_LOOK)

    async def _run_hook(self, hook: Hook) -> None:
        """Lets the hook do its work within the grace; whatever becomes of it, the end goes on."""
        running = asyncio.ensure_future(hook(self._left()))
        try:
            while not running.done() and self._left() > 0:
                await self._wait_until_due(running)
        finally:
            running.cancel()
        if running.done() and not running.cancelled() and running.exception() is not None:
            _log.warning("hook failed", extra={"run": self._run.owner, "why": str(running.exception())})

    async def _wait_until_due(self, *others: asyncio.Future[Any]) -> None:
        """Returns at the deadline, or when it was moved, or when something else is done."""
        self._shortened.clear()
        moved: asyncio.Future[Any] = asyncio.ensure_future(self._shortened.wait())
        try:
            await asyncio.wait([moved, *others], timeout=self._left(), return_when=asyncio.FIRST_COMPLETED)
        finally:
            moved.cancel()

    def _left(self) -> float:
        return self._deadline - self._clock.monotonic()


def stop_signal_of(container: dict[str, object]) -> int:
    """Returns the signal that asks a container to end: its own if it names one, else SIGTERM."""
    lifecycle = container.get("lifecycle")
    name = str(lifecycle.get("stopSignal") or "") if isinstance(lifecycle, dict) else ""
    found = getattr(signal, name, None) if name.startswith("SIG") else None
    return int(found) if found is not None else int(signal.SIGTERM)

"""Watches memory limits from outside, where the machine gives no control groups.

It measures what the processes of a run use and ends the run when that is more than it may, leaving the same evidence that
the kernel would. It looks once a second, more often near the limit, less often far from it, and not at all when no run has
a limit. A burst between two looks goes unnoticed; that is the price of not being the kernel.
"""

import asyncio
import logging
from collections.abc import Callable

from corral.engine.node.containers.census import Census
from corral.engine.node.containers.ending import kill_everything, processes_of
from corral.engine.node.containers.memory_limits import sentence_about
from corral.engine.node.containers.record import Run, oom_path
from corral.engine.node.machine.control_groups import is_limited
from corral.engine.node.machine.processes import proportional_bytes
from corral.engine.small_files import note
from corral.engine.supervisor.host import resident_bytes

_log = logging.getLogger("corral.engine.node.containers")

SOON, USUAL, LATE = 0.2, 1.0, 3.0
"""Seconds until the next look, by how near the nearest run is to its limit."""
_KILL_PATIENCE = 0.05
"""How long a look may take for killing, because the event loop waits meanwhile; the next look kills again."""


def needs_watching(run: Run) -> bool:
    """Tells whether a run has a limit that the kernel does not enforce."""
    return run.memory_bytes is not None and not is_limited(run.groups)


def used_bytes(run: Run, enough: int = 0, census: Census | None = None) -> int:
    """Measures the memory of a run; exactly only from `enough` on, because exactness is slow.

    The quick sum counts what processes share once for each of them, so it is never too low.
    """
    pids = [process.pid for process in processes_of(run, census)]
    quick = sum(resident_bytes(pid) for pid in pids)
    return quick if quick < enough else sum(proportional_bytes(pid) for pid in pids)


def next_look(share: float) -> float:
    """Returns in how many seconds to look again when the fullest run uses this share of its limit."""
    if share >= 0.8:
        return SOON
    return USUAL if share >= 0.3 else LATE


class MemoryWatchdog:
    """Ends runs that use more memory than they may; `killed` is called for each, from the event loop."""

    def __init__(self, killed: Callable[[Run], None]) -> None:
        self._killed = killed
        self._runs: dict[str, Run] = {}
        self._peaks: dict[str, int] = {}
        self._condemned: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, run: Run) -> None:
        """Begins to watch a run, if its limit needs it."""
        if needs_watching(run):
            self._runs[run.folder] = run
            self._look_within(USUAL)

    def forget(self, run: Run) -> None:
        """Stops watching a run."""
        self._runs.pop(run.folder, None)
        self._peaks.pop(run.folder, None)
        self._condemned.discard(run.folder)

    def close(self) -> None:
        """Stops watching everything."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        self._runs.clear()

    def _look_within(self, seconds: float) -> None:
        """Looks in so many seconds, or earlier when that is due: who only comes must not put off what others wait for."""
        loop = asyncio.get_running_loop()
        moment = loop.time() + seconds
        if self._timer is not None:
            if self._timer.when() <= moment:
                return
            self._timer.cancel()
        self._timer = loop.call_at(moment, self._look)

    def _look(self) -> None:
        self._timer = None
        share = 1.0
        try:
            share = self._largest_share()
        except OSError as error:
            _log.warning("memory not measured", extra={"why": str(error)})
        finally:
            if self._runs:
                self._look_within(next_look(share))

    def _largest_share(self) -> float:
        share, census = 0.0, Census()
        for run in list(self._runs.values()):
            if run.is_running():
                share = max(share, self._examine(run, census))
            else:
                self.forget(run)
        return share

    def _examine(self, run: Run, census: Census) -> float:
        """Measures a run and returns its share of the limit; one that is above it is killed until it is gone."""
        limit = run.memory_bytes or 0
        if run.folder in self._condemned:
            kill_everything(run, _KILL_PATIENCE)
            return 1.0
        used = used_bytes(run, enough=limit, census=census)
        peak = self._peaks[run.folder] = max(used, self._peaks.get(run.folder, 0))
        if used <= limit:
            return used / limit if limit else 0.0
        try:
            # Written first: a node that is killed in between leaves a reason rather than an unexplained end.
            note(oom_path(run.folder), sentence_about(limit, peak, "it was ended for that") + "\n")
        except OSError as error:
            # A full disk must not let it eat up the memory of the machine as well.
            _log.warning("reason of an end not kept", extra={"run": run.owner, "why": str(error)})
        self._condemned.add(run.folder)
        kill_everything(run, _KILL_PATIENCE)
        self._killed(run)
        return 1.0

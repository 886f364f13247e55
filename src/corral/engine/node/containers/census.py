"""One look at all processes of the machine, and whose they are: for runs that have no control group to tell it.

Reading every environment is slow, so whoever asks about several runs at one moment asks one census about all of them.
"""

import functools
import math
import os

from corral.engine.node.containers.record import MARK, Run, read_ending
from corral.engine.node.machine.processes import Entry, boot_time, identities, is_unreaped, process_table, values_of
from corral.engine.supervisor.host import ProcessIdentity


class Census:
    """The processes of one moment; nothing is read before the first question."""

    def processes_of(self, run: Run) -> list[ProcessIdentity]:
        """Returns the processes that are in the group or session of a run's holder, or carry the mark of the run."""
        if run.holder.pid <= 0 or not run.holder.start:
            return []
        latest = self._latest_birth(run)
        near = [entry.pid for entry in self._by_leader.get(run.holder.pid, ()) if entry.started <= latest]
        return identities(dict.fromkeys([*near, *self._by_mark.get(run.owner, ())]))

    @functools.cached_property
    def _table(self) -> dict[int, Entry]:
        return {entry.pid: entry for entry in process_table() if entry.pid != os.getpid()}

    @functools.cached_property
    def _by_leader(self) -> dict[int, list[Entry]]:
        found: dict[int, list[Entry]] = {}
        for entry in self._table.values():
            for leader in {entry.session, entry.group} if not entry.is_zombie else ():
                found.setdefault(leader, []).append(entry)
        return found

    @functools.cached_property
    def _by_mark(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for entry in self._table.values():
            for owner in values_of(entry.pid, MARK) if not entry.is_zombie else ():
                found.setdefault(owner, []).append(entry.pid)
        return found

    def _latest_birth(self, run: Run) -> float:
        """Returns until when a process that is in the group of the holder must have been born to be one of its own.

        As long as the holder exists, even as a zombie, nobody else can have its pid. Later a stranger may lead a group of
        that number, but only one who was born after the holder ended; when that was is known if it wrote its exit code.
        """
        if run.holder.pid in self._table:
            is_ours = run.is_running() or is_unreaped(run.holder)
            return math.inf if is_ours else -math.inf
        ending = read_ending(run.folder)
        return -math.inf if ending is None else ending.finished_at - boot_time()

"""Who used the processors: the processes of one run, found by a variable that they all carry, and Corral among them.

Processes come and go while a job runs, and what they used is gone with them. So it is looked at again and again, and of
each process the last figure counts. Called often enough, that misses a fraction of a percent.
"""

import time
from typing import NamedTuple

from corral.engine.node.containers.starting import HOLDER
from corral.engine.node.machine.processes import TICKS, command_line, process_table, variable_of

_OURS = (b"corral.engine.", HOLDER.encode().partition(b"\n")[0])
"""What stands in the command line of processes that Corral puts beside a program: holders, doors, stand-ins."""

_YOUNG = 5.0
"""Seconds in which a process may still become another by exec."""


class Spent(NamedTuple):
    """Seconds of processor time: the job's own, and of what Corral has started among its processes."""

    job: float
    corral: float


class Spending:
    """Adds up what the processes with `NAME=value` in their environment have used."""

    def __init__(self, name: str, value: str) -> None:
        self._name, self._value = name, value
        self._strangers: set[tuple[int, int]] = set()
        self._used: dict[tuple[int, int], float] = {}
        self._is_ours: dict[tuple[int, int], bool] = {}

    def look(self) -> int:
        """Takes down what every process has used until now; returns how many of them there are."""
        found = 0
        for entry in process_table():
            who = (entry.pid, entry.started_ticks)
            if who in self._strangers or entry.is_zombie:
                continue
            if who not in self._used and variable_of(entry.pid, self._name) != self._value:
                self._pass_over(who)
                continue
            seconds = cpu_seconds_of(entry.pid)
            if seconds is None:
                continue
            found += 1
            self._used[who] = seconds
            # Asked every time: a process of ours may become the program.
            self._is_ours[who] = any(words in command_line(entry.pid) for words in _OURS)
        return found

    def _pass_over(self, who: tuple[int, int]) -> None:
        """Forgets a process that is not of this run; a young one is asked again, since it may become one by exec."""
        if time.clock_gettime(time.CLOCK_BOOTTIME) - who[1] / TICKS > _YOUNG:
            self._strangers.add(who)

    def total(self) -> Spent:
        """Returns what was used by all that were ever seen."""
        ours = sum(seconds for who, seconds in self._used.items() if self._is_ours[who])
        return Spent(sum(self._used.values()) - ours, ours)


def cpu_seconds_of(pid: int) -> float | None:
    """Returns the processor time that one process has used itself, None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return (int(fields[11]) + int(fields[12])) / TICKS

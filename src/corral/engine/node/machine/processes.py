"""Who runs on this machine: parents, sessions and environments of processes, from /proc or, elsewhere, from `ps`.

Every answer is a snapshot. Whoever signals what was found goes through `ProcessIdentity`, so that a pid that was taken
over in between is left alone.
"""

import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corral.engine.supervisor.host import IS_LINUX, ProcessIdentity, identity, resident_bytes, start_mark

TICKS = os.sysconf("SC_CLK_TCK")


class Entry(NamedTuple):
    """One line of the process table."""

    pid: int
    parent: int
    group: int
    session: int
    is_zombie: bool
    started_ticks: int = 0
    """Clock ticks between the boot and its start; 0 where that is not told."""

    @property
    def started(self) -> float:
        """Seconds between the boot and its start."""
        return self.started_ticks / TICKS


def process_table() -> Iterator[Entry]:
    """Yields every process of this machine that may be seen; those that end meanwhile are left out."""
    if not IS_LINUX:
        yield from _table_from_ps()
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            entry = _entry(name)
            if entry is not None:
                yield entry


def children_of(pid: int) -> tuple[int, ...]:
    """Returns the pids of the children of a process that still run."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return tuple(int(child) for child in file.read().split())
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # The file is an option of the kernel, and macOS has none.
        return tuple(entry.pid for entry in process_table() if entry.parent == pid and not entry.is_zombie)


def command_line(pid: int) -> bytes:
    """Returns the arguments of a process, separated by NUL; empty where that cannot be read."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def variable_of(pid: int, name: str) -> str:
    """Returns a variable that a process was started with; empty where there is none, or it cannot be read."""
    return next(iter(values_of(pid, name)), "")


def values_of(pid: int, name: str) -> list[str]:
    """Returns every value that a variable has in the environment a process was started with; none if it cannot be read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return []
    wanted = os.fsencode(name) + b"="
    return [os.fsdecode(entry[len(wanted) :]) for entry in entries if entry.startswith(wanted)]


def proportional_bytes(pid: int) -> int:
    """Returns the memory of a process with what it shares divided by the number of sharers; its resident memory if untold."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resident_bytes(pid)


def open_handle(pid: int) -> int | None:
    """Returns a handle on a process that becomes readable when it ends, None when there is none to be had."""
    if not IS_LINUX or pid <= 0:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def is_unreaped(process: ProcessIdentity) -> bool:
    """Tells whether exactly this process has ended and its parent has not taken its exit code yet."""
    if not IS_LINUX:
        return process.pid > 0 and not process.is_alive()
    boot, _, ticks = process.start.partition(":")
    entry = _entry(str(process.pid)) if process.pid > 0 and ticks else None
    if entry is None or not entry.is_zombie:
        return False
    # A zombie has no start mark, so it is compared by what the mark is made of.
    return str(entry.started_ticks) == ticks and start_mark(os.getpid()).startswith(f"{boot}:")


def reap(process: ProcessIdentity) -> int | None:
    """Takes the exit code (128 and the number for a signal) of an ended child; None when it is not a child of ours."""
    if not is_unreaped(process):
        return None
    try:
        pid, status = os.waitpid(process.pid, os.WNOHANG)
    except ChildProcessError:
        return None
    code = os.waitstatus_to_exitcode(status)
    if pid == 0:
        return None
    return code if code >= 0 else 128 - code


def boot_time() -> float:
    """Returns when this machine was booted, in seconds since the epoch; the epoch where that is not told."""
    if not IS_LINUX:
        return 0.0
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


def identities(pids: Iterable[int]) -> list[ProcessIdentity]:
    """Returns the processes that have these pids now, without those that are gone."""
    return [found for found in (identity(pid) for pid in pids) if found.start]


def _entry(pid: str) -> Entry | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # Gone, or hidden because it belongs to another user.
        return None
    return Entry(int(pid), int(fields[1]), int(fields[2]), int(fields[3]), fields[0] in "ZX", int(fields[19]))


def _table_from_ps() -> Iterator[Entry]:
    command = ["ps", "-axo", "pid=,ppid=,pgid=,state="]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in answer.stdout.splitlines():
        pid, parent, group, state = line.split(None, 3)
        # Sessions are not shown by every `ps`; what we start leads its group as well as its session.
        yield Entry(int(pid), int(parent), int(group), int(group), state.startswith("Z"))

"""What the operating system knows about processes: the one module with Linux-only calls.

Elsewhere (macOS) the same questions are answered through `ps`, without the race-free signalling of a pidfd and without
memory figures; `lacking` names that for `corral doctor`.
"""

import os
import select
import signal
import sys
import time
from typing import NamedTuple

IS_LINUX = sys.platform == "linux"


class ProcessIdentity(NamedTuple):
    """One process, for good: a pid alone may belong to somebody else tomorrow, pid and start mark together may not."""

    pid: int
    start: str

    def is_alive(self) -> bool:
        """Tells whether exactly this process still runs; a zombie does not."""
        return self.start != "" and start_mark(self.pid) == self.start

    def send(self, number: int) -> bool:
        """Signals this process and no other; False when it is gone, or belongs to somebody else."""
        handle = _handle(self.pid)
        if handle is None:
            return self.is_alive() and _kill(self.pid, number)
        try:
            # The handle pins the process, so the check below cannot be overtaken by a reuse of the pid.
            if not self.is_alive():
                return False
            signal.pidfd_send_signal(handle, number)
            return True
        except (ProcessLookupError, PermissionError):
            return False
        finally:
            os.close(handle)

    def send_group(self, number: int) -> bool:
        """Signals the whole process group that this process leads; False when it is gone."""
        if not self.is_alive():
            return False
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def wait_gone(self, seconds: float) -> bool:
        """Waits until this process has ended; False when it is still there after `seconds`."""
        deadline = time.monotonic() + seconds
        handle = _handle(self.pid)
        try:
            while self.is_alive():
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                if handle is not None:
                    wait_readable(handle, min(left, 0.5))
                else:
                    time.sleep(min(left, 0.02))
            return True
        finally:
            if handle is not None:
                os.close(handle)


def identity(pid: int) -> ProcessIdentity:
    """Returns the identity of the process that has this pid now."""
    return ProcessIdentity(pid, start_mark(pid))


def start_mark(pid: int) -> str:
    """Returns a text that is unique to this run of this pid, or an empty text when there is none or only a zombie."""
    if not IS_LINUX:
        return _start_from_ps(pid)
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # Some machines hide the processes of other users. Other errors (no handle is free) tell nothing about a process.
        return ""
    # Ticks since boot repeat after a reboot, hence the boot id.
    return "" if fields[0] in "ZX" else f"{_boot()}:{fields[19]}"


def resident_bytes(pid: int) -> int:
    """Returns the resident memory of a process, 0 when it is unknown."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def lacking() -> tuple[str, ...]:
    """Names what this operating system does not offer, one short sentence each; empty on Linux."""
    if IS_LINUX:
        return ()
    return ("signals go by pid after a check instead of a pidfd", "memory of processes is not measured")


def wait_readable(handle: int, seconds: float) -> bool:
    """Returns whether there was something to read, or an end, before the time was over."""
    # Not `select`, which knows no handles above 1023.
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def _boot() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read(8)


def _handle(pid: int) -> int | None:
    """Returns a pidfd, None when there is no such process or the system (or its sandbox) has none to give."""
    if not IS_LINUX:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _kill(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _start_from_ps(pid: int) -> str:
    state, _, started = _output("ps", "-o", "state=,lstart=", "-p", str(pid)).strip().partition(" ")
    return "" if not state or state.startswith("Z") else started.strip()


def _output(*command: str) -> str:
    """Returns what a program writes; no shell reads its name or its arguments."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as answer:
        try:
            moves = [(os.POSIX_SPAWN_DUP2, writing, 1)]
            # Times are written in the language of the environment, and must read alike whoever asks.
            child = os.posix_spawnp(command[0], command, {**os.environ, "LC_ALL": "C"}, file_actions=moves)
        finally:
            os.close(writing)
        text = answer.read().decode(errors="replace")
    os.waitpid(child, 0)
    return text

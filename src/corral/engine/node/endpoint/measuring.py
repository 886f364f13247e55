"""What processes use, told by the mark that every process of a container carries; one pass over all processes.

Looked at only when somebody asks. Where there is no /proc (macOS), nothing is told.
"""

import os

from corral.engine.node.containers.record import MARK
from corral.engine.node.endpoint.figures import Usage
from corral.engine.node.machine.processes import TICKS, proportional_bytes
from corral.engine.supervisor.host import IS_LINUX

_ASSIGNMENT = f"{MARK}=".encode()


def usage_by_owner() -> dict[str, Usage]:
    """Returns what the processes of each run use; by the mark `POD_UID/CONTAINER/RUN`."""
    found: dict[str, Usage] = {}
    for pid in os.listdir("/proc") if IS_LINUX else ():
        owner = _owner(pid) if pid.isdigit() else ""
        if owner:
            used = Usage(_cpu_seconds(pid), proportional_bytes(int(pid)))
            found[owner] = found.get(owner, Usage()).plus(used)
    return found


def machine_usage() -> Usage:
    """Returns what the whole machine uses."""
    if not IS_LINUX:
        return Usage()
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _wait, interrupts, soft, *_ = map(int, file.readline().split()[1:])
    memory = {}
    with open("/proc/meminfo", encoding="ascii") as file:
        for line in file:
            name, _, value = line.partition(":")
            memory[name] = int(value.split()[0]) * 1024
    used = memory["MemTotal"] - memory.get("MemAvailable", memory["MemFree"])
    return Usage((user + nice + system + interrupts + soft) / TICKS, used)


def _owner(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return ""  # gone meanwhile, or somebody else's
    return next(
        (one[len(_ASSIGNMENT) :].decode(errors="replace") for one in variables if one.startswith(_ASSIGNMENT)), ""
    )


def _cpu_seconds(pid: str) -> float:
    """Returns the time of a process and of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS

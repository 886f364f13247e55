"""What processes cost: memory and processor time, as the kernel counts them."""

import os
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def memory_mib(pids: Iterable[int]) -> float:
    """Returns the proportional set size of some processes together: shared pages count by share."""
    return sum(_proportional_kib(pid) for pid in pids) / 1024


def _proportional_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise OSError(f"no memory figures for process {pid}")


def cpu_seconds(pids: Iterable[int]) -> float:
    """Returns the processor time that some processes have used so far, user and system."""
    return sum(_ticks(pid) for pid in pids) / _TICKS


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def file_system(path: Path) -> str:
    """Returns the type of the file system that a directory is on, such as ext4."""
    best, kind = "", "unknown"
    for line in Path("/proc/mounts").read_text().splitlines():
        _, where, found, *_ = line.split()
        if len(where) >= len(best) and str(path).startswith(where.rstrip("/") + "/"):
            best, kind = where, found
    return kind

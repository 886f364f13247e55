"""Checks of the machine: interpreter, operating system, disk and clock."""

import os
import shutil
import sys
import time

from corral.engine.doctor.finding import Finding
from corral.engine.supervisor.host import lacking

LEAST_FREE = 512 << 20
"""Bytes below which a warning is due: room for the write log and a compaction of a busy state file."""


OLDEST_PYTHON = (3, 11, 0)


def check_python(running: tuple[int, int, int] = sys.version_info[:3]) -> Finding:
    """Examines the interpreter."""
    version = ".".join(str(part) for part in running)
    if running < OLDEST_PYTHON:
        return Finding("fail", "python", f"{version} is too old", "install Python 3.11 or newer")
    return Finding("ok", "python", f"{version} ({sys.executable})")


def check_platform(missing: tuple[str, ...] | None = None) -> Finding:
    """Names what this operating system lacks."""
    gaps = lacking() if missing is None else missing
    if gaps:
        return Finding("warn", "platform", f"{sys.platform}: " + "; ".join(gaps), "Linux has all of it")
    return Finding("ok", "platform", sys.platform)


def check_disk(folder: str, free: int | None = None) -> Finding:
    """Examines the room on the disk of the home."""
    existing = folder
    while not os.path.isdir(existing):
        existing = os.path.dirname(existing)
    left = shutil.disk_usage(existing).free if free is None else free
    text = f"{left >> 20} MiB free for {folder}"
    if left < LEAST_FREE:
        level = "fail" if left < LEAST_FREE // 16 else "warn"
        return Finding(level, "disk", text, "make room; writes are refused, never lost, while the disk is full")
    return Finding("ok", "disk", text)


def check_clock(newest_file: float, now: float | None = None) -> Finding:
    """Compares the clock with the newest time that Corral has seen, `newest_file`, in seconds since the epoch."""
    current = time.time() if now is None else now
    if current < newest_file - 5:
        behind = newest_file - current
        text = f"the clock is {behind:.0f} s behind files that Corral has written"
        return Finding("warn", "clock", text, "set the clock; ages and leases are wrong until then")
    if time.gmtime(current).tm_year < 2024:
        return Finding("fail", "clock", f"the clock says {time.gmtime(current).tm_year}", "set the clock")
    return Finding("ok", "clock", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(current)))

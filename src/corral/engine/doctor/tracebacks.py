"""Looks for crashes in the log of the controllers: what goes wrong there stops a job without stopping the process."""

import os
from collections.abc import Iterable, Iterator

from corral.engine.doctor.finding import Finding
from corral.engine.supervisor.home import Home

_TAIL = 512 * 1024
"""Bytes of the log that are looked at."""
_HEAD = "Traceback (most recent call last):"


def check_controllers_log(home: Home) -> Finding:
    """Examines the end of the log for tracebacks, and quotes the last one."""
    path = home.log_of("controllers")
    if not os.path.exists(path):
        return Finding("ok", "log", "the controllers have written none yet")
    found = list(_crashes(_tail(path)))
    if not found:
        return Finding("ok", "log", "the controllers log holds no traceback")
    when, what = found[-1]
    number = "1 traceback" if len(found) == 1 else f"{len(found)} tracebacks"
    text = f"the controllers log holds {number}, the last: {what}{f' ({when})' if when else ''}"
    return Finding("warn", "log", text, f"please report it, with what stands around it in {path}")


def _tail(path: str) -> list[str]:
    with open(path, "rb") as log:
        log.seek(max(0, os.path.getsize(path) - _TAIL))
        return log.read().decode(errors="replace").splitlines()


def _crashes(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields for each traceback the time of its log line and the line that names the exception."""
    when, is_inside = "", False
    for line in lines:
        if line.startswith(_HEAD):
            is_inside = True
        elif is_inside and line and not line[0].isspace():
            is_inside = False
            yield when, line[:300]
        elif line[:2] == "20" and line[10:11] == "T":
            when = line.partition(" ")[0]

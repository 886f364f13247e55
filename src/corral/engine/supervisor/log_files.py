"""Logs of children: each writes straight to its own file, and the file is rotated by size from outside.

The writer keeps its handle (append mode), so the old content is copied aside and the file cut to zero; a line written
between the two steps is lost, which is the price for children that need not know about rotation.
"""

import os
import shutil

LIMIT = 16 * 1024 * 1024
KEPT = 3


def open_log(path: str) -> int:
    """Returns a handle that appends to the log."""
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def rotate(path: str, limit: int = LIMIT, kept: int = KEPT) -> bool:
    """Moves a log that has outgrown the limit aside, as `.1` of at most `kept`; tells whether it did."""
    try:
        if os.stat(path).st_size <= limit:
            return False
    except FileNotFoundError:
        return False
    for number in range(kept - 1, 0, -1):
        if os.path.exists(f"{path}.{number}"):
            os.replace(f"{path}.{number}", f"{path}.{number + 1}")
    with open(path, "rb+") as source, open(os.open(f"{path}.1", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as target:
        shutil.copyfileobj(source, target)
        source.truncate(0)
    return True


def size_of(path: str) -> int:
    """Returns the size of a log, 0 when there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def last_lines(path: str, count: int, start: int = 0) -> list[str]:
    """Returns the last lines of a log, read from its end; of those behind `start`, unless the log was cut since."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(start if start <= size else 0, size - 16384))
            return file.read().decode(errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        return []

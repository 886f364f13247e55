"""How much is left of the disk and of the memory of this machine, right now."""

import os
from typing import NamedTuple

from corral.engine.small_files import read_text


class Room(NamedTuple):
    """Bytes that are free, of how many."""

    free: int
    whole: int

    @property
    def share(self) -> float:
        """Returns the free part, from 0 to 1; all of it where the whole is not known."""
        return self.free / self.whole if self.whole else 1.0


def disk_room(folder: str) -> Room:
    """Returns the room on the file system that a folder lies on, as users without privileges have it."""
    found = os.statvfs(folder)
    return Room(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


def memory_room() -> Room:
    """Returns the memory that programs could still get without swapping; nothing of nothing where that is not told."""
    lines = (line.partition(":") for line in read_text("/proc/meminfo").splitlines())
    known = {name: int(value.split()[0]) * 1024 for name, _, value in lines if name in ("MemAvailable", "MemTotal")}
    return Room(known.get("MemAvailable", 0), known.get("MemTotal", 0))

"""Who listens on a port of this machine, for people who wonder why it is not free."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from corral.engine.small_files import read_text

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENING = "0A"


class Listener(NamedTuple):
    """A process that listens; where the system does not tell which one it is, the pid is 0."""

    pid: int = 0
    name: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} ({self.name})" if self.pid else "another program"


def listener_on(port: int) -> Listener | None:
    """Returns who listens on a port, on whichever address; None when nobody does, as far as one can see."""
    sockets = {f"socket:[{inode}]" for table in _TABLES for inode in _inodes(read_text(table), port)}
    if not sockets:
        return None
    for pid in os.listdir("/proc"):
        if pid.isdigit() and not sockets.isdisjoint(_links(f"/proc/{pid}/fd")):
            return Listener(int(pid), read_text(f"/proc/{pid}/comm").strip())
    return Listener()


def _inodes(table: str, port: int) -> Iterator[str]:
    wanted = f":{port:04X}"
    for line in table.splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTENING and fields[1].endswith(wanted):
            yield fields[9]


def _links(folder: str) -> Iterator[str]:
    try:
        for name in os.listdir(folder):
            yield os.readlink(os.path.join(folder, name))
    except OSError:
        # The process ended meanwhile, or it is somebody else's.
        return

"""Everything that is needed to start one container, as a value, and the refusal when it cannot be started."""

from collections.abc import Mapping
from typing import NamedTuple


class Mount(NamedTuple):
    """A file or folder of this machine that a container sees at another path."""

    source: str
    path: str
    read_only: bool = False


class Limits(NamedTuple):
    """What a container may use at most; None and nothing mean no limit."""

    memory_bytes: int | None = None
    cpus: tuple[int, ...] = ()
    """The processors that it may run on, by number."""
    open_files: int | None = None
    """How many files each of its processes may have open; None is what the starter may."""


class Launch(NamedTuple):
    """One start of one container."""

    folder: str
    """Where the record of this run and its exit code are kept."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    workdir: str
    log: str
    """The file that standard output and standard error append to."""
    owner: str
    """Marks every process of this run in its environment: pod uid, container and run number."""
    mounts: tuple[Mount, ...] = ()
    limits: Limits = Limits()
    ports: tuple[tuple[int, int], ...] = ()
    """The loopback ports that the program is told, each behind the port that the container declares."""
    streak: int = 0
    """How many restarts in a row this start is; it is kept with the run."""


START_ERROR = "StartError"
"""The reason of a refusal that lies in the command itself."""
WAITING = "ContainerCreating"
"""The reason of a refusal that is only a wait for something on its way."""


class StartRefusedError(Exception):
    """A container cannot be started; `reason` is a word that Kubernetes uses, `message` a sentence for people."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message

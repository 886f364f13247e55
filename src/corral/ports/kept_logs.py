"""Logs that outlive their pods, where the node keeps them within the reach of a command: on the same machine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple


class KeptLog(NamedTuple):
    """What one run of a container said."""

    pod: str
    uid: str
    labels: Mapping[str, str]
    container: str
    run: int
    """The restart count."""
    last_said: float
    """When it was last written to, in seconds since the epoch."""
    read: Callable[[int], Iterator[bytes]]
    """Yields it in pieces, each line with its time before it, as the API's `pods/log` does; of a number other than 0 only
    the whole lines within so many bytes at its end."""


KeptLogs = Callable[[str, str], Sequence[KeptLog]]
"""Returns what is kept of a job or a pod: by namespace and name, the newest first; nothing is no error."""


def nothing_kept(_namespace: str, _name: str) -> Sequence[KeptLog]:
    """Returns what is kept of a cluster's pods: nothing that a command could reach."""
    return ()

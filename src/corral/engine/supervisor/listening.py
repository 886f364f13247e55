"""The address: one loopback socket, bound here and handed to the child that serves it.

The port is chosen once, below the range from which the kernel gives ports to outgoing connections, and kept. Where the
search begins depends on the home, so that several homes on one machine rarely want the same port, also while stopped.
"""

import errno
import socket
import zlib
from collections.abc import Sequence

PORTS = range(16384, 20480)
QUEUE_LENGTH = 1024


class PortTakenError(Exception):
    """The port that was asked for cannot be had: another program listens on it, or it is not for every user."""

    def __init__(self, port: int, why: str = "is taken by another program") -> None:
        super().__init__(f"port {port} of 127.0.0.1 {why}")
        self.port = port


def ports_for(root: str) -> Sequence[int]:
    """Returns the ports to try for a home that has none yet, in order."""
    first = zlib.crc32(root.encode()) % len(PORTS)
    return [*PORTS[first:], *PORTS[:first]]


def listen(candidates: Sequence[int]) -> socket.socket:
    """Returns a listening socket on the first free one of these ports of 127.0.0.1."""
    for candidate in candidates:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Without it, connections of the last run that linger in TIME_WAIT would hold the port for a minute.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", candidate))
            listener.listen(QUEUE_LENGTH)
        except OSError as error:
            listener.close()
            if error.errno in (errno.EACCES, errno.EPERM):
                raise PortTakenError(candidate, "may be used by the superuser only") from error
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return listener
    raise PortTakenError(candidates[-1])

"""The address: one loopback socket, bound here and handed to the child that serves it.

The port is chosen once, below the range from which the kernel gives ports to outgoing connections, and kept.
"""

import errno
import socket

FIRST_PORT = 17600
PORTS_TO_TRY = 200
QUEUE_LENGTH = 1024


class PortTakenError(Exception):
    """Another program listens on the port that was asked for."""

    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} of 127.0.0.1 is taken by another program")
        self.port = port


def listen(port: int | None) -> socket.socket:
    """Returns a listening socket on this port of 127.0.0.1, or on the first free one of our range when None."""
    candidates = range(FIRST_PORT, FIRST_PORT + PORTS_TO_TRY) if port is None else (port,)
    for candidate in candidates:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Without it, connections of the last run that linger in TIME_WAIT would hold the port for a minute.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", candidate))
            listener.listen(QUEUE_LENGTH)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return listener
    raise PortTakenError(candidates[-1])

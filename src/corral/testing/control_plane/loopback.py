"""Free ports on 127.0.0.1.

A port that is free now may be taken a moment later, so callers must be ready to try again. To make that rare, ports
are drawn from below 32768: from there up the kernel hands ports to clients, and a component that is down for a fault
test would sooner or later find its own port used by somebody's outgoing connection.
"""

import random
import socket

ADDRESS = "127.0.0.1"

_RANGE = range(20000, 32768)


def free_port() -> int:
    """A port nobody listens on at this moment."""
    for port in random.sample(_RANGE, 100):
        if is_free(port):
            return port
    raise OSError(f"no free port on {ADDRESS} between {_RANGE.start} and {_RANGE.stop}")


def is_free(port: int) -> bool:
    """Whether a server could listen on `port` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError:
            return False
    return True

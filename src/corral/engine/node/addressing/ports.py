"""Which loopback ports there are, which are free, and which one a port of a Service gets.

Below the range from which the system takes ports for outgoing connections: one from inside it may be in use at any moment.
The search begins at a place that depends on the name, so that the same Service gets the same port again and again, and
services that are allotted at the same time seldom meet.
"""

import errno
import hashlib
import socket
from collections.abc import Callable, Container
from typing import NamedTuple

from corral.engine.node.addressing.loopback import ServicePort
from corral.errors import RetryError

LOWEST = 20000
_HIGHEST_ANYWHERE = 32767
_HIGHEST = 65535
_FEWEST = 1000
"""Where the system leaves fewer ports below its own range, those above it are taken."""

_LACKING = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class PortRange(NamedTuple):
    """The ports that may be allotted, both ends included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """Returns how many ports these are."""
        return max(0, self.last - self.first + 1)


class NoPortError(RetryError):
    """Every port of the range is taken."""

    def __init__(self, ports: PortRange) -> None:
        super().__init__(
            "no-loopback-port",
            f"every port from {ports.first} to {ports.last} is taken",
            hint="delete Services that nobody needs, or end programs that listen there",
        )


def range_beside(ephemeral: tuple[int, int] | None) -> PortRange:
    """Returns the ports to allot, given those that the system takes for outgoing connections, if that is known."""
    if ephemeral is None:
        return PortRange(LOWEST, _HIGHEST_ANYWHERE)
    below, above = PortRange(LOWEST, ephemeral[0] - 1), PortRange(max(LOWEST, ephemeral[1] + 1), _HIGHEST)
    if below.size >= _FEWEST:
        return below
    largest = max(above, below, key=lambda one: one.size)
    return largest if largest.size else PortRange(LOWEST, _HIGHEST_ANYWHERE)


def usable_range() -> PortRange:
    """Returns the ports to allot on this machine."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            first, last = (int(word) for word in file.read().split())
    except (OSError, ValueError):
        return range_beside(None)
    return range_beside((first, last))


def start_of(wanted: ServicePort, ports: PortRange) -> int:
    """Returns the port at which the search for one begins."""
    digest = hashlib.blake2b(f"{wanted.namespace}/{wanted.service}:{wanted.port}".encode(), digest_size=8).digest()
    return ports.first + int.from_bytes(digest, "big") % ports.size


def choose(ports: PortRange, start: int, taken: Container[int], is_free: Callable[[int], bool]) -> int:
    """Returns the first port from `start` on, around the end of the range, that nobody has; NoPortError without one."""
    for step in range(ports.size):
        port = ports.first + (start - ports.first + step) % ports.size
        if port not in taken and is_free(port):
            return port
    raise NoPortError(ports)


def is_unused(port: int) -> bool:
    """Whether nobody has this port on any address of this machine, not even with connections that just ended."""
    return all(_can_bind(family, port, reuse=False) for family in (socket.AF_INET, socket.AF_INET6))


def can_listen(port: int) -> bool:
    """Whether a server could listen on this port now; connections of an earlier one that just ended do not count."""
    return all(_can_bind(family, port, reuse=True) for family in (socket.AF_INET, socket.AF_INET6))


def _can_bind(family: socket.AddressFamily, port: int, *, reuse: bool) -> bool:
    try:
        probe = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        if error.errno in _LACKING:
            return True
        raise
    with probe:
        if family == socket.AF_INET6:
            # Otherwise it would ask about the other family too, and a machine without that one would answer wrongly.
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if reuse:
            # On Linux this overlooks sockets that merely linger; one that listens still refuses.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("::" if family == socket.AF_INET6 else "0.0.0.0", port))  # noqa: S104 - bound, never listened on
        except OSError as error:
            return error.errno in _LACKING
    return True

"""Addresses for pods that are played: a range of 10.0.0.0/8 for each node, the lowest free one first. Pure."""

import ipaddress

_FIRST = int(ipaddress.IPv4Address("10.64.0.0"))


class Addresses:
    """Lends addresses; what pods have already is noted, so that nobody gets it a second time.

    With `host`, that is the address of every node itself.
    """

    def __init__(self, per_node: int = 256, host: str = "") -> None:
        self._per_node = per_node
        self._host = host
        self._lent: set[str] = set()

    def of_node(self, number: int) -> str:
        """Returns the address of a node itself."""
        return self._host or str(ipaddress.IPv4Address(_FIRST + number * self._per_node + 1))

    def lend(self, number: int) -> str:
        """Returns a free address of a node; when there is none, its last one is shared."""
        first = _FIRST + number * self._per_node
        address = ""
        for offset in range(2, self._per_node - 1):
            address = str(ipaddress.IPv4Address(first + offset))
            if address not in self._lent:
                break
        self._lent.add(address)
        return address

    def note(self, address: str) -> None:
        """Takes note of an address that a pod has."""
        self._lent.add(address)

    def give_back(self, address: str) -> None:
        """Makes an address free."""
        self._lent.discard(address)

"""How pods of one job find each other, apart from who asks.

The operator writes the addresses of a cluster into pods. A process node calls the same functions with loopback addresses
at the start of a process, so that the same job runs on one machine without DNS and without port clashes.
"""

from typing import NamedTuple, Protocol


class Endpoint(NamedTuple):
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Addressing(Protocol):
    """Turns the name of a service into where its pod listens; a value, which answers the same question the same."""

    def near(self, service: str, port: int) -> Endpoint:
        """Returns the address as pods of the same namespace use it."""

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        """Returns the address with the namespace in it."""


class ClusterAddressing(NamedTuple):
    """Addresses as a cluster's DNS knows them."""

    domain: str = ""
    """A cluster domain to append to full names; without one they end in `.svc`."""

    def near(self, service: str, port: int) -> Endpoint:
        """Returns the bare name."""
        return Endpoint(service, port)

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        """Returns `service.namespace.svc`, with the domain if there is one."""
        tail = f".{self.domain}" if self.domain else ""
        return Endpoint(f"{service}.{namespace}.svc{tail}", port)

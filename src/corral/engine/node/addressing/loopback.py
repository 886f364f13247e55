"""The addresses of this machine: which address a name has, and the frameworks' `Addressing` made of allotted ports.

A name has its address by a fixed rule, so that a pod knows its own before anybody was asked. The ports are allotted, since
two programs cannot listen on one: see `ledger`.
"""

import hashlib
import sys
from collections.abc import Mapping
from typing import NamedTuple

from corral.errors import RetryError
from corral.reconcile.frameworks.addressing import Endpoint

_NETS = 1 << 14
"""The networks of 256 addresses in 127.64.0.0/10."""
_HOSTS = 254
"""Addresses in each of them: many programs take one that ends in 0 or 255 for a network or for everybody."""


class ServicePort(NamedTuple):
    """One port of one Service, as a cluster numbers it."""

    namespace: str
    service: str
    port: int

    def __str__(self) -> str:
        return f"{self.service}.{self.namespace}:{self.port}"


Ports = Mapping[ServicePort, int]
"""The loopback port of each port of a Service that was asked for."""


class UnknownServiceError(RetryError):
    """An address was asked for that has no loopback port yet: it is to be allotted, and everything asked again."""

    def __init__(self, wanted: ServicePort) -> None:
        super().__init__("service-unknown", f"no loopback port is allotted to {wanted}")
        self.wanted = wanted


def address_of(namespace: str, name: str, platform: str = sys.platform) -> str:
    """Returns the address of a Service or a pod on this machine; a pod and a Service of one name share theirs.

    Linux answers on all of 127.0.0.0/8, others only on 127.0.0.1.
    """
    if platform != "linux":
        return "127.0.0.1"
    net, host = divmod(_number(namespace, name) % (_NETS * _HOSTS), _HOSTS)
    return f"127.{64 + (net >> 8)}.{net & 255}.{host + 1}"


def _number(*parts: str) -> int:
    digest = hashlib.blake2b("/".join(parts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class LoopbackAddressing(NamedTuple):
    """Addresses on this machine, for pods of one namespace."""

    namespace: str
    ports: Ports

    def near(self, service: str, port: int) -> Endpoint:
        """Returns where a Service of the same namespace listens here."""
        return self.far(service, self.namespace, port)

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        """Returns where a Service listens here; UnknownServiceError when it has no port yet."""
        wanted = ServicePort(namespace, service, port)
        if wanted not in self.ports:
            raise UnknownServiceError(wanted)
        return Endpoint(address_of(namespace, service), self.ports[wanted])


class WantedAddresses:
    """An `Addressing` that only listens: afterwards `wanted` holds every address that was asked for.

    Not a tuple on purpose: two of them are never equal, so nobody answers for one with what was asked of another.
    """

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.wanted: set[ServicePort] = set()

    def near(self, service: str, port: int) -> Endpoint:
        """Notes a Service of the same namespace."""
        return self.far(service, self.namespace, port)

    def far(self, service: str, namespace: str, port: int) -> Endpoint:
        """Notes a Service."""
        self.wanted.add(ServicePort(namespace, service, port))
        return Endpoint(address_of(namespace, service), port)

"""Endpoints: the addresses behind a service."""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import (
    label_faults,
    port_number_faults,
    qualified_name_faults,
    subdomain_faults,
)
from corral.engine.apiserver.resources.ip_addresses import address_faults, endpoint_faults
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.resources.service_validation import PROTOCOLS


class EndpointsStrategy(Strategy):
    """Endpoints; subsets that were once taken are not looked at again while they stay the same."""

    allow_create_on_update = True

    def default(self, obj: Object) -> None:
        """Sets the protocol of ports."""
        if not obj.get("subsets"):
            obj.pop("subsets", None)
        for subset in obj.get("subsets") or ():
            for port in subset.get("ports") or ():
                port["protocol"] = port.get("protocol") or "TCP"

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks addresses and ports."""
        subsets = obj.get("subsets") or ()
        return [error for i, subset in enumerate(subsets) for error in _subset_errors(f"subsets[{i}]", subset)]


def _subset_errors(path: str, subset: dict[str, Any]) -> Iterator[FieldError]:
    ports = subset.get("ports") or ()
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    for field in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(field) or ()):
            yield from _address_errors(f"{path}.{field}[{index}]", address)
    for index, port in enumerate(ports):
        yield from _port_errors(f"{path}.ports[{index}]", port, name_needed=len(ports) > 1)


def _address_errors(path: str, address: dict[str, Any]) -> Iterator[FieldError]:
    ip, host, node = address.get("ip", ""), address.get("hostname"), address.get("nodeName")
    yield from (invalid(f"{path}.ip", ip, fault) for fault in address_faults(ip))
    if host:
        yield from (invalid(f"{path}.hostname", host, fault) for fault in label_faults(host))
    if node is not None:
        yield from (invalid(f"{path}.nodeName", node, fault) for fault in subdomain_faults(node))
    yield from (invalid(f"{path}.ip", ip, fault) for fault in endpoint_faults(ip))


def _port_errors(path: str, port: dict[str, Any], *, name_needed: bool) -> Iterator[FieldError]:
    name, number, application = port.get("name"), port.get("port", 0), port.get("appProtocol")
    if name:
        yield from (invalid(f"{path}.name", name, fault) for fault in label_faults(name))
    elif name_needed:
        yield required(f"{path}.name")
    yield from (invalid(f"{path}.port", number, fault) for fault in port_number_faults(number))
    if port["protocol"] not in PROTOCOLS:
        yield not_supported(f"{path}.protocol", port["protocol"], PROTOCOLS)
    if application is not None:
        yield from (invalid(f"{path}.appProtocol", application, f) for f in qualified_name_faults(application))

"""Cluster addresses and node ports of services: which are taken, which comes next.

Allocation is a pure function of the service, its former self and what all other services use; the ledger knows that,
and keeps what was chosen until it is stored. Called after defaulting and before everything else, as its errors hide
those of validation on the real server.
"""

from collections.abc import Callable, Container, Iterable, Set
from ipaddress import IPv4Network
from typing import Any, Generic, TypeVar
from zlib import crc32

import msgspec

from corral.engine.apiserver.failures import internal
from corral.engine.apiserver.field_errors import FieldError, invalid
from corral.engine.apiserver.resources.ip_addresses import parsed
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.service_shape import (
    has_cluster_address,
    has_health_port,
    has_node_ports,
    is_headless,
)
from corral.engine.apiserver.resources.service_validation import cluster_address_errors

SERVICE_RANGE = IPv4Network("10.96.0.0/16")
NODE_PORTS = range(30000, 32768)
# The start of both ranges is left to those who ask for a certain value; 10.96.0.1 is the API's own.
_FIRST_ADDRESS = 257
_FIRST_PORT = NODE_PORTS.start + 86
_ON_ONE_STACK = "not configured on this cluster"
_PORT_OUTSIDE = (
    f"provided port is not in the valid range. The range of valid ports is {NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
)


_T = TypeVar("_T")


class InUse(msgspec.Struct, frozen=True):
    """The cluster addresses and node ports that are not free."""

    addresses: Container[str] = frozenset()
    ports: Container[int] = frozenset()


class Holding(InUse, frozen=True):
    """The cluster addresses and node ports that services hold, one by one."""

    addresses: Set[str] = frozenset()
    ports: Set[int] = frozenset()


def held_by(services: Iterable[Object]) -> Holding:
    """Returns what the given services hold."""
    addresses: set[str] = set()
    ports: set[int] = set()
    for service in services:
        spec = service.get("spec") or {}
        addresses.update(spec.get("clusterIPs") or ())
        ports.update(port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
        if spec.get("healthCheckNodePort"):
            ports.add(spec["healthCheckNodePort"])
    return Holding(addresses - {"None"}, ports)


def allocate(new: Object, old: Object | None, in_use: InUse) -> list[FieldError]:
    """Gives a service its addresses and ports, changing `new`; returns why that cannot be done."""
    before = old["spec"] if old else None
    own = held_by([old] if old else ())
    taken = InUse(_Busy(in_use.addresses, own.addresses), _Busy(in_use.ports, own.ports))
    spec = new["spec"]
    if before is not None:
        _keep_allocated(spec, before)
    _agree_on_cluster_addresses(spec, before)
    return (
        _choose_families(spec, before)
        or _allocate_address(new, taken, before)
        or _allocate_node_ports(new, taken, is_new=old is None)
    )


class _Busy(Generic[_T]):
    """What is taken, apart from one's own, and what was chosen just now."""

    def __init__(self, taken: Container[_T], own: Set[_T] = frozenset(), chosen: Iterable[_T] = ()) -> None:
        self._taken, self._own, self._chosen = taken, own, set(chosen)

    def __contains__(self, value: object) -> bool:
        return value in self._chosen or (value in self._taken and value not in self._own)

    def add(self, value: _T) -> None:
        self._chosen.add(value)


def _keep_allocated(spec: dict[str, Any], before: dict[str, Any]) -> None:
    """Lets the same manifest be sent again: what was allocated is kept when the sender left it out."""
    if has_cluster_address(before) and has_cluster_address(spec):
        for field in ("clusterIP", "clusterIPs"):
            if not spec.get(field) and before.get(field):
                spec[field] = before[field]
    if has_node_ports(before) and has_node_ports(spec):
        was = {port.get("name", ""): port.get("nodePort", 0) for port in before.get("ports") or ()}
        now = {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}
        for port in spec.get("ports") or ():
            known = was.get(port.get("name", ""), 0)
            if not port.get("nodePort") and known and known not in now:
                port["nodePort"] = known
    if has_health_port(before) and has_health_port(spec) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = before.get("healthCheckNodePort", 0)


def _agree_on_cluster_addresses(spec: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Makes clusterIPs follow clusterIP, for those who know only the older field."""
    one, many = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    if before is None:
        if one and not many:
            spec["clusterIPs"] = [one]
        return
    if one == before.get("clusterIP", ""):
        return
    if many == (before.get("clusterIPs") or []):
        if one:
            spec["clusterIPs"] = [one]
        else:
            spec.pop("clusterIPs", None)


def _choose_families(spec: dict[str, Any], before: dict[str, Any] | None) -> list[FieldError]:
    if spec.get("type") == "ExternalName":
        return []
    selectorless = is_headless(spec) and not spec.get("selector")
    if not spec.get("ipFamilyPolicy"):
        former = (before or {}).get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = former or ("RequireDualStack" if selectorless else "SingleStack")
    errors = cluster_address_errors(spec, set((before or {}).get("clusterIPs") or ())) or _policy_errors(spec)
    if errors:
        return errors
    families: list[str] = spec.setdefault("ipFamilies", [])
    if selectorless:
        families[:] = families or ["IPv4"]
        if len(families) < 2 and spec["ipFamilyPolicy"] != "SingleStack":
            families.append("IPv6" if families[0] == "IPv4" else "IPv4")
        return []
    if spec["ipFamilyPolicy"] == "RequireDualStack":
        detail = "this cluster is not configured for dual-stack services"
        errors.append(invalid("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], detail))
    errors += [
        invalid(f"spec.ipFamilies[{i}]", family, _ON_ONE_STACK) for i, family in enumerate(families) if family != "IPv4"
    ]
    if not errors and not families:
        families.append("IPv4")
    return errors


def _policy_errors(spec: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    addresses, families = spec.get("clusterIPs") or [], spec.get("ipFamilies") or []
    if spec["ipFamilyPolicy"] == "SingleStack":
        wanted = "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified"
        for values, what in ((addresses, "cluster IPs"), (families, "IP families")):
            if len(values) == 2:
                errors.append(invalid("spec.ipFamilyPolicy", "SingleStack", wanted.format(what)))
    for index, address in enumerate(addresses):
        if address != "None" and index >= len(families) and _family(address) != "IPv4":
            detail = f"{_family(address)} is {_ON_ONE_STACK}"
            errors.append(invalid(f"spec.clusterIPs[{index}]", addresses, detail))
    return errors


def _family(address: str) -> str:
    return "IPv6" if ":" in address else "IPv4"


def _allocate_address(service: Object, taken: InUse, before: dict[str, Any] | None) -> list[FieldError]:
    spec = service["spec"]
    keeps = before is not None and has_cluster_address(before)  # a change is refused by validation
    if keeps or not has_cluster_address(spec) or is_headless(spec):
        return []
    wanted = (spec.get("clusterIPs") or [""])[0]
    if not wanted:
        address = _next(_start(service), _FIRST_ADDRESS, SERVICE_RANGE.num_addresses - 1, _address, taken.addresses)
        if address is None:
            raise internal("failed to allocate a serviceIP: range is full")
        spec["clusterIP"], spec["clusterIPs"] = address, [address]
        return []
    asked, reason = parsed(wanted), ""
    if asked is None or asked not in SERVICE_RANGE:
        reason = "the provided network does not match the current range"
    elif asked in (SERVICE_RANGE[0], SERVICE_RANGE[-1]):
        reason = f"the provided IP ({wanted}) is not in the valid range. The range of valid IPs is {SERVICE_RANGE}"
    elif wanted in taken.addresses:
        reason = "provided IP is already allocated"
    if not reason:
        return []
    return [invalid("spec.clusterIPs", spec["clusterIPs"], f"failed to allocate IP {wanted}: {reason}")]


def _allocate_node_ports(service: Object, taken: InUse, *, is_new: bool) -> list[FieldError]:
    spec = service["spec"]
    if not has_node_ports(spec):
        return []
    ports = spec.get("ports") or []
    errors = _asked_port_errors(ports, taken.ports, is_new=is_new)
    if errors:
        return errors[:1]
    start = _start(service)
    busy = _Busy(taken.ports, chosen=(port["nodePort"] for port in ports if port.get("nodePort")))
    # Ports of one number (TCP and UDP) share a node port when the service is new.
    shared = {port["port"]: port["nodePort"] for port in reversed(ports) if is_new and port.get("nodePort")}
    if spec["type"] == "NodePort" or spec.get("allocateLoadBalancerNodePorts", True):
        for port in ports:
            if not port.get("nodePort"):
                port["nodePort"] = shared.get(port["port"]) or _next_port(start, busy)
                busy.add(port["nodePort"])
                if is_new:
                    shared[port["port"]] = port["nodePort"]
    if has_health_port(spec) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = _next_port(start, busy)
    return []


def _asked_port_errors(ports: list[dict[str, Any]], taken: Container[int], *, is_new: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    owners: dict[int, int] = {}
    for index, port in enumerate(ports):
        asked = port.get("nodePort")
        if asked:
            owner = owners.setdefault(asked, port["port"])
            refused = _Busy(taken, chosen=[asked]) if is_new and owner != port["port"] else taken
            errors += _port_errors(f"spec.ports[{index}].nodePort", asked, refused)
    return errors


def _port_errors(path: str, port: int, taken: Container[int]) -> list[FieldError]:
    if port not in NODE_PORTS:
        return [invalid(path, port, _PORT_OUTSIDE)]
    return [invalid(path, port, "provided port is already allocated")] if port in taken else []


def _next_port(start: int, busy: Container[int]) -> int:
    found = _next(start, _FIRST_PORT, NODE_PORTS.stop, int, busy)
    if found is None:
        raise internal("failed to allocate a nodePort: range is full")
    return found


def _next(start: int, first: int, stop: int, value_at: Callable[[int], _T], taken: Container[_T]) -> _T | None:
    size = stop - first
    values = (value_at(first + (start + step) % size) for step in range(size))
    return next((value for value in values if value not in taken), None)


def _start(service: Object) -> int:
    """Returns where to begin to look: spread over the range, and the same for the same name after a re-creation."""
    metadata = service["metadata"]
    return crc32(f"{metadata.get('namespace', '')}/{metadata.get('name', '')}".encode())


def _address(offset: int) -> str:
    return str(SERVICE_RANGE[offset])

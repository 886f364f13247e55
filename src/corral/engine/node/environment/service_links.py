"""Variables that tell where the services of a namespace are: NAME_SERVICE_HOST and the older form of links."""

from collections.abc import Callable, Iterable, Iterator

from corral.kinds.objects import Object

Locate = Callable[[Object, int], tuple[str, int]]
"""Tells host and port under which a port of a service is reached from here."""


def cluster_location(service: Object, port: int) -> tuple[str, int]:
    """Tells where a cluster would have the service."""
    return service["spec"]["clusterIP"], port


def service_links(services: Iterable[Object], pod: Object, locate: Locate = cluster_location) -> dict[str, str]:
    """Returns the variables for the services that a pod is told of.

    These are the services of its namespace with an address, unless it wants none, and the API itself in any case. The
    names of variables have the port of the service; the values are where `locate` says.
    """
    namespace = pod["metadata"].get("namespace", "")
    wants_all = pod["spec"].get("enableServiceLinks") is not False
    told: dict[str, Object] = {}
    for service in services:
        name, home = service["metadata"]["name"], service["metadata"].get("namespace", "")
        if not _has_address(service):
            continue
        if home == namespace and wants_all:
            told[name] = service
        elif home == "default" and name == "kubernetes":
            told.setdefault(name, service)
    return {name: value for key in sorted(told) for name, value in _variables(told[key], locate)}


def _has_address(service: Object) -> bool:
    spec = service.get("spec") or {}
    return spec.get("clusterIP") not in (None, "", "None") and bool(spec.get("ports"))


def _variables(service: Object, locate: Locate) -> Iterator[tuple[str, str]]:
    prefix = _variable_name(service["metadata"]["name"])
    ports = service["spec"]["ports"]
    host, port = locate(service, ports[0]["port"])
    yield f"{prefix}_SERVICE_HOST", host
    yield f"{prefix}_SERVICE_PORT", str(port)
    for one in ports:
        if one.get("name"):
            yield f"{prefix}_SERVICE_PORT_{_variable_name(one['name'])}", str(locate(service, one["port"])[1])
    for index, one in enumerate(ports):
        yield from _link(service, prefix, one, index == 0, locate)


def _link(service: Object, prefix: str, port: Object, is_first: bool, locate: Locate) -> Iterator[tuple[str, str]]:
    protocol = str(port.get("protocol") or "TCP")
    host, number = locate(service, port["port"])
    address = f"{protocol.lower()}://[{host}]:{number}" if ":" in host else f"{protocol.lower()}://{host}:{number}"
    if is_first:
        yield f"{prefix}_PORT", address
    link = f"{prefix}_PORT_{port['port']}_{protocol.upper()}"
    yield link, address
    yield f"{link}_PROTO", protocol.lower()
    yield f"{link}_PORT", str(number)
    yield f"{link}_ADDR", host


def _variable_name(text: str) -> str:
    return text.replace("-", "_").upper()

"""Addresses in text: finds every `service[.namespace[.svc[.DOMAIN]]]:port` and replaces those that are known.

For arguments, values of variables and mounted files, in which people and tools write addresses: alone, in lists, in URLs, in
JSON. Two passes: `addresses_in` finds what could be a Service, the caller finds out which of them are and allots ports, and
`translated` replaces exactly those. A name without a port is left alone, since nobody can tell it from a word.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corral.engine.node.addressing.loopback import Ports, ServicePort, address_of
from corral.kinds.objects import Object, key_of, labels_of, matches_labels

DEFAULT_DOMAIN = "cluster.local"

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,62})"
# The beginning must not be the middle of a word, a path or a variable of a shell; `\n` in a JSON string is no letter n.
# Atomic groups keep long words without an address from being looked at more than once.
_ADDRESS = re.compile(
    r"(?:(?<![\w.\-/\\$])(?<!\$\{)|(?<=//)|(?<=\\[nrt]))"
    rf"(?P<host>(?>(?=[a-z]){_LABEL}(?:\.{_LABEL}){{0,9}}))\.?"
    r":(?P<port>(?>[1-9][0-9]{0,4}))(?![\w-])(?!\.[0-9])",
    re.ASCII,
)


class OwnPort(NamedTuple):
    """A port on which a pod itself listens: where a cluster has it, and where it is on this machine."""

    service: str
    container_port: int
    loopback_port: int


def addresses_in(text: str, namespace: str, domain: str = DEFAULT_DOMAIN) -> set[ServicePort]:
    """Returns everything in a text that could be the port of a Service, as pods of a namespace understand it."""
    if ":" not in text:
        return set()
    found = (_meant(host, port, namespace, domain) for host, port in set(_ADDRESS.findall(text)))
    return {one for one in found if one is not None}


def translated(text: str, namespace: str, ports: Ports, domain: str = DEFAULT_DOMAIN) -> str:
    """Returns the text with the addresses of this machine in place of those that have a loopback port."""
    if ":" not in text or not ports:
        return text

    # Found first and replaced afterwards, since a file may hold the same few addresses very often.
    known: dict[tuple[str, str], str] = {}
    for host, port in set(_ADDRESS.findall(text)):
        meant = _meant(host, port, namespace, domain)
        if meant is not None and meant in ports:
            known[host, port] = f"{address_of(meant.namespace, meant.service)}:{ports[meant]}"
    return _ADDRESS.sub(lambda match: known.get((match["host"], match["port"]), match[0]), text) if known else text


def own_ports(pod: Object, services: Iterable[Object], ports: Ports) -> Mapping[int, OwnPort]:
    """Returns by container port where a pod listens on this machine, according to the Services that select it.

    When several Services lead to one port, that of the pod's own name counts: it is the one that frameworks tell.
    """
    found: dict[int, OwnPort] = {}
    name = pod["metadata"]["name"]
    for service in sorted(services, key=lambda one: (key_of(one).name != name, key_of(one).name)):
        key = key_of(service)
        if key.namespace != pod["metadata"]["namespace"] or not selects(service, pod):
            continue
        for wanted, loopback in sorted(ports.items()):
            if (wanted.namespace, wanted.service) == key:
                target = container_port(service, wanted.port, pod)
                found.setdefault(target, OwnPort(key.name, target, loopback))
    return found


def offers(service: Object, port: int) -> bool:
    """Whether a Service answers on a port: without an address of its own it is only a name, and pods have every port."""
    spec = service.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return False
    if spec.get("clusterIP") == "None":
        return True
    return any(one.get("port") == port and one.get("protocol", "TCP") == "TCP" for one in spec.get("ports") or ())


def _meant(host: str, port: str, namespace: str, domain: str) -> ServicePort | None:
    """Returns the Service that a host name means, None for names that mean none."""
    number = int(port)
    labels = host.split(".")
    if number > 65535 or any(label.endswith("-") or len(label) > 63 for label in labels):
        return None
    match labels:
        case ["localhost"]:
            return None
        case [service]:
            return ServicePort(namespace, service, number)
        case [service, other]:
            return ServicePort(other, service, number)
        case [service, other, "svc", *rest] if not rest or ".".join(rest) == domain:
            return ServicePort(other, service, number)
    return None


def selects(service: Object, pod: Object) -> bool:
    """Whether a Service leads to a pod."""
    selector = (service.get("spec") or {}).get("selector") or {}
    return bool(selector) and matches_labels(labels_of(pod), selector)


def container_port(service: Object, port: int, pod: Object) -> int:
    """Returns the port of the containers behind a port of a Service; a headless one does not map."""
    spec = service.get("spec") or {}
    if spec.get("clusterIP") == "None":
        return port
    target = next((one.get("targetPort") for one in spec.get("ports") or () if one.get("port") == port), None)
    if isinstance(target, int) and target:
        return target
    for container in pod["spec"].get("containers") or ():
        for offered in container.get("ports") or ():
            if target and offered.get("name") == target:
                return int(offered["containerPort"])
    return port

"""What a pod asks of a node, and whether it is ours to bind. Pods that ask the same share one decision."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from corral.kinds.objects import Object, is_deleting
from corral.kinds.quantities import parse_quantity, quantity_text
from corral.reconcile.builtin.binding.node_affinity import Term, terms_of
from corral.reconcile.builtin.binding.taints import Toleration, toleration_of
from corral.reconcile.builtin.pods import has_ended

SCHEDULER_NAMES = frozenset(
    {"default-scheduler", "corral", "corral-scheduler", "volcano", "scheduler-plugins-scheduler"}
)
"""Whose pods are bound: the usual names, and those of gang schedulers, since on one machine nobody else binds theirs.

Gangs are not kept together yet. A pod with any other name waits for the scheduler that it asks for.
"""

Amounts = tuple[tuple[str, int], ...]
"""Extended resources by name, in billionths of a unit, sorted."""


class HostPort(NamedTuple):
    """A port of the node itself that a pod wants for its own."""

    protocol: str
    address: str
    port: int

    def clashes_with(self, other: "HostPort") -> bool:
        """Whether both cannot be had on one node; the address 0.0.0.0 stands for all of them."""
        if (self.protocol, self.port) != (other.protocol, other.port):
            return False
        return "0.0.0.0" in (self.address, other.address) or self.address == other.address  # noqa: S104 - compared only


class Demand(NamedTuple):
    """Everything about a pod that decides where it can go; hashable, so that equal ones are found."""

    amounts: Amounts
    ports: tuple[HostPort, ...]
    selector: tuple[tuple[str, str], ...]
    terms: tuple[Term, ...] | None
    """Required node affinity; None when nothing is required."""
    tolerations: tuple[Toleration, ...]


def is_ours(pod: Object) -> bool:
    """Whether a pod waits to be bound, by us."""
    spec = pod["spec"]
    if spec.get("nodeName") or spec.get("schedulingGates") or is_deleting(pod) or has_ended(pod):
        return False
    return spec.get("schedulerName", "default-scheduler") in SCHEDULER_NAMES


def demand_of(pod: Object) -> Demand:
    """Returns what a pod asks for."""
    spec = pod["spec"]
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    return Demand(
        amounts=tuple(sorted(_amounts(spec).items())),
        ports=_ports(spec),
        selector=tuple(sorted((spec.get("nodeSelector") or {}).items())),
        terms=None if required is None else terms_of(required),
        tolerations=tuple(toleration_of(one) for one in spec.get("tolerations") or ()),
    )


def is_extended(name: str) -> bool:
    """Whether a resource is counted: those with a domain in their name, such as nvidia.com/gpu."""
    return "/" in name


def extended_amounts(amounts: Mapping[str, Any] | None) -> dict[str, int]:
    """Returns the extended resources of a list of amounts."""
    return {
        name: parse_quantity(quantity_text(text)).nanos for name, text in (amounts or {}).items() if is_extended(name)
    }


def _amounts(spec: Mapping[str, Any]) -> dict[str, int]:
    """Returns what a pod holds at its widest: all containers together, or one initialisation, with what runs beside it."""
    beside: dict[str, int] = {}
    widest: dict[str, int] = {}
    for container in spec.get("initContainers") or ():
        asked = _of_container(container)
        if container.get("restartPolicy") == "Always":
            beside = _sum([beside, asked])
            asked = {}
        widest = _most(widest, _sum([beside, asked]))
    together = _sum([beside, *(_of_container(container) for container in spec.get("containers") or ())])
    held = _sum([_most(widest, together), extended_amounts(spec.get("overhead"))])
    return {name: amount for name, amount in held.items() if amount > 0}


def _of_container(container: Mapping[str, Any]) -> dict[str, int]:
    resources = container.get("resources") or {}
    return {**extended_amounts(resources.get("limits")), **extended_amounts(resources.get("requests"))}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _most(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}


def _ports(spec: Mapping[str, Any]) -> tuple[HostPort, ...]:
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    found = {
        HostPort(port.get("protocol") or "TCP", port.get("hostIP") or "0.0.0.0", int(port["hostPort"]))  # noqa: S104
        for container in containers
        for port in container.get("ports") or ()
        if port.get("hostPort")
    }
    return tuple(sorted(found))

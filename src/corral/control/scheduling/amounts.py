"""How much of each resource a pod holds: all containers together, or one initialisation at its widest, as a kubelet counts."""

from collections.abc import Iterable, Mapping
from typing import Any

from corral.kinds.quantities import parse_quantity, quantity_text
from corral.kinds.scheduling.pod_view import Container, ContainerAmounts, SchedulingSpec

CPU, MEMORY = "cpu", "memory"
_NANO, _MICRO = 10**9, 10**6


def held_amounts(spec: SchedulingSpec, has: Iterable[ContainerAmounts] = ()) -> dict[str, int]:
    """Returns what a pod holds, in billionths of each unit; what it holds nothing of is left out.

    `has` is what its containers have on their node: one that is resized holds the larger amount until its node has followed.
    """
    there = {one.name: one for one in has if one.allocated_resources or one.resources}
    beside: dict[str, int] = {}
    widest: dict[str, int] = {}
    for container in spec.init_containers:
        asked = _of_container(container)
        if container.restart_policy == "Always":  # it goes on beside everything that comes later
            beside = _sum((beside, asked))
            asked = {}
        widest = _most(widest, _sum((beside, asked)))
    running = [_with_those_there(_of_container(one), there.get(one.name)) for one in spec.containers]
    together = running[0] if len(running) == 1 else _sum(running)
    held = _most(widest, _sum((beside, together))) if spec.init_containers else together
    if spec.resources is not None:
        whole = amounts_of(spec.resources.limits) | amounts_of(spec.resources.requests)
        held = held | whole
    if spec.overhead:
        held = _sum((held, amounts_of(spec.overhead)))
    return {name: amount for name, amount in held.items() if amount > 0}


def _with_those_there(asked: dict[str, int], there: ContainerAmounts | None) -> dict[str, int]:
    if there is None:
        return asked
    given = (there.allocated_resources or {}, there.resources.requests if there.resources is not None else {})
    for one in given:
        asked = _most(asked, amounts_of(one))
    return asked


def amounts_of(given: Mapping[str, Any]) -> dict[str, int]:
    """Returns amounts in billionths of each unit."""
    return {name: parse_quantity(quantity_text(text)).nanos for name, text in given.items()}


def milli_of(nanos: int) -> int:
    """Returns thousandths, rounded up."""
    return -(-nanos // _MICRO)


def units_of(nanos: int) -> int:
    """Returns whole units, rounded up."""
    return -(-nanos // _NANO)


def _of_container(container: Container) -> dict[str, int]:
    resources = container.resources
    if resources.limits == resources.requests:
        return amounts_of(resources.requests)
    return {**amounts_of(resources.limits), **amounts_of(resources.requests)}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _most(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}

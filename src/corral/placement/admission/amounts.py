"""Arithmetic on amounts of resources: what pods and gangs need, what nodes offer.

An amount is a mapping from the name of a resource to whole units: thousandths of GPUs and of cores, bytes, pieces. A name that is
not there is zero.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from corral.placement.asks import Gang, Member, PodAsk
from corral.placement.offers import NodeOffer

GPU, CPU, MEMORY = "gpu", "cpu", "memory"
"""How quotas name GPUs and cores (in thousandths) and memory (in bytes); other resources have the names of their nodes."""

Amounts = dict[str, int]
Pairs = tuple[tuple[str, int], ...]


@lru_cache(maxsize=4096)
def amounts_of_pod(ask: PodAsk) -> Amounts:
    """Returns what one pod needs; nothing that is zero. Not to be changed: equal asks share it."""
    named = {GPU: ask.gpu.total, CPU: ask.cpu, MEMORY: ask.memory, **dict(ask.others)}
    return {name: amount for name, amount in named.items() if amount}


def amounts_of_pods(asks: Iterable[PodAsk]) -> Amounts:
    """Returns what several pods need together."""
    total: Amounts = {}
    for ask in asks:
        add(total, amounts_of_pod(ask))
    return total


def amounts_of_gang(gang: Gang) -> Amounts:
    """Returns what a gang needs to start: its first members that are not held yet, up to the minimum, and at least one."""
    return amounts_of_pods(one.ask for one in starters(gang))


def starters(gang: Gang) -> tuple[Member, ...]:
    """Returns the members that must be placed now: enough for the minimum, or one when the gang has started already."""
    absent = [one for one in gang.members if not one.held]
    return tuple(absent[: max(gang.minimum - (len(gang.members) - len(absent)), 1)])


def amounts_of_node(offer: NodeOffer) -> Amounts:
    """Returns what a node has when it is empty; nothing when it takes nobody."""
    if offer.is_closed:
        return {}
    gpu = sum(one.milli for one in offer.gpus)
    return {GPU: gpu, CPU: offer.cpu, MEMORY: offer.memory, **dict(offer.others)}


def add(total: Amounts, more: Mapping[str, int]) -> None:
    """Adds to a total in place."""
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def subtract(total: Amounts, less: Mapping[str, int]) -> None:
    """Takes from a total in place."""
    for name, amount in less.items():
        total[name] = total.get(name, 0) - amount


def lacking(needed: Mapping[str, int], there: Mapping[str, int]) -> Amounts:
    """Returns how much is missing of each resource that is needed and limited: a name that is not `there` has no bound."""
    return {name: amount - there[name] for name, amount in needed.items() if name in there and amount > there[name]}


def pairs(amounts: Mapping[str, int]) -> Pairs:
    """Returns amounts as a value: sorted, hashable."""
    return tuple(sorted(amounts.items()))

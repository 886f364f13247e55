"""Queues as a tree: what each may have, and what the gangs in it hold."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts, Pairs, add

ROOT = ""
"""The name of the root, which holds everything; also the queue of gangs that name none."""


class QueueTerms(NamedTuple):
    """What a queue may have. Amounts are pairs of resource and number, as in `amounts.py`; what is not named has no bound."""

    name: str
    parent: str = ROOT
    guarantee: Pairs = ()
    """What it gets back whenever it asks, whoever uses it meanwhile."""
    limit: Pairs = ()
    """More than this its gangs never hold together."""
    weight: int = 1
    """How much of what nobody is guaranteed it deserves, next to its siblings."""
    lending: Pairs | None = None
    """How much of its guarantee others may use while it is idle; None lends all."""
    borrowing: Pairs | None = None
    """How much beyond its guarantee it may use while others are idle; None borrows all there is."""
    strategy: str = ""
    """`bundle` or `spread` for gangs that do not say; "" for the policy's own."""
    passing: bool = True
    """Whether gangs may go before one that waits, when they do not delay it."""
    order: str = "priority"
    """`priority` (higher first, then older) or `arrival` (older first)."""
    stretch: float = 1.0
    """How long a gang lets shorter ones pass, in multiples of its run time; 0 is by age alone, as without passing."""


class Queues:
    """The tree, with what is held in each of its nodes."""

    def __init__(self) -> None:
        self._terms: dict[str, QueueTerms] = {}
        self._children: dict[str, set[str]] = {}
        self._own: dict[str, Amounts] = {}
        self._used: dict[str, Amounts] = {}
        self._paths: dict[str, tuple[str, ...]] = {}
        self._guarantees: dict[str, Amounts] = {}
        self.any_keeps = False
        """Whether any queue keeps a part of its guarantee for itself."""

    def put(self, terms: QueueTerms) -> None:
        """Adds or replaces a queue; what its gangs hold stays."""
        self._terms[terms.name] = terms
        self._rebuild()

    def remove(self, name: str) -> None:
        """Takes a queue away; its children hang on the root until they are put anew."""
        self._terms.pop(name, None)
        self._rebuild()

    def terms(self, name: str) -> QueueTerms:
        """Returns the terms of a queue; those of one that nobody described bound nothing."""
        return self._terms.get(name) or QueueTerms(name)

    def children(self, name: str) -> tuple[str, ...]:
        """Returns the queues below one, sorted."""
        return tuple(sorted(self._children.get(name, ())))

    def path(self, name: str) -> tuple[str, ...]:
        """Returns a queue and those above it, up to the root."""
        if name not in self._paths:
            self._paths[name] = self._path(name)
        return self._paths[name]

    def guarantee(self, name: str) -> Amounts:
        """Returns what a queue is guaranteed: what was said, or what the queues below it are guaranteed together if that is more."""
        if name not in self._guarantees:
            total: Amounts = {}
            for one in self._children.get(name, ()):
                add(total, self.guarantee(one))
            for resource, amount in self.terms(name).guarantee:
                total[resource] = max(total.get(resource, 0), amount)
            self._guarantees[name] = total
        return self._guarantees[name]

    def used(self, name: str) -> Amounts:
        """Returns what gangs hold in a queue and below."""
        return self._used.setdefault(name, {})

    def own(self, name: str) -> Amounts:
        """Returns what the gangs of a queue hold, without those of queues below."""
        return self._own.setdefault(name, {})

    def take(self, name: str, amounts: Mapping[str, int]) -> None:
        """Notes that the gangs of a queue hold more."""
        add(self.own(name), amounts)
        for one in self.path(name):
            add(self.used(one), amounts)

    def give_back(self, name: str, amounts: Mapping[str, int]) -> None:
        """Notes that the gangs of a queue hold less."""
        self.take(name, {resource: -amount for resource, amount in amounts.items()})

    def __contains__(self, name: str) -> bool:
        return name == ROOT or name in self._terms

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._terms))

    def _path(self, name: str) -> tuple[str, ...]:
        path = [name]
        while path[-1] != ROOT:
            parent = self.terms(path[-1]).parent
            # A parent that is not there, or a ring of parents, ends at the root: its gangs must not be lost over it.
            path.append(parent if parent in self._terms and parent not in path else ROOT)
        return tuple(path)

    def _rebuild(self) -> None:
        self._children, self._used, self._paths, self._guarantees = {}, {}, {}, {}
        self.any_keeps = any(one.lending is not None for one in self._terms.values())
        for name in self._terms:
            for child, parent in pairwise(self.path(name)):
                self._children.setdefault(parent, set()).add(child)
        for name, amounts in self._own.items():
            for one in self.path(name):
                add(self.used(one), amounts)

"""Queues as a tree: what each may have, and what the gangs in it hold.

Parents are words of people, and may be missing or go in a ring. Here nobody walks along them: whenever terms change, each queue is
hung at one place (the members of a ring beside the topmost queues, those below them below them), and every walk follows these
places. None of them recurses either, since people may also nest queues deeper than Python calls.
"""

from collections.abc import Iterator, Mapping
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
        self._parents: dict[str, str] = {}
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

    def below(self, name: str) -> tuple[str, ...]:
        """Returns a queue and all below it, each behind the one that it is a part of."""
        found, coming = [], [name]
        while coming:
            found.append(coming.pop())
            coming.extend(self.children(found[-1]))
        return tuple(found)

    def is_in_a_ring(self, name: str) -> bool:
        """Returns whether a queue is part of itself, by way of its parents."""
        parent = self.terms(name).parent
        return parent in self._terms and self._parents.get(name) == ROOT

    def path(self, name: str) -> tuple[str, ...]:
        """Returns a queue and those above it, up to the root."""
        if name not in self._paths:
            path = [name]
            while path[-1] != ROOT:
                path.append(self._parents.get(path[-1], ROOT))
            self._paths[name] = tuple(path)
        return self._paths[name]

    def guarantee(self, name: str) -> Amounts:
        """Returns what a queue is guaranteed: what was said, or what the queues below it are guaranteed together if that is more."""
        return self._guarantees.get(name) or {}

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

    def _rebuild(self) -> None:
        self._children, self._used, self._paths, self._guarantees = {}, {}, {}, {}
        self.any_keeps = any(one.lending is not None for one in self._terms.values())
        self._parents = _places_of(self._terms)
        for child, parent in self._parents.items():
            self._children.setdefault(parent, set()).add(child)
        self._promise()
        for name, amounts in self._own.items():
            for one in self.path(name):
                add(self.used(one), amounts)

    def _promise(self) -> None:
        for name in reversed(self.below(ROOT)):
            total: Amounts = {}
            for one in self._children.get(name, ()):
                add(total, self._guarantees[one])
            for resource, amount in self.terms(name).guarantee:
                total[resource] = max(total.get(resource, 0), amount)
            self._guarantees[name] = total


def _places_of(terms: Mapping[str, QueueTerms]) -> dict[str, str]:
    """Returns below which queue each one hangs: at the root where its parent is not there, or where it is part of itself."""
    parents = {name: one.parent if one.parent in terms else ROOT for name, one in terms.items() if name != ROOT}
    settled = {ROOT}
    for name in parents:
        walked: dict[str, None] = {}
        while name not in settled and name not in walked:
            walked[name] = None
            name = parents[name]
        settled |= walked.keys()
        if name in walked:  # the walk has come back into itself: from here on it is a ring
            way = list(walked)
            parents |= dict.fromkeys(way[way.index(name) :], ROOT)
    return parents

"""Whose turn it is, one after the other: down the tree by fair share, and within a queue by rank."""

from collections.abc import Mapping
from heapq import heapify, heappop, heapreplace
from itertools import pairwise

from corral.placement.admission.fair_share import Claimed, claimed
from corral.placement.admission.order import Class, Entry, Line, Rank
from corral.placement.admission.queues import ROOT, Queues, QueueTerms


class Turns:
    """The turns of one cycle. Ask for the `next`, then say what became of it: taken, or its whole class put off."""

    def __init__(self, line: Line, queues: Queues, capacity: Mapping[str, int]) -> None:
        self._line, self._queues, self._capacity = line, queues, capacity
        self._heads: dict[str, list[tuple[Rank, Class]]] = {}
        self._below: dict[str, set[str]] = {}
        self._claimed: dict[str, Claimed] = {}
        for name in line.queues():
            heads = [(ranks[0], kind) for kind, ranks in line.classes(name).items()]
            heapify(heads)
            self._heads[name] = heads
            for child, parent in pairwise(queues.path(name)):
                self._below.setdefault(parent, set()).add(child)

    def next(self) -> Entry | None:
        """Returns the gang whose turn it is, None when every class went or was put off."""
        name = self._queue(ROOT)
        if name is None:
            return None
        return self._line.get(self._heads[name][0][0][3])

    def took(self, entry: Entry) -> None:
        """The gang went, and has left the line; the shares of its queues are other ones now."""
        for one in self._queues.path(entry.kind.queue):
            self._claimed.pop(one, None)
        ranks = self._line.classes(entry.kind.queue).get(entry.kind)
        if ranks:
            heapreplace(self._heads[entry.kind.queue], (ranks[0], entry.kind))
        else:
            self._pop(entry.kind.queue)

    def put_off(self, entry: Entry) -> None:
        """The gang cannot go, so neither can the others of its class in this cycle."""
        self._pop(entry.kind.queue)

    def _pop(self, name: str) -> None:
        heappop(self._heads[name])
        path = self._queues.path(name)
        for child, parent in pairwise(path):
            if self._heads.get(child) or self._below.get(child):
                break
            self._below[parent].discard(child)

    def _queue(self, name: str) -> str | None:
        """Returns the queue at or below one whose turn it is; of equal shares the first by name."""
        while below := self._below.get(name):
            shares = [(self._share(one), one) for one in below]
            if self._heads.get(name):
                # Gangs of a queue that has queues below stand beside these, with what they hold themselves.
                own = claimed(QueueTerms(name), self._queues.own(name), self._capacity)
                shares.append((own, name))
            _, best = min(shares)
            if best == name:
                return name
            name = best
        return name if self._heads.get(name) else None

    def _share(self, name: str) -> Claimed:
        if name not in self._claimed:
            self._claimed[name] = claimed(self._queues.terms(name), self._queues.used(name), self._capacity)
        return self._claimed[name]

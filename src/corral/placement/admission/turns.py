"""Whose turn it is, one after the other: down the tree by fair share, and within a queue by rank.

Those who waited longer than patience go before all, whatever their queue; more pods of gangs that run already come after all.
"""

from collections.abc import Mapping
from heapq import heappop, heappush, heapreplace
from itertools import pairwise
from math import inf

from corral.placement.admission.fair_share import Claimed, claimed, claimed_itself
from corral.placement.admission.order import FOLLOWING, OVERDUE, REGULAR, Class, Entry, Line, Rank
from corral.placement.admission.queues import ROOT, Queues


class Turns:
    """The turns of one cycle. Ask for the `next`, then say what became of it: taken, or its whole class put off."""

    def __init__(self, line: Line, queues: Queues, capacity: Mapping[str, int]) -> None:
        self._line, self._queues, self._capacity = line, queues, capacity
        self._overdue: list[tuple[Rank, Class]] = []
        self._heads: dict[str, list[tuple[Rank, Class]]] = {}
        self._below: dict[str, set[str]] = {}
        self._claimed: dict[str, Claimed] = {}
        self._later: list[tuple[Rank, Class]] = []
        for name in line.queues():
            for kind, ranks in line.classes(name).items():
                self._place(kind, ranks[0])

    def next(self) -> Entry | None:
        """Returns the gang whose turn it is, None when every class went or was put off."""
        if self._overdue:
            return self._line.get(self._overdue[0][0][3])
        name = self._queue(ROOT)
        if name is None and self._later:
            later, self._later = self._later, []
            for rank, kind in later:
                self._stand(kind, rank)
            name = self._queue(ROOT)
        return None if name is None else self._line.get(self._heads[name][0][0][3])

    def took(self, entry: Entry) -> None:
        """The gang went, and has left the line; the shares of its queues are other ones now."""
        for one in self._queues.path(entry.kind.queue):
            self._claimed.pop(one, None)
        self.skip(entry)

    def skip(self, entry: Entry, shorter: float = inf) -> None:
        """The gang went or cannot go; the next of its class is asked, or the next that runs no longer than so many seconds."""
        queue = entry.kind.queue
        rank, _ = self._overdue[0] if self._overdue else self._heads[queue][0]
        following = self._line.after(entry.kind, rank, shorter)
        if self._overdue:
            heappop(self._overdue)
            if following:
                self._place(entry.kind, following)
        elif following:
            heapreplace(self._heads[queue], (following, entry.kind))
        else:
            self._pop(queue)

    def put_off(self, entry: Entry) -> None:
        """The gang cannot go, so neither can the others of its class in this cycle."""
        if self._overdue:
            heappop(self._overdue)
        else:
            self._pop(entry.kind.queue)

    def close(self, queue: str) -> None:
        """Nobody else of a queue has a turn in this cycle."""
        self._overdue = sorted(one for one in self._overdue if one[1].queue != queue)
        while self._heads.get(queue):
            self._pop(queue)

    def _place(self, kind: Class, rank: Rank) -> None:
        if rank[0] == OVERDUE:
            heappush(self._overdue, (rank, kind))
        elif rank[0] == REGULAR:
            self._stand(kind, rank)
        elif rank[0] == FOLLOWING:
            self._later.append((rank, kind))

    def _stand(self, kind: Class, rank: Rank) -> None:
        heappush(self._heads.setdefault(kind.queue, []), (rank, kind))
        for child, parent in pairwise(self._queues.path(kind.queue)):
            self._below.setdefault(parent, set()).add(child)

    def _pop(self, name: str) -> None:
        heappop(self._heads[name])
        for child, parent in pairwise(self._queues.path(name)):
            if self._heads.get(child) or self._below.get(child):
                break
            self._below[parent].discard(child)

    def _queue(self, name: str) -> str | None:
        """Returns the queue at or below one whose turn it is; of equal shares the first by name."""
        while below := self._below.get(name):
            shares = [(self._share(one), one) for one in below]
            if self._heads.get(name):
                shares.append((claimed_itself(self._queues, name, self._capacity), name))
            _, best = min(shares)
            if best == name:
                return name
            name = best
        return name if self._heads.get(name) else None

    def _share(self, name: str) -> Claimed:
        if name not in self._claimed:
            self._claimed[name] = claimed(self._queues, name, self._capacity)
        return self._claimed[name]

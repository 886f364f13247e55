"""The pods that wait, in crowds that ask the same: one look at the nodes answers for the whole crowd.

A crowd is hopeful while it may fit somewhere. One that was refused everywhere becomes hopeful again when a node has more
room and it fits there, so a change costs one look for each crowd, not one for each pod.
"""

import heapq
from collections.abc import Iterator
from typing import NamedTuple

from corral.kinds.objects import Object, identity_of
from corral.kinds.references import ObjectKey
from corral.reconcile.builtin.binding.demand import Demand
from corral.reconcile.builtin.binding.offer import Offer, refusal

_Turn = tuple[int, str, str, str, str]


class Waiting(NamedTuple):
    """One pod in line; `turn` sorts the more important first, then the older."""

    turn: _Turn
    key: ObjectKey
    uid: str


def waiting_of(pod: Object) -> Waiting:
    """Returns the place of a pod in line."""
    namespace, name, uid, _ = identity_of(pod)
    created = str(pod["metadata"].get("creationTimestamp") or "")
    turn = (-int(pod["spec"].get("priority") or 0), created, namespace, name, uid)
    return Waiting(turn, ObjectKey(namespace, name), uid)


class Crowd:
    """Pods that ask the same."""

    def __init__(self, demand: Demand) -> None:
        self.demand = demand
        self.is_hopeful = False
        self.listed: _Turn | None = None
        """The turn under which it stands among the hopeful ones."""
        self._members: dict[str, Waiting] = {}
        self._turns: list[_Turn] = []
        self._refusals: dict[str, tuple[Offer, str]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(list(self._members.values()))

    def add(self, pod: Waiting) -> None:
        """Takes a pod in."""
        self._members[pod.uid] = pod
        heapq.heappush(self._turns, pod.turn)

    def remove(self, uid: str) -> None:
        """Lets a pod go."""
        self._members.pop(uid, None)

    def first(self) -> Waiting | None:
        """Returns the pod whose turn it is."""
        while self._turns:
            turn = self._turns[0]
            pod = self._members.get(turn[-1])
            if pod is not None and pod.turn == turn:
                return pod
            heapq.heappop(self._turns)  # of a pod that has left
        return None

    def refusal_of(self, offer: Offer) -> str:
        """Returns why a node takes none of them however empty it is; remembered until the node changes."""
        known = self._refusals.get(offer.name)
        if known is not None and known[0] is offer:
            return known[1]
        found = refusal(offer, self.demand)
        self._refusals[offer.name] = (offer, found)
        return found

    def forget(self, node: str) -> None:
        """Drops what is remembered of a node that is gone."""
        self._refusals.pop(node, None)


class Line:
    """All crowds, and whose turn it is among the hopeful ones."""

    def __init__(self) -> None:
        self._crowds: dict[Demand, Crowd] = {}
        self._place: dict[str, Crowd] = {}
        self._hopeful: list[tuple[_Turn, int, Crowd]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._place)

    def __contains__(self, uid: str) -> bool:
        return uid in self._place

    def __iter__(self) -> Iterator[Crowd]:
        return iter(list(self._crowds.values()))

    def add(self, pod: Waiting, demand: Demand) -> bool:
        """Puts a pod in line; False when it stands there already."""
        crowd = self._place.get(pod.uid)
        if crowd is not None:
            if crowd.demand == demand:
                return False
            self.remove(pod.uid)
        crowd = self._crowds.setdefault(demand, Crowd(demand))
        is_new = not crowd
        crowd.add(pod)
        self._place[pod.uid] = crowd
        if is_new or crowd.is_hopeful:
            self.raise_hope(crowd)
        return True

    def remove(self, uid: str) -> None:
        """Takes a pod out of the line."""
        crowd = self._place.pop(uid, None)
        if crowd is not None:
            crowd.remove(uid)
            if not crowd:
                del self._crowds[crowd.demand]

    def raise_hope(self, crowd: Crowd) -> None:
        """Lets a crowd be looked at, when it is the turn of its first pod."""
        crowd.is_hopeful = True
        first = crowd.first()
        if first is not None and crowd.listed != first.turn:
            crowd.listed = first.turn
            self._count += 1
            heapq.heappush(self._hopeful, (first.turn, self._count, crowd))

    def next_hopeful(self) -> Crowd | None:
        """Returns the hopeful crowd whose first pod comes before those of all others."""
        while self._hopeful:
            turn, _, crowd = self._hopeful[0]
            first = crowd.first() if crowd.is_hopeful and crowd.listed == turn else None
            if first is not None and first.turn == turn:
                return crowd
            heapq.heappop(self._hopeful)
            if crowd.listed == turn:
                crowd.listed = None
            if first is not None:
                self.raise_hope(crowd)  # the pod that was its first has left
        return None

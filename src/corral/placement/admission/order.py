"""In which order gangs of one queue have their turn, and where they stand until then.

Higher priority first, then older, where a gang lets those pass that arrive within its own run time: each stands as if it had arrived
later by its run time times the stretch of the queue, so that all wait in proportion to what they take. A gang that has waited longer
than patience goes before all that have not, whatever its priority. So nobody waits for ever: once it has waited for patience, a gang
stands behind those only that arrived before it, or within its own run time times the stretch after it.

Gangs are kept in *classes*: those of a class ask the same and run about as long. When the first of a class cannot go, the others
of it are not asked, so that a cycle costs as much as there are classes, not gangs.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from heapq import heappop, heappush
from math import frexp, inf
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts, add, amounts_of_gang, subtract
from corral.placement.admission.claims import Waiting
from corral.placement.asks import PodAsk

Rank = tuple[int, int, float, str]
"""Standing, priority turned round, arrival put back by its length, uid: smaller goes first."""

_MOST_SHAPES = 4096
_UNKNOWN = 86400.0
"""Seconds that a gang is taken to run, for its place in line only, when nobody knows; also the most that an estimate counts there."""

OVERDUE, REGULAR, FOLLOWING = range(3)
"""Standings: waited longer than patience; any other gang; more pods of a gang that runs already."""


class Shape(NamedTuple):
    """What decides where a gang can go; gangs of one shape go or do not go alike."""

    asks: tuple[tuple[PodAsk, int], ...]
    minimum: int
    strategy: str
    within: str
    near: str
    held: tuple[tuple[str, PodAsk], ...] = ()
    """Members that are bound already: they tie the others to where they are."""


class Class(NamedTuple):
    """Gangs of a queue that ask the same and run about as long: between a power of two of seconds and the next."""

    queue: str
    shape: int
    """The number of a shape."""
    duration: int
    """The power of two above its run time; -1 when nobody knows it."""
    namespace: str = ""
    """Whose quota has a say, when its pods do not exist yet."""
    preempts: bool = True
    """Whether room may be made for them."""


class Shapes:
    """Numbers for shapes, so that they are compared once."""

    def __init__(self) -> None:
        self._numbers: dict[Shape, int] = {}
        self._next = 0

    def number(self, shape: Shape) -> int:
        """Returns the number of a shape; equal shapes have equal numbers while they are remembered."""
        if shape not in self._numbers:
            if len(self._numbers) >= _MOST_SHAPES:
                # A number that is not remembered is never given again: two classes that could be one are no harm.
                del self._numbers[next(iter(self._numbers))]
            self._numbers[shape] = self._next
            self._next += 1
        return self._numbers[shape]


class Entry(NamedTuple):
    """A gang in the line with what is worked out once about it."""

    claim: Waiting
    kind: Class
    needs: Amounts

    @property
    def uid(self) -> str:
        """Returns the uid of its gang."""
        return self.claim.gang.uid

    @property
    def follows(self) -> bool:
        """Whether its gang runs already, with fewer pods than it could use."""
        gang = self.claim.gang
        return 0 < gang.minimum <= sum(1 for one in gang.members if one.held)


def entry_of(claim: Waiting, strategy: str, shapes: Shapes) -> Entry:
    """Returns what a line keeps of a gang; `strategy` is that of its queue."""
    gang = claim.gang
    # Whoever is young keeps off seats that are kept for larger pods; what is planned ahead for a gang is for when it is not.
    gang = gang._replace(strategy=gang.strategy or strategy, takes_kept=True)
    claim = claim._replace(gang=gang)
    counts: dict[PodAsk, int] = {}
    for one in gang.members:
        if not one.held:
            counts[one.ask] = counts.get(one.ask, 0) + 1
    held = tuple(sorted((one.held, one.ask) for one in gang.members if one.held))
    shape = Shape(tuple(sorted(counts.items())), gang.minimum, gang.strategy, gang.within, gang.near, held)
    duration = -1 if claim.run_time is None else max(frexp(claim.run_time)[1], 0)
    namespace = "" if claim.is_made else claim.namespace
    kind = Class(gang.queue, shapes.number(shape), duration, namespace, claim.preempts)
    return Entry(claim, kind, amounts_of_gang(gang))


def rank_of(entry: Entry, order: "Order", is_overdue: bool) -> Rank:
    """Returns where a gang stands among those of its queue."""
    claim = entry.claim
    standing = FOLLOWING if entry.follows else OVERDUE if is_overdue else REGULAR
    priority = 0 if standing == OVERDUE or not order.by_priority else claim.gang.priority
    run_time = _UNKNOWN if claim.run_time is None else claim.run_time
    if not claim.is_declared:
        run_time = min(run_time, _UNKNOWN)
    return (standing, -priority, claim.arrived + order.stretch * run_time, claim.uid)


class Order(NamedTuple):
    """How gangs of a queue are ordered."""

    by_priority: bool = True
    stretch: float = 0.0
    """By how many times its run time a gang stands behind its arrival."""
    patience: float = 0.0
    """After how long it goes before those that are more important."""


class Line:
    """All gangs that wait, by queue and class, each class in order."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._ranks: dict[str, tuple[Rank, Order]] = {}
        self._queues: dict[str, dict[Class, list[Rank]]] = {}
        self._lengths: dict[Class, list[float]] = {}
        self._wanted: dict[str, Amounts] = {}
        self._coming: list[tuple[float, str]] = []
        self._asleep: list[tuple[float, str]] = []

    def put(self, entry: Entry, order: Order) -> None:
        """Adds a gang, or replaces what was known of it."""
        claim = entry.claim
        self.remove(claim.uid)
        self._entries[claim.uid] = entry
        if claim.not_before > 0:
            self._ranks[claim.uid] = (rank_of(entry, order, False), order)
            heappush(self._asleep, (claim.not_before, claim.uid))
            return
        self._stand(entry, rank_of(entry, order, False), order)
        heappush(self._coming, (claim.arrived + order.patience, claim.uid))

    def remove(self, uid: str) -> None:
        """Takes a gang out; one that is not there is no error."""
        entry = self._entries.pop(uid, None)
        if entry is None:
            return
        rank, _ = self._ranks.pop(uid)
        ranks = self._queues.get(entry.kind.queue, {}).get(entry.kind, [])
        index = bisect_left(ranks, rank)
        if index < len(ranks) and ranks[index] == rank:
            del ranks[index]
            subtract(self._wanted[entry.kind.queue], entry.needs)
            lengths = self._lengths[entry.kind]
            del lengths[bisect_left(lengths, _length(entry))]
            if not lengths:
                del self._lengths[entry.kind]
            if not ranks:
                del self._queues[entry.kind.queue][entry.kind]

    def wake(self, now: float) -> bool:
        """Brings back those whose time has come, and forward those who have waited too long; tells whether any."""
        changed = False
        while self._asleep and self._asleep[0][0] <= now:
            _, uid = heappop(self._asleep)
            entry = self._entries.get(uid)
            if entry and 0 < entry.claim.not_before <= now:
                claim = entry.claim._replace(not_before=0.0)
                self.put(entry._replace(claim=claim), self._ranks[uid][1])
                changed = True
        while self._coming and self._coming[0][0] <= now:
            _, uid = heappop(self._coming)
            entry = self._entries.get(uid)
            if entry and not entry.claim.not_before and self._ranks[uid][0][0] == REGULAR:
                order = self._ranks[uid][1]
                self.remove(uid)
                self._entries[uid] = entry
                self._stand(entry, rank_of(entry, order, True), order)
                changed = True
        return changed

    def is_overdue(self, uid: str) -> bool:
        """Whether a gang has waited longer than patience, and goes before all that have not."""
        return self._ranks[uid][0][0] == OVERDUE

    def rank(self, uid: str) -> Rank:
        """Returns where a gang of the line stands."""
        return self._ranks[uid][0]

    def wanted(self, queue: str) -> Amounts:
        """Returns what the gangs that stand in a queue need together."""
        return self._wanted.get(queue, {})

    def classes(self, queue: str) -> dict[Class, list[Rank]]:
        """Returns the classes of a queue, each with the ranks of its gangs in order; not to be changed."""
        return self._queues.get(queue, {})

    def shortest(self, kind: Class) -> float:
        """Returns the shortest run time in a class; infinity when nobody knows any."""
        return self._lengths[kind][0]

    def after(self, kind: Class, rank: Rank, shorter: float = inf) -> Rank | None:
        """Returns the next of a class after a rank that runs no longer than so many seconds."""
        ranks = self.classes(kind.queue).get(kind, [])
        for index in range(bisect_right(ranks, rank), len(ranks)):
            if shorter == inf or _length(self._entries[ranks[index][3]]) <= shorter:
                return ranks[index]
        return None

    def queues(self) -> tuple[str, ...]:
        """Returns the queues in which somebody stands."""
        return tuple(name for name, classes in self._queues.items() if classes)

    def get(self, uid: str) -> Entry | None:
        """Returns a gang that waits."""
        return self._entries.get(uid)

    def ordered(self, queue: str) -> list[Entry]:
        """Returns the gangs of a queue, the next first."""
        ranks = sorted(rank for one in self.classes(queue).values() for rank in one)
        return [self._entries[rank[3]] for rank in ranks]

    def before(self, entry: Entry) -> int:
        """Returns how many gangs of the same queue stand before one; one that may not be looked at yet stands where it will."""
        rank = self.rank(entry.uid)
        return sum(bisect_left(ranks, rank) for ranks in self.classes(entry.kind.queue).values())

    def length(self, queue: str) -> int:
        """Returns how many gangs stand in a queue."""
        return sum(map(len, self.classes(queue).values()))

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def _stand(self, entry: Entry, rank: Rank, order: Order) -> None:
        self._ranks[entry.claim.uid] = (rank, order)
        add(self._wanted.setdefault(entry.kind.queue, {}), entry.needs)
        insort(self._lengths.setdefault(entry.kind, []), _length(entry))
        insort(self._queues.setdefault(entry.kind.queue, {}).setdefault(entry.kind, []), rank)


def _length(entry: Entry) -> float:
    return inf if entry.claim.run_time is None else entry.claim.run_time

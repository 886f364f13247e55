"""Seats kept for large pods: others do not take the last places on which those who ask for several whole GPUs can be expected to sit.

A cluster that is full of small pods never again has a whole node free: whoever leaves is followed by another small one. So for each
*large class* (pods of so many GPUs on so much processor and memory) seats are counted: what a node could seat if only the pods of others
stood still, and at least the pods of the class that run there. How many run at a time when the cluster is full follows from the mix; their
number scatters as arrivals do. No other pod may bring the seats below what is *surely* needed, and only one that finds no other place
below what is *likely* needed.

Nothing is remembered: the seats are counted anew from what each node holds, and only on nodes that changed.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.models import allowed_models
from corral.placement.potentials.policies import Keeping, Policy
from corral.placement.potentials.statistics import Statistics, is_large
from corral.placement.potentials.table import look

_MOST_ASK_FOR_NO_MORE = 0.75
"""A seat is as large as three of four pods of the class need; the others are a class of their own."""
_PLENTY = 1 << 30


class LargeClass(NamedTuple):
    """Pods of one number of GPUs and one choice of models; a seat serves all of them."""

    number: int
    models: tuple[bool, ...]
    """By number of model, whether it will do."""
    cpu: int
    memory: int
    expected: float
    """How many run at a time when the cluster is full, with those of classes whose seats serve this one as well."""
    scatter: float = 0.0
    """The standard deviation of that, and of what is known of it."""

    def serves(self, other: "LargeClass") -> bool:
        """Whether every seat of this class is one for the other."""
        return (
            self.number == other.number
            and self.cpu >= other.cpu
            and self.memory >= other.memory
            and all(theirs or not mine for mine, theirs in zip(self.models, other.models, strict=True))
        )


def without_kept(fleet: Fleet, policy: Policy, ask: PodAsk) -> Iterator[Bools | None]:
    """Yields which rows a pod may take, the best answer first: those that leave what is likely needed, then what is surely needed.

    None means all of them; then nothing follows.
    """
    seats = _seats_of(fleet, policy)
    if seats is None:
        yield None
    else:
        yield from seats.open_to(ask)


def is_open(fleet: Fleet, policy: Policy, ask: PodAsk, row: int) -> bool:
    """Whether a pod may take a row without a second thought: what is likely needed is left."""
    seats = _seats_of(fleet, policy)
    return seats is None or seats.is_open_to(ask, row)


def _seats_of(fleet: Fleet, policy: Policy) -> "_Seats | None":
    if policy.keeping is None or not policy.statistics.shares:
        return None
    return fleet.kept(("seats", policy), lambda: _Seats(fleet, policy, policy.keeping or Keeping()))


class _Seats:
    """The seats of all large classes on all rows, kept up to date by the log of changed rows."""

    def __init__(self, fleet: Fleet, policy: Policy, keeping: Keeping) -> None:
        self._fleet = fleet
        self._policy = policy
        self._keeping = keeping
        self._position = 0
        self._shape = -1

    def is_open_to(self, ask: PodAsk, row: int) -> bool:
        """Whether an ask that takes a row leaves what is likely needed."""
        tight = self._tight(ask)
        if not len(tight):
            return True
        rows = np.array([row])
        lost = (self._seats[:, rows] - self._after(ask, rows))[tight, 0]
        return bool(((lost <= 0) | (self._total[tight] - lost >= self._likely[tight])).all())

    def _tight(self, ask: PodAsk) -> Ints:
        """The classes that are not the ask's own, and of which so few seats are left that one more pod could matter."""
        self._renew()
        return np.flatnonzero(~self._served_by(ask) & (self._total - self._most < self._likely))

    def open_to(self, ask: PodAsk) -> Iterator[Bools | None]:
        """Yields which rows an ask may take under each of the two limits that bears on it."""
        tight = self._tight(ask)
        if not len(tight):
            yield None
            return
        rows = np.flatnonzero((self._seats[tight] > 0).any(axis=0))
        lost = np.zeros((len(tight), self._fleet.columns.length), np.int64)
        lost[:, rows] = (self._seats[:, rows] - self._after(ask, rows))[tight]
        left = self._total[tight][:, None] - lost
        for needed in (self._likely, self._surely):
            yield np.asarray(((lost <= 0) | (left >= needed[tight][:, None])).all(axis=0))

    def _after(self, ask: PodAsk, rows: Ints) -> Ints:
        """The seats on some rows when an ask of others was put there."""
        columns = self._fleet.columns
        idle = (columns.gpu[rows] >= WHOLE).sum(axis=1)
        if is_large(ask):
            idle = idle - ask.gpu.number
        elif ask.gpu.number == 1:
            devices = look(self._fleet, self._policy, ask).devices[rows]
            opens = columns.gpu[rows, np.maximum(devices, 0)] >= WHOLE
            idle = idle - (opens if ask.gpu.is_share else 1)
        elif ask.gpu.number:
            idle = idle - ask.gpu.number
        return self._seats_on(rows, idle, columns.cpu[rows] - ask.cpu, columns.memory[rows] - ask.memory)

    def _renew(self) -> None:
        fleet = self._fleet
        if self._shape != fleet.changes.shape:
            self._begin()
            changed = None
        elif self._position == fleet.changes.position:
            return
        else:
            changed = fleet.changes.since(self._position)
        rows = np.array(range(fleet.columns.length) if changed is None else changed, np.int64)
        self._shape, self._position = fleet.changes.shape, fleet.changes.position
        if not len(self._classes):
            return
        self._held[:, :, rows] = 0
        for row in rows:
            for hold in fleet.held_on(fleet.names[row]):
                if is_large(hold.ask):
                    own = self._served_by(hold.ask)
                    self._held[own, :, row] += (hold.ask.gpu.number, hold.ask.cpu, hold.ask.memory)
        columns = fleet.columns
        idle = (columns.gpu[rows] >= WHOLE).sum(axis=1)
        now = self._seats_on(rows, idle, columns.cpu[rows], columns.memory[rows])
        self._total += (now - self._seats[:, rows]).sum(axis=1)
        self._seats[:, rows] = now

    def _begin(self) -> None:
        fleet = self._fleet
        self._classes = large_classes(fleet, self._policy.statistics)
        expected = np.array([one.expected for one in self._classes])
        scatter = np.array([one.scatter for one in self._classes])
        self._likely = expected + self._keeping.likely * scatter
        self._surely = expected - self._keeping.surely * scatter
        self._number = np.array([one.number for one in self._classes], np.int64)[:, None]
        self._cpu = np.array([max(one.cpu, 1) for one in self._classes], np.int64)[:, None]
        self._memory = np.array([max(one.memory, 1) for one in self._classes], np.int64)[:, None]
        self._models = np.array([one.models for one in self._classes], np.bool_).reshape(-1, len(fleet.models))
        self._most = np.maximum(fleet.columns.breadth // np.maximum(self._number[:, 0], 1), 1)
        # Pods of fewer GPUs must not count on the rows that seat larger ones.
        self._smaller = self._number > self._number.T
        self._serving: dict[PodAsk, Bools] = {}
        shape = (len(self._classes), fleet.columns.length)
        self._held = np.zeros((shape[0], 3, shape[1]), np.int64)
        self._seats = np.zeros(shape, np.int64)
        self._total = np.zeros(shape[0], np.int64)

    def _seats_on(self, rows: Ints, idle: Ints, cpu: Ints, memory: Ints) -> Ints:
        """Class by row: how many it could seat, beside the pods of others."""
        columns = self._fleet.columns
        held = self._held[:, :, rows]
        seats = (idle + held[:, 0]) // self._number
        seats = np.minimum(seats, (cpu + held[:, 1]) // self._cpu)
        seats = np.minimum(seats, (memory + held[:, 2]) // self._memory)
        seats = np.maximum(seats * self._models[:, columns.model[rows]] * columns.is_open[rows], 0)
        seats = np.maximum(seats, held[:, 0] // self._number)
        larger = (self._smaller[:, :, None] & (seats[:, None, :] > 0)).any(axis=0)
        return np.asarray(np.where(larger, 0, seats))

    def _served_by(self, ask: PodAsk) -> Bools:
        """By class, whether the pods of an ask sit on its seats and are counted with it."""
        found = self._serving.get(ask)
        if found is None:
            found = np.zeros(len(self._classes), np.bool_)
            own = _class_of(self._classes, self._fleet, ask) if is_large(ask) else None
            if own is not None:
                found = np.array([own.serves(one) for one in self._classes], np.bool_)
            self._serving[ask] = found
        return found


def large_classes(fleet: Fleet, statistics: Statistics) -> list[LargeClass]:
    """Returns the large classes of a mix on a fleet, those with the largest seats first."""
    asked = sum(share * ask.gpu.total for ask, share in statistics.shares)
    capacity = int(fleet.columns.gpu_size[: fleet.columns.length].sum())
    kinds: defaultdict[tuple[int, tuple[bool, ...]], list[tuple[PodAsk, float]]] = defaultdict(list)
    for ask, share in statistics.shares:
        if is_large(ask):
            kinds[ask.gpu.number, _models_of(fleet, ask)].append((ask, share * capacity / asked))
    classes = [
        LargeClass(number, models, cpu, memory, expected)
        for (number, models), members in kinds.items()
        for cpu, memory, expected in _seat_sizes(members)
    ]
    classes.sort(key=lambda one: (-one.number, -one.cpu, -one.memory, one.models))
    return [
        _with_those_served(one, classes, statistics.observed * asked / capacity if capacity else 0.0) for one in classes
    ]


def _with_those_served(one: LargeClass, classes: Sequence[LargeClass], seen: float) -> LargeClass:
    """Counts in the classes whose seats serve one; `seen` is how many pods were observed for each that is expected."""
    expected = sum(other.expected for other in classes if other.serves(one))
    # Arrivals scatter by the root of their number; so does the number that was observed, from which it is expected.
    unknown = expected / seen if seen else 0.0
    return one._replace(expected=expected, scatter=(expected + unknown) ** 0.5)


def _seat_sizes(members: Sequence[tuple[PodAsk, float]]) -> Iterator[tuple[int, int, float]]:
    """Yields processor, memory and the number expected of each size of seat, the usual one first."""
    while members:
        smallest = min(members, key=lambda member: (member[0].cpu, member[0].memory))[0]
        cpu = max(smallest.cpu, _needed([(ask.cpu, share) for ask, share in members]))
        memory = max(smallest.memory, _needed([(ask.memory, share) for ask, share in members]))
        fitting = [(ask, share) for ask, share in members if ask.cpu <= cpu and ask.memory <= memory]
        yield cpu, memory, sum(share for _, share in fitting)
        members = [(ask, share) for ask, share in members if ask.cpu > cpu or ask.memory > memory]


def _needed(amounts: list[tuple[int, float]]) -> int:
    """How much is enough for most of them."""
    amounts.sort()
    wanted = _MOST_ASK_FOR_NO_MORE * sum(share for _, share in amounts) * (1 - 1e-9)
    reached = 0.0
    for amount, share in amounts:
        reached += share
        if reached >= wanted:
            return amount
    return amounts[-1][0]


def _class_of(classes: Sequence[LargeClass], fleet: Fleet, ask: PodAsk) -> LargeClass | None:
    """The class with the smallest seat that serves an ask."""
    models = _models_of(fleet, ask)
    asked = LargeClass(ask.gpu.number, models, ask.cpu, ask.memory, 0.0)
    same = [one for one in classes if one.models == models and one.serves(asked)]
    return same[-1] if same else next((one for one in reversed(classes) if one.serves(asked)), None)


def _models_of(fleet: Fleet, ask: PodAsk) -> tuple[bool, ...]:
    allowed = allowed_models(fleet, ask.gpu)
    return (True,) * len(fleet.models) if allowed is None else tuple(map(bool, allowed))

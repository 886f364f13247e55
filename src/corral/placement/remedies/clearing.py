"""What would have to be given back on nodes for so many more pods of a class to fit, at the least price.

On each node the next pod costs what it lacks there beyond the last: GPUs to be emptied, processors, memory. These costs never fall from
one pod to the next, so taking the cheapest next pod again and again is cheapest altogether.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple

import numpy as np

from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Floats, Ints
from corral.placement.gangs.room import PLENTY
from corral.placement.remedies.counting import Left, gpu_slots, left_on, pods_in
from corral.placement.remedies.shadows import own_others
from corral.placement.remedies.supplies import PODS, Freed, FreeRoom
from corral.placement.remedies.words import price_of

MOST_NODES = 64
"""Room on more nodes than that is no advice any more."""


class _Step(NamedTuple):
    """Room for one more pod on a row, and what the row gives back for all of them until then."""

    dearer: float
    place: int
    pods: int
    freed: Freed


class Clearing:
    """Rows on which room could be made for a class."""

    def __init__(self, fleet: Fleet, ask: PodAsk, rows: Ints, now: Ints, empty: Ints) -> None:
        self._fleet = fleet
        self._ask = ask
        self._rows = rows
        self._now = now
        """How many fit on each row now."""
        self._most = empty
        """How many would fit on each row if nothing were held there."""
        self._left = left_on(fleet, rows)
        self._ladder = _gpu_ladder(fleet, ask.gpu, self._left) if ask.gpu.number else None

    def cheapest(self, number: int, among: Ints) -> FreeRoom | None:
        """Returns what to give back so that so many more pods fit on some of the rows, by place; None when they never do."""
        # So many steps come from no more rows than that, and from those whose first step is cheapest.
        first = self._first_prices(among)
        nearest = among[np.argsort(first, kind="stable")[:number]]
        heap = [step for place in nearest if (step := self._step(int(place), 0, 0.0)) is not None]
        heapify(heap)
        taken: dict[int, Freed] = {}
        for _ in range(number):
            if not heap:
                return None
            step = heap[0]
            taken[step.place] = step.freed
            if len(taken) > MOST_NODES:
                return None
            further = self._step(step.place, step.pods, _price(step.freed))
            if further is None:
                heappop(heap)
            else:
                heapreplace(heap, further)
        return FreeRoom(tuple(sorted(taken.values())))

    def _step(self, place: int, pods: int, paid: float) -> _Step | None:
        wanted = int(self._now[place]) + pods + 1
        if wanted > self._most[place]:
            return None
        devices: tuple[int, ...] = ()
        if self._ladder is not None:
            rungs, order = self._ladder
            reached = np.flatnonzero(rungs[place] >= wanted)
            if not len(reached):
                return None
            devices = tuple(sorted(int(index) for index in order[place, : reached[0]]))
        freed = Freed(self._fleet.names[self._rows[place]], devices, tuple(self._lacking(place, wanted)))
        return _Step(_price(freed) - paid, place, pods + 1, freed)

    def _first_prices(self, among: Ints) -> Floats:
        """What room for one more pod costs on each of some rows."""
        wanted = self._now[among] + 1
        found = np.where(wanted > self._most[among], np.inf, 0.0)
        if self._ladder is not None:
            reached = self._ladder[0][among] >= wanted[:, None]
            found += np.where(reached.any(axis=1), reached.argmax(axis=1), np.inf)
        for resource, each, there in self._amounts():
            if each:
                more = wanted * each - (there[among] if there is not None else 0)
                first, second = price_of(resource, 0), price_of(resource, 1 << 20) - price_of(resource, 0)
                found += np.where(more > 0, first + second * more / (1 << 20), 0.0)
        return found

    def _amounts(self) -> tuple[tuple[str, int, Ints | None], ...]:
        """Every resource but GPUs, how much each pod needs of it, and what is left."""
        ask, left = self._ask, self._left
        return (
            ("cpu", ask.cpu, left.cpu),
            ("memory", ask.memory, left.memory),
            *((name, amount, left.others.get(name)) for name, amount in own_others(ask)),
            (PODS, 1, left.pods),
        )

    def _lacking(self, place: int, pods: int) -> Iterator[tuple[str, int]]:
        for resource, each, there in self._amounts():
            more = pods * each - (int(there[place]) if there is not None else 0)
            if each and more > 0:
                yield resource, more


def _price(freed: Freed) -> float:
    return len(freed.gpus) + sum(price_of(*pair) for pair in freed.amounts)


def _gpu_ladder(fleet: Fleet, gpu: GpuAsk, left: Left) -> tuple[Ints, Ints]:
    """Returns how many pods the GPUs of each row take with 0, 1, 2, ... of them emptied, and in which order they are emptied."""
    columns, rows = fleet.columns, left.rows
    slots = gpu_slots(fleet, gpu, left)
    whole = left._replace(gpu=columns.gpu_size[rows], gpu_memory=columns.gpu_memory_size[rows])
    empty = gpu_slots(fleet, gpu, whole)
    held = columns.gpu_size[rows] - left.gpu
    # Emptied first is what wins most slots, of these what holds least, of these the first.
    worth = np.minimum(empty - slots, PLENTY // 1024) * 100_000 - np.clip(held, 0, 90_000)
    order = np.argsort(-worth, axis=1, kind="stable")
    gained = np.take_along_axis(empty - slots, order, axis=1)
    base = np.take_along_axis(slots, order, axis=1)
    breadth = slots.shape[1]
    emptied = np.tri(breadth + 1, breadth, -1, dtype=np.int64)
    rungs = pods_in(base[:, None, :] + emptied[None, :, :] * gained[:, None, :], gpu)
    return rungs, order

"""Which jobs would leave enough room if they ended: counted for all of them at once, the engine is asked about the best.

Sets of several jobs are formed of a *pool* only: all jobs where these are few, else those on the rows where room costs least.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Ints
from corral.placement.fleet.shares import needed_memory, needed_milli
from corral.placement.remedies.counting import Left, left_on, pods_on
from corral.placement.remedies.shortage import FAR, Shortage
from corral.placement.remedies.supplies import EndJob, Job, end_of

POOL = 24
"""Of so many jobs sets are formed: 276 pairs, 2,024 triples."""
_MOST_ROWS = 60_000
"""So many rows of sets are counted at once."""

Parts = tuple[EndJob, ...]


class Endings:
    """Jobs that may end, and what each gives back on which row."""

    def __init__(self, fleet: Fleet, jobs: Sequence[Job]) -> None:
        self._fleet = fleet
        self.parts = [end_of(fleet, job) for job in jobs if job.may_end]
        self._entry_rows, self._entries, self._released = _released(fleet, self.parts)
        self._alone: tuple[Ints, Ints, Ints, Ints] | None = None

    def sets(self, shortage: Shortage, number: int) -> list[Parts]:
        """Returns the sets of so many jobs whose end may be enough, cheapest first."""
        pool = range(len(self.parts)) if number == 1 else self._pool(shortage, number)
        chosen = list(combinations(pool, number))
        enough = (one for one, is_enough in zip(chosen, self._enough(shortage, chosen), strict=True) if is_enough)
        found = [tuple(sorted((self.parts[index] for index in one), key=_key)) for one in enough]
        return sorted(found, key=_rank)

    def _pool(self, shortage: Shortage, number: int) -> list[int]:
        """Returns the jobs of which sets are formed."""
        useful = self._useful(shortage)
        if len(useful) <= POOL:
            return useful
        price = {index: self.parts[index].price for index in useful}
        rows: dict[int, list[int]] = {}
        for index in useful:
            for entry in self._entries[index]:
                rows.setdefault(int(self._entry_rows[entry]), []).append(index)
        # A row is promising when a few cheap jobs leave it; so many of those as may go together.
        nearest = sorted(rows, key=lambda row: sum(sorted(price[index] for index in rows[row])[:number]))
        pool: dict[int, None] = {}
        for row in nearest:
            pool.update(dict.fromkeys(sorted(rows[row], key=lambda index: (price[index], index))[:number]))
            if len(pool) >= POOL:
                break
        return list(pool)[:POOL]

    def _useful(self, shortage: Shortage) -> list[int]:
        """Returns the jobs that hold anything where the gang may go."""
        allowed = np.logical_or.reduce([gap.allowed for gap in shortage.gaps]) & (shortage.domain >= 0)
        helps = allowed[self._entry_rows]
        return [index for index, entries in enumerate(self._entries) if any(helps[entry] for entry in entries)]

    def _enough(self, shortage: Shortage, sets: Sequence[tuple[int, ...]]) -> Iterator[bool]:
        """Yields for each set whether some domain would have room for all who must go there."""
        at = 0
        while at < len(sets):
            size, end = 0, at
            while end < len(sets) and (end == at or size < _MOST_ROWS):
                size += sum(len(self._entries[index]) for index in sets[end])
                end += 1
            yield from self._enough_at_once(shortage, sets[at:end])
            at = end

    def _enough_at_once(self, shortage: Shortage, sets: Sequence[tuple[int, ...]]) -> Iterable[bool]:
        is_everybody = len(sets) == len(self.parts) and len(sets[0]) == 1
        rows, owners, entries, places = self._singles() if is_everybody else self._flat(sets)
        if not len(rows):
            return [shortage.least <= 0] * len(sets)
        left = left_on(self._fleet, rows)
        before = [pods_on(self._fleet, gap.cover, left) for gap in shortage.gaps]
        _add(left, self._released, entries, places)
        domain = shortage.domain[rows]
        reachable = self._fleet.columns.is_open[rows] & (domain >= 0)
        enough = np.broadcast_to(shortage.lack < FAR, (len(sets), len(shortage.lack))).copy()
        for gap, there in zip(shortage.gaps, before, strict=True):
            inside = reachable & gap.allowed[rows]
            gained = pods_on(self._fleet, gap.cover, left) - there
            lack = np.broadcast_to(gap.lack, enough.shape).copy()
            np.subtract.at(lack, (owners[inside], domain[inside]), gained[inside])
            enough &= lack <= 0
        return [bool(one) for one in np.any(enough, axis=1)]

    def _singles(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Returns the same for each job alone, which is asked for again and again."""
        if self._alone is None:
            self._alone = self._flat([(index,) for index in range(len(self.parts))])
        return self._alone

    def _flat(self, sets: Sequence[tuple[int, ...]]) -> tuple[Ints, Ints, Ints, Ints]:
        """Returns each row of each set once, whose set it is, and for each entry of a job at which of these places it counts."""
        rows: list[int] = []
        owners: list[int] = []
        entries: list[int] = []
        places: list[int] = []
        for owner, jobs in enumerate(sets):
            seen: dict[int, int] = {}
            for index in jobs:
                for entry in self._entries[index]:
                    row = int(self._entry_rows[entry])
                    if row not in seen:
                        seen[row] = len(rows)
                        rows.append(row)
                        owners.append(owner)
                    entries.append(entry)
                    places.append(seen[row])
        return (
            np.array(rows, np.int64),
            np.array(owners, np.int64),
            np.array(entries, np.int64),
            np.array(places, np.int64),
        )


def _rank(parts: Parts) -> tuple[int, float, list[tuple[str, str]]]:
    """Of lower priority first, then what costs least."""
    return max(one.priority for one in parts), sum(one.price for one in parts), [_key(one) for one in parts]


def _key(part: EndJob) -> tuple[str, str]:
    return part.name, part.job


def _add(left: Left, released: Left, entries: Ints, places: Ints) -> None:
    for mine, theirs in (
        (left.gpu, released.gpu),
        (left.gpu_memory, released.gpu_memory),
        (left.cpu, released.cpu),
        (left.memory, released.memory),
        (left.pods, released.pods),
        *((left.others[name], released.others[name]) for name in released.others),
    ):
        np.add.at(mine, places, theirs[entries])


def _released(fleet: Fleet, parts: Sequence[EndJob]) -> tuple[Ints, list[list[int]], Left]:
    """Returns the row of each entry, the entries of each job, and what each entry gives back."""
    rows: list[int] = []
    entries: list[list[int]] = []
    asks: dict[PodAsk, tuple[list[int], list[tuple[int, int]]]] = {}
    for part in parts:
        mine: dict[int, int] = {}
        for uid in part.pods:
            hold = fleet.holds.get(uid)
            row = fleet.row(hold.seat.node) if hold is not None else None
            if hold is None or row is None:
                continue
            if row not in mine:
                mine[row] = len(rows)
                rows.append(row)
            pods, devices = asks.setdefault(hold.ask, ([], []))
            pods.append(mine[row])
            devices.extend((mine[row], device) for device in hold.devices)
        entries.append(list(mine.values()))
    row_of = np.array(rows, np.int64)
    return row_of, entries, _sums(fleet, row_of, asks)


def _sums(fleet: Fleet, rows: Ints, asks: dict[PodAsk, tuple[list[int], list[tuple[int, int]]]]) -> Left:
    columns = fleet.columns
    there = left_on(fleet, rows)
    others = {name: np.zeros_like(column) for name, column in there.others.items()}
    gpu, gpu_memory, cpu, memory, held = map(
        np.zeros_like, (there.gpu, there.gpu_memory, there.cpu, there.memory, there.pods)
    )
    found = Left(rows, gpu, gpu_memory, cpu, memory, held, others)
    for ask, (pods, devices) in asks.items():
        np.add.at(found.pods, pods, 1)
        np.add.at(found.cpu, pods, ask.cpu)
        np.add.at(found.memory, pods, ask.memory)
        for name, amount in ask.others:
            np.add.at(found.others[name], pods, amount)
        if devices:
            places, indices = np.array(devices, np.int64).T
            known = (indices < columns.breadth) & (
                columns.gpu_size[rows[places], np.minimum(indices, columns.breadth - 1)] > 0
            )
            places, indices = places[known], indices[known]
            sizes = columns.gpu_memory_size[rows[places], indices]
            np.add.at(found.gpu, (places, indices), needed_milli(ask.gpu, sizes))
            np.add.at(found.gpu_memory, (places, indices), needed_memory(ask.gpu, sizes))
    return found

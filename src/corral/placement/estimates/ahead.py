"""What stands before a gang, played through: those that run end, those before it start one after the other, then it is its turn.

Only GPUs are counted (or cores, for those who ask for no GPU), over all nodes, and nobody passes anybody: what that leaves out, fragments of nodes and gangs that pass or come
later and go first, is corrected by how wrong it was for others (`bands.py`). Run times are drawn, several times over, or taken as
declared.
"""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from corral.placement.admission.admission import Admission
from corral.placement.admission.amounts import CPU, GPU
from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.run_times import Floats, RunTimes


class Ahead(NamedTuple):
    """A gang in line and all that matters to when it starts."""

    capacity: int
    """Thousandths of GPUs, or of cores for a gang that asks for no GPU: what those of the line can have together."""
    size: int
    running: tuple[tuple[Kind, float, float | None], ...]
    """Of each that runs: its kind, how long it has run, and the run time that was declared."""
    waiting: tuple[tuple[tuple[Kind, float | None], ...], ...]
    """By queue, of each that stands before: its kind, and the run time that was declared. The gang's own queue comes first."""
    weights: tuple[int, ...]
    """Of these queues."""

    @property
    def is_declared(self) -> bool:
        """Whether it is declared of all how long they run."""
        lengths = [declared for _, _, declared in self.running]
        return all(one is not None for one in lengths + [declared for queue in self.waiting for _, declared in queue])

    @property
    def unsaid(self) -> list[Kind]:
        """Returns of which kinds those are of whom nobody has said how long they run."""
        kinds = [kind for kind, _, declared in self.running if declared is None]
        return kinds + [kind for queue in self.waiting for kind, declared in queue if declared is None]

    @property
    def position(self) -> int:
        """Returns how many of its own queue stand before it."""
        return len(self.waiting[0]) if self.waiting else 0


def ahead_of(desk: Admission, uid: str, now: float, trusted: bool) -> Ahead | None:
    """Returns what stands before a gang, None when it does not stand in line; run times count as declared when they are trusted."""
    entry = desk.line.get(uid)
    if entry is None:
        return None
    ground, line = desk.ground, desk.line
    counted = counted_of(entry.needs)
    running = tuple(
        (
            Kind(one.claim.gang.queue, ground.held(one.uid).get(counted, 0)),
            now - one.started,
            one.claim.run_time if trusted else None,
        )
        for one in ground.running.values()
    )
    own = entry.kind.queue
    waiting, weights = [], []
    for queue in (own, *(name for name in sorted(line.queues()) if name != own)):
        before = [
            (Kind(queue, one.needs.get(counted, 0)), one.claim.run_time if trusted else None)
            for one in line.ordered(queue)
            if queue != own or line.rank(one.uid) < line.rank(uid)
        ]
        waiting.append(tuple(before))
        weights.append(max(ground.queues.terms(queue).weight, 1))
    capacity = ground.capacity.get(counted, 0) - ground.held_by_others(counted)
    return Ahead(capacity, entry.needs.get(counted, 0), running, tuple(waiting), tuple(weights))


def counted_of(needs: Mapping[str, int]) -> str:
    """Returns what is counted for a gang: GPUs, or cores when it asks for none."""
    return GPU if needs.get(GPU) else CPU


def waits(ahead: Ahead, known: RunTimes, draws: int, generator: np.random.Generator) -> Floats:
    """Returns, for each of some draws of run times, how long a gang waits."""
    said = list(ahead.running)
    said += [(kind, 0.0, declared) for queue in ahead.waiting for kind, declared in queue]
    left = _left(known, said, generator.random((len(said), draws)))
    number = len(ahead.running)
    sizes = np.array([kind.size for kind, _, _ in ahead.running], dtype=np.int64)
    found = []
    for draw in range(draws):
        order = np.lexsort((sizes, left[:number, draw]))
        ends = [(end, ahead.running[at][0]) for end, at in zip(left[order, draw].tolist(), order.tolist(), strict=True)]
        found.append(_wait(ahead, ends, left[number:, draw].tolist()))
    return np.array(found)


def _wait(ahead: Ahead, running: list[tuple[float, Kind]], lengths: list[float]) -> float:
    """Returns how long a gang waits; `lengths` are those of the waiting, queue after queue."""
    used: dict[str, int] = {}
    for _, kind in running:
        used[kind.queue] = used.get(kind.queue, 0) + kind.size
    free, time, ended = ahead.capacity - sum(used.values()), 0.0, 0
    ends: list[tuple[float, int, str]] = []
    following, begins = [0] * len(ahead.waiting), list(accumulate(map(len, ahead.waiting), initial=0))
    while True:
        queue = _turn(ahead, used, following)
        is_own_turn = queue == 0 and following[0] == len(ahead.waiting[0])
        size = ahead.size if is_own_turn else ahead.waiting[queue][following[queue]][0].size
        while free < size and (ends or ended < len(running)):
            if ended < len(running) and (not ends or running[ended][0] <= ends[0][0]):
                time, (name, gained) = running[ended]
                ended += 1
            else:
                time, gained, name = heappop(ends)
            free += gained
            used[name] -= gained
        if is_own_turn:
            return time
        name, length = ahead.waiting[queue][following[queue]][0].queue, lengths[begins[queue] + following[queue]]
        following[queue] += 1
        if free >= size:
            free -= size
            used[name] = used.get(name, 0) + size
            heappush(ends, (time + length, size, name))


def _turn(ahead: Ahead, used: Mapping[str, int], following: list[int]) -> int:
    """Returns which queue is next; the own queue always has somebody left: the gang itself."""
    best, least = 0, float("inf")
    for index, queue in enumerate(ahead.waiting):
        if index == 0 or following[index] < len(queue):
            name = queue[0][0].queue if queue else ""
            share = used.get(name, 0) / ahead.weights[index]
            if share < least:
                best, least = index, share
    return best


def _left(known: RunTimes, said: Sequence[tuple[Kind, float, float | None]], chances: Floats) -> Floats:
    """Returns how much longer each of some gangs runs: one row for each, one column for each draw."""
    found = np.empty(chances.shape)
    alike: dict[Kind, list[int]] = {}
    for at, (kind, elapsed, declared) in enumerate(said):
        if declared is None:
            alike.setdefault(kind, []).append(at)
        else:
            found[at] = left_of_declared(declared, elapsed)
    for kind, rows in alike.items():
        ran = np.array([said[at][1] for at in rows])
        found[rows] = known.remaining_of_each(kind, ran, chances[rows])
    return found


def left_of_declared(declared: float, elapsed: float) -> float:
    """Returns how much longer a gang runs that said how long: one that runs longer is taken to need twice as long, and twice again."""
    while declared <= elapsed:
        declared = 2 * declared + 1.0
    return declared - elapsed

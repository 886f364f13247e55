"""What a gang needs against what is free: for each make of node, and who holds what on the node that comes nearest."""

from itertools import chain
from typing import NamedTuple

import numpy as np

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet.columns import Ints
from corral.placement.remedies.counting import gpu_slots, left_on
from corral.placement.remedies.makes import Make
from corral.placement.remedies.obstacles import Obstacle, obstacle
from corral.placement.remedies.question import Question

_MOST_HOLDERS = 5
OTHERS = "others"
"""Whoever holds something and is not known by name."""


class Holding(NamedTuple):
    """What somebody holds on a node."""

    name: str
    milli: int
    """Thousandths of GPUs."""
    cpu: int
    memory: int


class Nearest(NamedTuple):
    """The node that comes nearest to what one pod needs, and who is there."""

    node: str
    gpus: int
    """How many GPUs have room for it."""
    free_milli: int
    cpu: int
    memory: int
    holders: tuple[Holding, ...]
    """Whoever holds most first."""


class MakeStanding(NamedTuple):
    """How nodes that are alike stand to what one pod needs."""

    make: str
    nodes: int
    closed: int
    gpus: int
    """How many each of them has."""
    fits: int
    """How many of the pods find room there now."""
    obstacle: Obstacle | None
    """Why none of them may ever take it; None when they may."""
    free_milli: int
    """Thousandths of GPUs that are free, in all."""
    idle: int
    """Whole GPUs that are free, in all."""
    nearest: Nearest | None
    """None where every node is closed."""


def standings_of(question: Question, ask: PodAsk) -> tuple[MakeStanding, ...]:
    """Returns how every make of node stands to one class, the nearest first."""
    found = [_standing(question, ask, make) for make in question.makes.makes]
    return tuple(sorted(found, key=lambda one: (one.obstacle is not None, -one.fits, -_gpus(one), -one.idle, one.make)))


def _gpus(one: MakeStanding) -> int:
    return one.nearest.gpus if one.nearest is not None else -1


def _standing(question: Question, ask: PodAsk, make: Make) -> MakeStanding:
    columns = question.fleet.columns
    is_open = columns.is_open[make.rows]
    rows = make.rows[is_open]
    gpu = np.maximum(columns.gpu[rows], 0)
    why_not = obstacle(question, ask, make)
    return MakeStanding(
        make.name,
        len(make.rows),
        int((~is_open).sum()),
        len(make.offer.gpus),
        0 if why_not is not None else int(question.room(ask)[rows].sum()),
        why_not,
        int(gpu.sum()),
        int((gpu >= WHOLE).sum()),
        nearest_of(question, ask, rows) if len(rows) else None,
    )


def nearest_of(question: Question, ask: PodAsk, rows: Ints) -> Nearest:
    """Returns the row with most GPUs for it, of these the one with most of everything else left."""
    fleet, columns = question.fleet, question.fleet.columns
    left = left_on(fleet, rows)
    usable = (gpu_slots(fleet, ask.gpu, left) > 0).sum(axis=1) if ask.gpu.number else np.zeros(len(rows), np.int64)
    usable = np.minimum(usable, max(ask.gpu.number, 1))
    free = np.maximum(columns.gpu[rows], 0)
    # Parts of what one pod needs, so that processors and memory weigh the same; what is more than enough is no merit.
    parts = [np.clip(there / need, 0, 1) for there, need in ((left.cpu, ask.cpu), (left.memory, ask.memory)) if need]
    others = [np.clip(left.others[name] / need, 0, 1) for name, need in ask.others if need and name in left.others]
    merit = np.minimum.reduce([*parts, *others]) if parts or others else np.ones(len(rows))
    best = int(np.lexsort((-free.sum(axis=1), -merit, -usable))[0])
    name = fleet.names[rows[best]]
    return Nearest(
        name,
        int(usable[best]),
        int(free[best].sum()),
        max(0, int(left.cpu[best])),
        max(0, int(left.memory[best])),
        holders_on(question, name),
    )


def holders_on(question: Question, *nodes: str) -> tuple[Holding, ...]:
    """Returns who holds what on some nodes, whoever holds most GPUs first; of many only the first."""
    owners = question.owners
    total: dict[str, list[int]] = {}
    for hold in chain.from_iterable(map(question.fleet.held_on, nodes)):
        mine = total.setdefault(owners.get(hold.seat.uid, OTHERS), [0, 0, 0])
        for place, amount in enumerate((hold.ask.gpu.total, hold.ask.cpu, hold.ask.memory)):
            mine[place] += amount
    found = (Holding(name, *amounts) for name, amounts in total.items())
    return tuple(sorted(found, key=lambda one: (-one.milli, -one.cpu, -one.memory, one.name))[:_MOST_HOLDERS])

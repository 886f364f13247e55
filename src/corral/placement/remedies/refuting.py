"""Which smaller amounts of room are certainly too small: counted for all of them at once, so that no draft is needed for each.

A remedy that frees GPUs on sixty nodes has two hundred neighbours that free one less; all but a few are refuted by the row that they
touch.
"""

from collections.abc import Iterator

import numpy as np

from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Ints
from corral.placement.remedies.counting import Left, left_on, pods_on
from corral.placement.remedies.question import Question, View
from corral.placement.remedies.shortage import FAR
from corral.placement.remedies.supplies import PODS, Freed, FreeRoom, less_freed


def open_to_doubt(question: Question, view: View, part: FreeRoom) -> Iterator[FreeRoom]:
    """Yields the parts one step smaller that may still start the gang beside the switches of a view."""
    fleet, shortage = question.fleet, view.shortage
    steps = [(place, less) for place, one in enumerate(part.freed) for less in less_freed(one)]
    rows = np.array([fleet.row(one.node) for one in part.freed], np.int64)
    places = np.array([place for place, _ in steps], np.int64)
    domain = shortage.domain[rows]
    now, whole = left_on(fleet, rows), _freed(fleet, rows, part.freed)
    smaller = _freed(fleet, rows[places], tuple(less for _, less in steps))
    possible = np.broadcast_to(shortage.lack < FAR, (len(steps), len(shortage.lack))).copy()
    for gap in shortage.gaps:
        after = pods_on(fleet, gap.cover, whole)
        inside = gap.allowed[rows] & (domain >= 0)
        gained = np.zeros(len(gap.lack), np.int64)
        np.add.at(gained, domain[inside], (after - pods_on(fleet, gap.cover, now))[inside])
        # Beside what it loses on its own row, a smaller part gains in its domain what the whole one does.
        lost = np.where(inside[places], after[places] - pods_on(fleet, gap.cover, smaller), 0)
        lack = np.repeat((gap.lack - gained)[None, :], len(steps), axis=0)
        np.add.at(lack, (np.arange(len(steps)), domain[places]), lost)
        possible &= lack <= 0
    for (place, less), is_possible in zip(steps, (bool(one.any()) for one in possible), strict=True):
        kept = (less,) if less.gpus or less.amounts else ()
        freed = (*part.freed[:place], *kept, *part.freed[place + 1 :])
        if is_possible and freed:
            yield FreeRoom(freed)


def _freed(fleet: Fleet, rows: Ints, freed: tuple[Freed, ...]) -> Left:
    """Returns what would be left on rows after something was given back on each."""
    left = left_on(fleet, rows)
    for place, one in enumerate(freed):
        _empty(fleet, left, place, one)
    return left


def _empty(fleet: Fleet, left: Left, place: int, one: Freed) -> None:
    row, devices = left.rows[place], list(one.gpus)
    left.gpu[place, devices] = fleet.columns.gpu_size[row, devices]
    left.gpu_memory[place, devices] = fleet.columns.gpu_memory_size[row, devices]
    for resource, amount in one.amounts:
        column = {"cpu": left.cpu, "memory": left.memory, PODS: left.pods}.get(resource)
        (left.others[resource] if column is None else column)[place] += amount

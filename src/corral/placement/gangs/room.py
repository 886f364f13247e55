"""How many pods that ask the same each node could take at once."""

from collections.abc import Collection

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import HUGE, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.fleet.neighbours import APART
from corral.placement.fleet.shares import needed_memory, needed_milli
from corral.placement.potentials.evaluation import named_gpus
from corral.placement.potentials.models import allowed_models

PLENTY = 1 << 30
"""More pods than any node takes."""

CONSTRAINTS = ("rules", "closed", "model", "device", "gpu", "cpu", "memory", "pods", "neighbours")
"""What limits room, by the names with which a limit can be lifted; other resources have their own names."""


def room(fleet: Fleet, ask: PodAsk, lifted: Collection[str] = (), *, is_empty: bool = False) -> Ints:
    """Returns for each row how many pods fit at once, as if some constraints were lifted or nothing was held."""
    if lifted or is_empty:
        found = _count(fleet, ask, np.arange(fleet.columns.length), lifted, is_empty=is_empty)
    else:
        # Whoever is there already concerns other rows too: that is no part of what follows changed rows.
        slim = ask._replace(crowds=(), neighbours=()) if ask.crowds or ask.neighbours else ask
        found = fleet.kept(("room", slim), lambda: _Rooms(fleet, slim)).now().copy()
    if is_empty or "neighbours" in lifted:
        return found
    beside = fleet.neighbourly(ask)
    if beside is not None:
        found *= beside
    if any(one.kind == APART and one.crowd in ask.crowds for one in ask.neighbours):
        found = np.minimum(found, 1)
    return found


class _Rooms:
    """The room of each row for one class; only rows that changed since the last look are counted again."""

    def __init__(self, fleet: Fleet, ask: PodAsk) -> None:
        self._fleet = fleet
        self._ask = ask
        self._found = np.zeros(0, np.int64)
        self._position = 0
        self._shape = -1

    def now(self) -> Ints:
        """Returns the room of each row."""
        changes = self._fleet.changes
        changed = changes.since(self._position) if self._shape == changes.shape else None
        if changed is None:
            self._found = _count(self._fleet, self._ask, np.arange(self._fleet.columns.length))
        elif changed:
            rows = np.array(changed, np.int64)
            self._found[rows] = _count(self._fleet, self._ask, rows)
        self._shape, self._position = changes.shape, changes.position
        return self._found


def _count(fleet: Fleet, ask: PodAsk, rows: Ints, lifted: Collection[str] = (), *, is_empty: bool = False) -> Ints:
    columns = fleet.columns
    found = np.where(fleet.allowed(ask.rules if "rules" not in lifted else 0)[rows], PLENTY, 0)
    if "closed" not in lifted:
        found *= columns.is_open[rows]
    if "pods" not in lifted:
        found = np.minimum(found, (columns.pods_size if is_empty else columns.pods)[rows])
    if ask.cpu and "cpu" not in lifted:
        found = np.minimum(found, (columns.cpu_size if is_empty else columns.cpu)[rows] // min(ask.cpu, HUGE))
    if ask.memory and "memory" not in lifted:
        left = columns.memory_size if is_empty else columns.memory
        found = np.minimum(found, left[rows] // min(ask.memory, HUGE))
    for name, amount in ask.others:
        if amount > 0 and name not in lifted:
            other = (columns.others_size if is_empty else columns.others).get(name)
            found = np.minimum(found, other[rows] // min(amount, HUGE) if other is not None else 0)
    if ask.gpu.number:
        models = None if "model" in lifted else allowed_models(fleet, ask.gpu)
        if models is not None:
            found *= models[columns.model[rows]]
        if "gpu" not in lifted:
            found = np.minimum(found, _gpu_room(fleet, ask, rows, named="device" not in lifted, is_empty=is_empty))
    return np.asarray(np.maximum(found, 0))


def _gpu_room(fleet: Fleet, ask: PodAsk, rows: Ints, *, named: bool, is_empty: bool) -> Ints:
    """How many pods the GPUs of each row take: each pod needs so many different ones with room."""
    slots = _slots(fleet, ask, rows, is_empty=is_empty)
    if named and ask.gpu.devices:
        slots = slots * named_gpus(fleet, ask.gpu.devices, rows)
    number = min(ask.gpu.number, HUGE)
    if number == 1:
        return np.asarray(slots.sum(axis=1))
    if not ask.gpu.is_share:
        return np.asarray(slots.sum(axis=1) // number)
    # Pods in a row of `t` fit when every GPU gives at most one slot to each: sum(min(slots, t)) >= number * t.
    found = np.zeros(len(rows), np.int64)
    for pods in range(1, int(slots.sum(axis=1).max(initial=0)) // number + 1):
        fits = np.minimum(slots, pods).sum(axis=1) >= number * pods
        if not fits.any():
            break
        found[fits] = pods
    return found


def _slots(fleet: Fleet, ask: PodAsk, rows: Ints, *, is_empty: bool) -> Ints:
    """How many times each GPU could give what a pod takes of one."""
    columns = fleet.columns
    left = (columns.gpu_size if is_empty else columns.gpu)[rows]
    if not ask.gpu.memory and not columns.memory_shares and ask.gpu.milli:
        return np.asarray(np.maximum(left, 0) // min(ask.gpu.milli, HUGE))
    sizes, memory_sizes = columns.gpu_size[rows], columns.gpu_memory_size[rows]
    memory_left = memory_sizes if is_empty else columns.gpu_memory[rows]
    milli, memory = needed_milli(ask.gpu, memory_sizes), needed_memory(ask.gpu, memory_sizes)
    slots = np.where(milli > 0, left // np.maximum(milli, 1), PLENTY)
    slots = np.minimum(slots, np.where(memory > 0, memory_left // np.maximum(memory, 1), PLENTY))
    return np.asarray(np.where(sizes > 0, np.maximum(slots, 0), 0))

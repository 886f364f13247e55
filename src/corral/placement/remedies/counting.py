"""How many pods of one class fit on rows as they would be: after something was released, or with some of their GPUs emptied.

The engine counts the rows of a fleet as they are; here the same is counted for many imagined rows at once, without a draft for each.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.shares import needed_memory, needed_milli
from corral.placement.gangs.room import PLENTY
from corral.placement.potentials.evaluation import named_gpus
from corral.placement.potentials.models import allowed_models
from corral.placement.remedies.shadows import own_others


class Left(NamedTuple):
    """What is left on some rows; GPUs row by column."""

    rows: Ints
    """Which rows of the fleet these are; one may come several times."""
    gpu: Ints
    gpu_memory: Ints
    cpu: Ints
    memory: Ints
    pods: Ints
    others: Mapping[str, Ints]


def left_on(fleet: Fleet, rows: Ints) -> Left:
    """Returns what is left on some rows now."""
    columns = fleet.columns
    others = {name: column[rows] for name, column in columns.others.items()}
    return Left(
        rows,
        columns.gpu[rows],
        columns.gpu_memory[rows],
        columns.cpu[rows],
        columns.memory[rows],
        columns.pods[rows],
        others,
    )


def pods_on(fleet: Fleet, ask: PodAsk, left: Left) -> Ints:
    """Returns how many pods of a class fit on each row, whatever its rules say and whether nodes are closed."""
    found = np.minimum(left.pods, other_room(ask, left))
    if ask.gpu.number:
        models = allowed_models(fleet, ask.gpu)
        if models is not None:
            found = found * models[fleet.columns.model[left.rows]]
        found = np.minimum(found, pods_in(gpu_slots(fleet, ask.gpu, left), ask.gpu))
    return np.maximum(found, 0)


def other_room(ask: PodAsk, left: Left) -> Ints:
    """Returns how many pods processors, memory and other resources than GPUs and their shadows would take."""
    found = np.full(len(left.rows), PLENTY, np.int64)
    if ask.cpu:
        found = np.minimum(found, left.cpu // ask.cpu)
    if ask.memory:
        found = np.minimum(found, left.memory // ask.memory)
    for name, amount in own_others(ask):
        if amount > 0:
            found = np.minimum(found, left.others[name] // amount if name in left.others else 0)
    return found


def gpu_slots(fleet: Fleet, gpu: GpuAsk, left: Left) -> Ints:
    """Returns how many shares each GPU takes, row by column; a GPU that the ask does not name takes none."""
    sizes, memory_sizes = fleet.columns.gpu_size[left.rows], fleet.columns.gpu_memory_size[left.rows]
    milli, memory = needed_milli(gpu, memory_sizes), needed_memory(gpu, memory_sizes)
    slots = np.where(milli > 0, left.gpu // np.maximum(milli, 1), PLENTY)
    slots = np.minimum(slots, np.where(memory > 0, left.gpu_memory // np.maximum(memory, 1), PLENTY))
    slots = np.where(sizes > 0, np.maximum(slots, 0), 0)
    return slots * _named(fleet, gpu, left.rows) if gpu.devices else slots


def pods_in(slots: Ints, gpu: GpuAsk) -> Ints:
    """Returns how many pods GPUs with so many slots take, each on different ones; slots along the last axis."""
    total = slots.sum(axis=-1)
    if gpu.number == 1 or not gpu.is_share:
        return np.asarray(total // gpu.number)
    # So many pods fit when each GPU gives each of them one slot at most: sum(min(slots, pods)) >= number * pods.
    found = np.zeros_like(total)
    for pods in range(1, int(total.max(initial=0)) // gpu.number + 1):
        fits = np.minimum(slots, pods).sum(axis=-1) >= gpu.number * pods
        if not fits.any():
            break
        found[fits] = pods
    return np.asarray(found)


def _named(fleet: Fleet, gpu: GpuAsk, rows: Ints) -> Bools:
    return named_gpus(fleet, gpu.devices, rows)

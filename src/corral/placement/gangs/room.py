"""How many pods that ask the same each node could take at once."""

from collections.abc import Collection

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.fleet.shares import HUGE, needed_memory, needed_milli
from corral.placement.potentials.evaluation import named_gpus
from corral.placement.potentials.models import allowed_models

PLENTY = 1 << 30
"""More pods than any node takes."""

CONSTRAINTS = ("rules", "closed", "model", "device", "gpu", "cpu", "memory", "pods")
"""What limits room, by the names with which a limit can be lifted; other resources have their own names."""


def room(fleet: Fleet, ask: PodAsk, lifted: Collection[str] = (), *, is_empty: bool = False) -> Ints:
    """Returns for each row how many pods fit at once, as if some constraints were lifted or nothing was held."""
    columns, length = fleet.columns, fleet.columns.length
    found = np.where(fleet.allowed(ask.rules if "rules" not in lifted else 0), PLENTY, 0)
    if "closed" not in lifted:
        found *= columns.is_open[:length]
    if "pods" not in lifted:
        found = np.minimum(found, (columns.pods_size if is_empty else columns.pods)[:length])
    if ask.cpu and "cpu" not in lifted:
        found = np.minimum(found, (columns.cpu_size if is_empty else columns.cpu)[:length] // min(ask.cpu, HUGE))
    if ask.memory and "memory" not in lifted:
        found = np.minimum(
            found, (columns.memory_size if is_empty else columns.memory)[:length] // min(ask.memory, HUGE)
        )
    for name, amount in ask.others:
        if amount > 0 and name not in lifted:
            left = (columns.others_size if is_empty else columns.others).get(name)
            found = np.minimum(found, left[:length] // min(amount, HUGE) if left is not None else 0)
    if ask.gpu.number:
        models = None if "model" in lifted else allowed_models(fleet, ask.gpu)
        if models is not None:
            found *= models[columns.model[:length]]
        if "gpu" not in lifted:
            found = np.minimum(found, _gpu_room(fleet, ask, named="device" not in lifted, is_empty=is_empty))
    return np.asarray(np.maximum(found, 0))


def _gpu_room(fleet: Fleet, ask: PodAsk, *, named: bool, is_empty: bool) -> Ints:
    """How many pods the GPUs of each row take: each pod needs so many different ones with room."""
    columns, length = fleet.columns, fleet.columns.length
    sizes, memory_sizes = columns.gpu_size[:length], columns.gpu_memory_size[:length]
    left = sizes if is_empty else columns.gpu[:length]
    memory_left = memory_sizes if is_empty else columns.gpu_memory[:length]
    milli, memory = needed_milli(ask.gpu, memory_sizes), needed_memory(ask.gpu, memory_sizes)
    slots = np.where(milli > 0, left // np.maximum(milli, 1), PLENTY)
    slots = np.minimum(slots, np.where(memory > 0, memory_left // np.maximum(memory, 1), PLENTY))
    slots = np.where(sizes > 0, np.maximum(slots, 0), 0)
    if named and ask.gpu.devices:
        slots = slots * named_gpus(fleet, ask.gpu.devices, np.arange(length))
    number = min(ask.gpu.number, HUGE)
    if number == 1:
        return np.asarray(slots.sum(axis=1))
    if not ask.gpu.is_share:
        return np.asarray(slots.sum(axis=1) // number)
    # Pods in a row of `t` fit when every GPU gives at most one slot to each: sum(min(slots, t)) >= number * t.
    found = np.zeros(length, np.int64)
    for pods in range(1, int(slots.sum(axis=1).max(initial=0)) // number + 1):
        fits = np.minimum(slots, pods).sum(axis=1) >= number * pods
        if not fits.any():
            break
        found[fits] = pods
    return found

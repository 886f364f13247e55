"""What an ask takes from a GPU: thousandths and MiB, each kept apart.

A share by fraction takes the same fraction of the memory. A share by memory takes the same fraction of the thousandths, unless it
says how many itself. Both are rounded down: shares that fit by what they name then never fail by what they do not name.
"""

import numpy as np

from corral.placement.asks import WHOLE, GpuAsk
from corral.placement.fleet.columns import Ints

HUGE = 1 << 52
"""More than anything has of anything. Amounts above count as this much, so that no sum of them leaves the range of the arrays."""
_HUGE_SHARE = 1 << 20


def needed_memory(ask: GpuAsk, sizes: Ints) -> Ints:
    """Returns the MiB that an ask takes of GPUs with so much memory each."""
    if ask.memory:
        return np.full_like(sizes, min(ask.memory, HUGE))
    return min(ask.milli, _HUGE_SHARE) * sizes // WHOLE


def needed_milli(ask: GpuAsk, sizes: Ints) -> Ints:
    """Returns the thousandths that an ask takes of GPUs with so much memory each.

    Where nobody said how much memory there is, a share by memory counts as the whole GPU.
    """
    if ask.memory and ask.milli >= WHOLE:
        return np.where(sizes > 0, min(ask.memory, HUGE) * WHOLE // np.maximum(sizes, 1), WHOLE)
    return np.full_like(sizes, min(ask.milli, _HUGE_SHARE))


def fitting(ask: GpuAsk, milli: Ints, memory: Ints, sizes: Ints, memory_sizes: Ints) -> np.typing.NDArray[np.bool_]:
    """Returns which GPUs have room for an ask, given what is left of them and their sizes, as arrays of one shape."""
    enough = (sizes > 0) & (milli >= needed_milli(ask, memory_sizes))
    return np.asarray(enough & (memory >= needed_memory(ask, memory_sizes)))

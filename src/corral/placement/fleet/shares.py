"""What an ask takes from a GPU: thousandths and MiB, each kept apart.

A share by fraction takes the same fraction of the memory. A share by memory takes the same fraction of the thousandths, unless it
says how many itself. Both are rounded down: shares that fit by what they name then never fail by what they do not name.
"""

import numpy as np

from corral.placement.asks import WHOLE, GpuAsk
from corral.placement.fleet.columns import HUGE, Bools, Columns, Ints

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


def taken_memory(ask: GpuAsk, size: int) -> int:
    """Returns the MiB that an ask takes of one GPU with so much memory."""
    return min(ask.memory, HUGE) if ask.memory else min(ask.milli, _HUGE_SHARE) * size // WHOLE


def taken_milli(ask: GpuAsk, size: int) -> int:
    """Returns the thousandths that an ask takes of one GPU with so much memory."""
    if ask.memory and ask.milli >= WHOLE:
        return min(ask.memory, HUGE) * WHOLE // size if size else WHOLE
    return min(ask.milli, _HUGE_SHARE)


def fitting(columns: Columns, rows: Ints, ask: GpuAsk, left: Ints) -> Bools:
    """Returns which GPUs of some rows have room for an ask, given what is left of them.

    Memory need not be looked at as long as nobody holds a share of it: then it is left in proportion.
    """
    if not ask.memory and not columns.memory_shares and ask.milli:
        return left >= ask.milli
    sizes = columns.gpu_memory_size[rows]
    enough = (columns.gpu_size[rows] > 0) & (left >= needed_milli(ask, sizes))
    return np.asarray(enough & (columns.gpu_memory[rows] >= needed_memory(ask, sizes)))

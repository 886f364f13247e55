"""Best fit: what would be left of processors and GPUs, in parts of the largest node of the published trace, half and half."""

import numpy as np

from corral.placement.fleet.columns import Floats
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential

_LARGEST_CPU = 128_000
_LARGEST_GPU = 8_000


def leftover(_mix: Mix) -> Potential:
    """Returns the potential that costs each node how much would be left, in whole hundredths: near ones are equal."""

    def hundredths(outlook: Outlook) -> Floats:
        ask = outlook.ask
        cpu = (outlook.cpu - ask.cpu) / _LARGEST_CPU
        gpu = (outlook.total - ask.gpu.total) / _LARGEST_GPU
        return -np.floor(100 * (1.0 - (cpu + gpu) / 2))

    return hundredths


def tightest(_mix: Mix) -> Potential:
    """Returns the potential that costs each GPU how much of it would be left."""
    return lambda outlook: np.asarray(outlook.gpu - outlook.taken, np.float64)


def emptiest(_mix: Mix) -> Potential:
    """Returns the potential that costs each GPU how much of it is taken already; pods without GPUs nothing."""

    def taken(outlook: Outlook) -> Floats:
        if not outlook.ask.gpu.number:
            return np.zeros(len(outlook.rows))
        return np.asarray(outlook.size - outlook.gpu, np.float64)

    return taken

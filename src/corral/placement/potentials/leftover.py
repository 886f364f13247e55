"""Best fit: what would be left of processors and GPUs, in parts of the largest node of the published trace, half and half."""

import numpy as np

from corral.placement.fleet.columns import Floats
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.statistics import Statistics

_LARGEST_CPU = 128_000
_LARGEST_GPU = 8_000


def leftover(outlook: Outlook, _statistics: Statistics) -> Floats:
    """Returns for each node in hundredths how much would be left; whole hundredths, so that near ones are equal."""
    ask = outlook.ask
    cpu = (outlook.cpu - ask.cpu) / _LARGEST_CPU
    gpu = (outlook.total - ask.gpu.total) / _LARGEST_GPU
    return -np.floor(100 * (1.0 - (cpu + gpu) / 2))


def tightest(outlook: Outlook, _statistics: Statistics) -> Floats:
    """Returns for each GPU how much of it would be left."""
    return np.asarray(outlook.gpu - outlook.taken, np.float64)

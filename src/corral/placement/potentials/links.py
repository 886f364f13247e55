"""Links: how much worse several whole GPUs would be connected than the same number on an idle node of that make."""

import numpy as np

from corral.placement.asks import WHOLE
from corral.placement.fleet.columns import Floats
from corral.placement.fleet.wiring import best_set, points
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential

_MOST_GPUS = 62


def links(_mix: Mix) -> Potential:
    """Returns the potential that costs a place the part of the points of all pairs that are lost, times what is asked."""
    return _lost


def _lost(outlook: Outlook) -> Floats:
    columns, number = outlook.columns, outlook.ask.gpu.number
    lost = np.zeros(len(outlook.rows))
    wiring = columns.wiring[outlook.rows]
    breadth = outlook.gpu.shape[1]
    if number < 2 or outlook.is_share or breadth > _MOST_GPUS or not wiring.any():
        return lost
    idle = outlook.has_room @ (1 << np.arange(breadth, dtype=np.int64))
    known, places = np.unique(np.stack([wiring, idle]), axis=1, return_inverse=True)
    costs = [_part(columns.matrices[which], int(bits), number) for which, bits in known.T]
    return np.asarray(np.array(costs)[places.reshape(-1)] * number * WHOLE)


def _part(matrix: tuple[tuple[int, ...], ...], idle: int, number: int) -> float:
    if not matrix:
        return 0.0
    best = points(matrix, best_set(matrix, (1 << len(matrix)) - 1, number))
    return 1.0 - points(matrix, best_set(matrix, idle, number)) / best if best > 0 else 0.0

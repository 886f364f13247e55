"""What shares of a GPU are worth to each other: the prices of the cutting-stock problem.

How many GPUs does it take to cut a mix of shares from them? Solved as a linear program over patterns (Gilmore and Gomory: a revised
simplex to which a knapsack brings patterns), it leaves a price for each size: what fraction of a GPU one share of that size costs when all
are cut as well as they can be. A share that fits no pattern with others has the price of a whole GPU.
"""

from collections.abc import Mapping

import numpy as np

from corral.placement.asks import WHOLE
from corral.placement.fleet.columns import Floats, Ints

_TOLERANCE = 1e-7
_MOST_PIVOTS = 2000


def prices_of(demand: Mapping[int, float]) -> dict[int, float]:
    """Returns the price of each size, in GPUs; sizes are in thousandths, demand is how many of them come."""
    sizes = np.array(sorted(demand), np.int64)
    wanted = np.array([demand[int(size)] for size in sizes])
    if not len(sizes):
        return {}
    basis = np.diag((WHOLE // sizes).astype(np.float64))
    used = wanted / np.diag(basis)
    prices: Floats = np.ones(len(sizes))
    for _ in range(_MOST_PIVOTS):
        prices = np.asarray(np.linalg.solve(basis.T, np.ones(len(sizes))), np.float64)
        worth, pattern = best_pattern(sizes, prices)
        if worth[WHOLE] <= 1 + _TOLERANCE:
            break
        # The new pattern comes in; the one whose use first falls to nothing leaves.
        entering = np.linalg.solve(basis, pattern)
        steps = np.where(entering > _TOLERANCE, used / np.where(entering > _TOLERANCE, entering, 1.0), np.inf)
        leaving = int(steps.argmin())
        used = np.maximum(used - steps[leaving] * entering, 0.0)
        used[leaving] = steps[leaving]
        basis[:, leaving] = pattern
    return {int(size): float(price) for size, price in zip(sizes, prices, strict=True)}


def best_pattern(sizes: Ints, prices: Floats) -> tuple[Floats, Floats]:
    """Returns for each amount of a GPU the most that shares cut from it are worth, and how many of each the best whole one has."""
    step = int(np.gcd.reduce(np.append(sizes, WHOLE)))
    steps, length = sizes // step, WHOLE // step
    worth = np.zeros(length + 1)
    cut = np.full(length + 1, -1)
    for left in range(1, length + 1):
        worth[left] = worth[left - 1]
        fits = steps <= left
        if fits.any():
            values = np.where(fits, prices + worth[np.maximum(left - steps, 0)], -1.0)
            best = int(values.argmax())
            if values[best] > worth[left] + 1e-12:
                worth[left], cut[left] = values[best], best
    counts = np.zeros(len(sizes))
    left = length
    while left > 0:
        if cut[left] < 0:
            left -= 1
        else:
            counts[cut[left]] += 1
            left -= int(steps[cut[left]])
    return np.repeat(worth, step)[: WHOLE + 1], counts

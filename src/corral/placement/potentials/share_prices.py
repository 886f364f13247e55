"""Share prices: whether a share completes a good way to cut a GPU or spoils one.

By the prices of the cutting-stock problem everything left of a GPU is worth what can best be cut from it. A share that takes its place
in a best cut takes no more than its own price with it; what it takes beyond that is its *regret*.
"""

from collections import defaultdict

import numpy as np

from corral.placement.asks import WHOLE
from corral.placement.fleet.columns import Floats
from corral.placement.potentials.cutting import best_pattern, prices_of
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential

_GRAIN = 50.0
"""Regrets below a twentieth of a GPU do not count, nor do differences between regrets that are smaller."""


def share_price(mix: Mix) -> Potential:
    """Returns the potential that costs a share its regret, in thousandths of a GPU, on each GPU; whole GPUs cost nothing."""
    worth, prices = _tables(mix)

    def regret(outlook: Outlook) -> Floats:
        if not outlook.is_share:
            return np.zeros(len(outlook.rows))
        left = np.minimum(np.maximum(outlook.gpu, 0), WHOLE)
        taken = np.minimum(outlook.taken, WHOLE)
        lost = worth[left] - worth[np.maximum(left - taken, 0)] - prices[taken]
        return np.asarray(_GRAIN * np.floor(np.maximum(lost, 0.0) / _GRAIN + 1e-9))

    return regret


def _tables(mix: Mix) -> tuple[Floats, Floats]:
    """What is left of a GPU -> what it is worth, and what is taken -> its price, both in thousandths."""
    demand: defaultdict[int, float] = defaultdict(float)
    for weight, number, milli in zip(mix.weight, mix.number, mix.milli, strict=True):
        if number and 0 < milli < WHOLE:
            demand[int(milli)] += float(weight) * int(number)
    if not demand:
        return np.zeros(WHOLE + 1), np.zeros(WHOLE + 1)
    found = prices_of(demand)
    sizes = np.array(list(found), np.int64)
    worth = WHOLE * best_pattern(sizes, np.array(list(found.values())))[0]
    # A size that was never seen has the price of what it displaces at best.
    prices = worth[WHOLE] - worth[::-1]
    prices[sizes] = WHOLE * np.array(list(found.values()))
    return worth, prices

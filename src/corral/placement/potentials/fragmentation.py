"""Fragmentation: how much of what is left on a node typical pods could not use, and how a pod changes that.

The measure is that of Weng et al., "Beware of Fragmentation" (USENIX ATC'23). For a class, what a node has left is lost altogether when
model, processors or the number of GPUs with room do not suffice, and otherwise what lies on GPUs with too little room; the mean over
the mix is the fragmentation. What is not lost is a sum over GPUs, except for classes that ask several: so one table, from what is left
of a GPU to what the mix could use of it, gives the change for every GPU of every node by looking up.
"""

import numpy as np

from corral.placement.asks import WHOLE
from corral.placement.fleet.columns import Floats, Ints
from corral.placement.potentials.mix import Mix
from corral.placement.potentials.outlook import Outlook, Potential


def fragmentation(mix: Mix) -> Potential:
    """Returns the potential that costs a place by the thousandths of a GPU that become unusable to typical pods of at most one GPU.

    For those that ask several, seats are kept (`gangs.keeping`); counted here as well, they would spread the others thin.
    """
    return _Usable(mix.small().typical()).lost


def gradient(mix: Mix) -> Potential:
    """Returns the same in the steps of the published scheduler: whole hundredths of a sigmoid, some 40 thousandths wide."""
    lost = _Usable(mix.typical()).lost

    def steps(outlook: Outlook) -> Floats:
        return -np.floor(100.0 / (1.0 + np.exp(np.clip(lost(outlook) / 1000.0, -500.0, 500.0))))

    return steps


class _Usable:
    """What the mix can use of what is left, by level of processor and model."""

    def __init__(self, mix: Mix) -> None:
        self._mix = mix
        self._models = mix.admits.shape[1]
        levels = len(mix.levels) + 1
        left = np.arange(WHOLE + 1)
        # Row `level * models + model`: thousandths left of a GPU -> how much of it classes of one GPU can use on average.
        self._single = np.zeros((levels * self._models, WHOLE + 1))
        several: dict[tuple[int, int], Floats] = {}
        for place, weight in enumerate(mix.weight):
            number, milli = int(mix.number[place]), int(mix.milli[place])
            if not number:
                continue
            enough = np.arange(levels) > np.searchsorted(mix.levels, mix.cpu[place])
            here = weight * (enough[:, None] & mix.admits[place]).reshape(-1).astype(np.float64)
            if number == 1:
                self._single += here[:, None] * np.where(left >= milli, left, 0)
            else:
                key = (number, milli)
                several[key] = several.get(key, 0.0) + here
        self._several = sorted(several.items(), key=lambda pair: pair[0])

    def lost(self, outlook: Outlook) -> Floats:
        """Returns how much less the mix can use afterwards, beyond what is taken."""
        ask = outlook.ask
        gpu = np.maximum(outlook.gpu, 0)
        before = self._mix.level(outlook.cpu) * self._models + outlook.model
        after = self._mix.level(outlook.cpu - ask.cpu) * self._models + outlook.model
        usable = self._single[before[:, None], gpu].sum(axis=1)
        for key, weights in self._several:
            usable = usable + weights[before] * _usable_by_several(gpu, *key)
        if not ask.gpu.number:
            return np.asarray(usable - self._without(gpu, after))
        if not outlook.is_share:
            left = self._without_whole(gpu, after, ask.gpu.number)
            return np.asarray(usable - left - ask.gpu.total)
        taken = outlook.taken
        return np.asarray(usable[:, None] - self._without_share(gpu, after, taken) - taken)

    def _without(self, gpu: Ints, after: Ints) -> Floats:
        usable = self._single[after[:, None], gpu].sum(axis=1)
        for key, weights in self._several:
            usable = usable + weights[after] * _usable_by_several(gpu, *key)
        return np.asarray(usable)

    def _without_whole(self, gpu: Ints, after: Ints, taken: int) -> Floats:
        usable = self._single[after[:, None], gpu].sum(axis=1) - taken * self._single[after, WHOLE]
        for (number, milli), weights in self._several:
            room = gpu >= milli
            enough = room.sum(axis=1) - taken >= number
            usable = usable + weights[after] * enough * ((gpu * room).sum(axis=1) - taken * WHOLE)
        return np.asarray(usable)

    def _without_share(self, gpu: Ints, after: Ints, taken: Ints | int) -> Floats:
        left = np.maximum(gpu - taken, 0)
        alone = self._single[after[:, None], gpu]
        usable = alone.sum(axis=1, keepdims=True) - alone + self._single[after[:, None], left]
        for (number, milli), weights in self._several:
            room, still = gpu >= milli, left >= milli
            count = room.sum(axis=1, keepdims=True) - room + still
            amount = (gpu * room).sum(axis=1, keepdims=True) - gpu * room + left * still
            usable = usable + weights[after][:, None] * (count >= number) * amount
        return np.asarray(usable)


def _usable_by_several(gpu: Ints, number: int, milli: int) -> Ints:
    room = gpu >= milli
    return np.asarray((room.sum(axis=1) >= number) * (gpu * room).sum(axis=1))

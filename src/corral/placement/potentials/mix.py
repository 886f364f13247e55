"""The mix of pods as arrays over the models of one fleet: what potentials prepare their tables from."""

from collections import defaultdict
from typing import NamedTuple, Self

import numpy as np

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet.columns import Bools, Floats, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.models import allowed_models
from corral.placement.potentials.statistics import Statistics

TYPICAL = 0.95
"""How much of all pods typical classes cover: the published figure."""


class Mix(NamedTuple):
    """One entry for each class, most frequent first."""

    weight: Floats
    """How often it comes; the sum is one."""
    cpu: Ints
    number: Ints
    """How many GPUs."""
    milli: Ints
    """How much of each, in thousandths."""
    admits: Bools
    """Class by model: whether the model will do."""
    levels: Ints
    """Every amount of processor that a class asks for, ascending: between two of them, more or less makes no difference."""

    def level(self, cpu: Ints) -> Ints:
        """Returns how many of the levels fit into so much processor."""
        return np.searchsorted(self.levels, cpu, side="right")

    def typical(self) -> Self:
        """Returns the most frequent classes that together cover nearly all pods."""
        reached = np.cumsum(self.weight)
        return self._only(np.concatenate(([True], reached[:-1] < TYPICAL - 1e-9))[: len(reached)])

    def small(self) -> Self:
        """Returns the classes of at most one GPU; all when there are no others that ask for any."""
        is_small = self.number < 2
        return self._only(is_small) if (self.number[is_small] > 0).any() else self

    def _only(self, chosen: Bools) -> Self:
        weight, cpu = self.weight[chosen], self.cpu[chosen]
        whole = weight.sum()
        return self._replace(
            weight=weight / whole if whole else weight,
            cpu=cpu,
            number=self.number[chosen],
            milli=self.milli[chosen],
            admits=self.admits[chosen],
            levels=np.unique(cpu),
        )


def mix_of(fleet: Fleet, statistics: Statistics) -> Mix:
    """Returns the mix over the models of a fleet."""
    shares: defaultdict[PodAsk, float] = defaultdict(float)
    for ask, share in statistics.shares:
        shares[ask._replace(memory=0)] += share
    asks = sorted(shares, key=lambda ask: -shares[ask])
    memory = _common_memory(fleet)
    everything = np.ones(len(fleet.models), np.bool_)
    admits = [allowed_models(fleet, ask.gpu) for ask in asks]
    milli = [
        min(WHOLE, ask.gpu.memory * WHOLE // memory) if ask.gpu.memory and ask.gpu.milli >= WHOLE else ask.gpu.milli
        for ask in asks
    ]
    return Mix(
        np.array([shares[ask] for ask in asks], np.float64),
        np.array([ask.cpu for ask in asks], np.int64),
        np.array([ask.gpu.number for ask in asks], np.int64),
        np.array(milli, np.int64),
        np.array([everything if one is None else one for one in admits], np.bool_).reshape(-1, len(everything)),
        np.unique(np.array([ask.cpu for ask in asks], np.int64)),
    )


def _common_memory(fleet: Fleet) -> int:
    """What a share by memory is a share of: the GPUs of the middle size. Only the mix uses it, never what is given away."""
    sizes = fleet.columns.gpu_memory_size
    sizes = sizes[sizes > 0]
    return int(np.median(sizes)) if len(sizes) else WHOLE

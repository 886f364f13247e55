"""What of the idle GPUs a typical pod could not use, and for which cause: the published measure, summed over nodes."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.mix import mix_of
from corral.placement.potentials.statistics import Statistics

CAUSES = ("asks-for-no-gpu", "model", "cpu-and-gpu", "cpu", "gpu", "too-little-on-a-gpu")
"""What a class lacks on a node: `gpu` is too few GPUs with room, the last is what lies beside those GPUs where it would fit."""


class Fragments(NamedTuple):
    """Thousandths of GPUs."""

    idle: int
    by_cause: Mapping[str, float]

    @property
    def total(self) -> float:
        """Returns what typical pods cannot use."""
        return sum(self.by_cause.values())


def fragments_of(fleet: Fleet, statistics: Statistics) -> Fragments:
    """Returns the fragments of a fleet as it is."""
    mix = mix_of(fleet, statistics).typical()
    columns, length = fleet.columns, fleet.columns.length
    gpu, cpu, model = np.maximum(columns.gpu[:length], 0), columns.cpu[:length], columns.model[:length]
    left = gpu.sum(axis=1)
    lost = dict.fromkeys(CAUSES, 0.0)
    for place, weight in enumerate(mix.weight):
        if not mix.number[place]:
            lost["asks-for-no-gpu"] += weight * float(left.sum())
            continue
        room = gpu >= mix.milli[place]
        admitted = mix.admits[place][model]
        lacks_gpu, lacks_cpu = room.sum(axis=1) < mix.number[place], cpu < mix.cpu[place]
        beside = np.where(room, 0, gpu).sum(axis=1)
        parts = {
            "model": left * ~admitted,
            "cpu-and-gpu": left * (admitted & lacks_gpu & lacks_cpu),
            "cpu": left * (admitted & ~lacks_gpu & lacks_cpu),
            "gpu": left * (admitted & lacks_gpu & ~lacks_cpu),
            "too-little-on-a-gpu": beside * (admitted & ~lacks_gpu & ~lacks_cpu),
        }
        for cause, amounts in parts.items():
            lost[cause] += float(weight) * float(amounts.sum())
    return Fragments(int(left.sum()), lost)

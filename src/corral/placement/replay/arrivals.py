"""Which pods of a trace arrive, in which order, and when they leave again."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Floats
from corral.placement.replay.traces import TracePod


def inflated(pods: Sequence[TracePod], capacity: int, inflate: float, seed: int) -> list[PodAsk]:
    """Returns all pods in random order, with random copies added or random ones left out until they ask for so much of the GPUs.

    `capacity` is in thousandths of a GPU. Nobody leaves.
    """
    generator = np.random.default_rng(seed)
    ordered = [pod.ask for pod in sorted(pods, key=lambda pod: pod.name)]
    arriving = [ordered[place] for place in generator.permutation(len(ordered))]
    asked = sum(ask.gpu.total for ask in arriving)
    wanted = inflate * capacity
    if not asked:
        return arriving
    if asked > wanted:
        while asked > wanted:
            asked -= arriving.pop(int(generator.integers(len(arriving)))).gpu.total
        return arriving
    while asked < wanted:
        arriving.append(ordered[int(generator.integers(len(ordered)))])
        asked += arriving[-1].gpu.total
    return arriving


class Stay(NamedTuple):
    """One pod that comes and goes; times are in mean lifetimes."""

    ask: PodAsk
    arrives: float
    leaves: float


def coming_and_going(pods: Sequence[TracePod], capacity: int, load: float, lifetimes: float, seed: int) -> list[Stay]:
    """Returns random pods of a trace that arrive as a Poisson process and stay for exponential times, over so many mean lifetimes.

    At a load of 1 they would, if none was ever rejected, ask for as much of the GPUs as there is. The same seed gives the same pods
    to every policy.
    """
    generator = np.random.default_rng([seed, round(load * 1000)])
    ordered = [pod.ask for pod in sorted(pods, key=lambda pod: pod.name)]
    mean = sum(ask.gpu.total for ask in ordered) / len(ordered)
    count = int(generator.poisson(load * capacity / mean * lifetimes)) if mean else 0
    arrives: Floats = np.sort(generator.uniform(0, lifetimes, count))
    chosen = generator.integers(len(ordered), size=count)
    leaves = arrives + generator.exponential(1.0, count)
    return [
        Stay(ordered[which], float(at), float(until)) for which, at, until in zip(chosen, arrives, leaves, strict=True)
    ]

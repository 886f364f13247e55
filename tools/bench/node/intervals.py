"""What samples say: percentiles, and how sure the ratio of two medians is. Pure; chance comes from a seed that is told."""

import random
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

DRAWS = 10_000
SEED = 5


class Interval(NamedTuple):
    """A value, and between which two others it lies with 95 % confidence."""

    value: float
    low: float
    high: float


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float], draws: int = DRAWS, seed: int = SEED) -> Interval:
    """Returns median over median with its interval by bootstrap.

    The samples were taken in turns, so the n-th of both met the same moment of the machine: pairs are drawn, not single
    samples.
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} samples beside {len(theirs)}: they must be pairs")
    pairs = list(zip(ours, theirs, strict=True))
    chance = random.Random(seed)  # noqa: S311 - a repeatable sequence, not a secret
    drawn = sorted(_ratio(chance.choices(pairs, k=len(pairs))) for _ in range(draws))
    return Interval(_ratio(pairs), percentile(drawn, 2.5), percentile(drawn, 97.5))


def percentile(samples: Sequence[float], percent: float) -> float:
    """Returns the value below which so many percent of the samples lie, by linear interpolation between neighbours."""
    ordered = sorted(samples)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    return median(one for one, _ in pairs) / median(other for _, other in pairs)

"""Bands that hold what they promise: what became of earlier estimates says how far off the next one may be.

Several guesses of a wait are weighed by how wrong each was of late, as it is and corrected by its mean error. The band around what
they say together reaches between two quantiles of the latest errors. Three things keep that honest:

- Gangs that still wait count: their error is known to be at least so large (Kaplan and Meier, 1958). Else long waits are learnt last.
- Gangs of a kind that come together err together: a batch of four hundred weighs as much as a single gang.
- Which quantiles are taken is set by how often bands were missed: too often, they move outwards, too seldom, inwards (adaptive
  conformal inference, Gibbs and Candès, NeurIPS 2021).

All errors are of logarithms: how many times longer a wait was than was said.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corral.placement.estimates.run_times import Floats

GRACE = 60.0
"""Seconds that make no difference: added to waits before they are compared."""
_WINDOW = 300
_STEP = 0.02
"""How far a quantile moves for each band that is missed."""
ENOUGH = 8
"""Batches that must have started before their errors are trusted."""
_AT_FIRST = 2.3
"""Ten times less to ten times more: the band while little is known."""
_HALF_AT_FIRST = 1.2
"""A third to three times as much: the band of one half while little is known."""
_WIDE = 0.65
"""A band that promises less than so much is one of a half."""
_BEYOND = 0.25
_WIDENING = 6.0
"""How fast a band grows beyond all errors seen when even these are too little."""
_HALF_LIFE = 100.0
_SHARPNESS = 20.0
_SHRINKAGE = 10.0


class StartEstimate(NamedTuple):
    """Seconds from now to the start of a gang: the band that was promised, eight of ten as a rule, and the half of it that is likeliest."""

    earliest: float
    expected: float
    latest: float
    likely_from: float = 0.0
    likely_to: float = 0.0
    """Between these two it starts as often as not."""
    checked: int = 0
    """Batches of gangs whose start showed how wide the band must be; with fewer than `ENOUGH` it is a wide guess."""


class Guess(NamedTuple):
    """What was said of a gang, before it is turned into seconds."""

    logs: Floats
    """The guesses."""
    opinions: Floats
    """The guesses as they are, and corrected."""
    center: float


class Mixture:
    """Guesses weighed by how wrong they were."""

    def __init__(self, number: int) -> None:
        self._bias, self._bias_weight = np.zeros(number), 0.0
        self._loss, self._loss_weight = np.zeros(2 * number), 0.0

    def weigh(self, waits: Floats) -> Guess:
        """Returns what guesses of a wait say together; the first of them counts alone while nothing is known."""
        logs = np.log(waits + GRACE)
        opinions = np.concatenate([logs, logs + self._bias / (self._bias_weight + _SHRINKAGE)])
        if self._loss_weight <= 3:
            return Guess(logs, opinions, float(opinions[0]))
        loss = self._loss / self._loss_weight
        weights = np.exp(-_SHARPNESS * (loss - loss.min()))
        return Guess(logs, opinions, float(weights @ opinions / weights.sum()))

    def learn(self, guess: Guess, waited: float, weight: float) -> None:
        """Learns how long a gang waited; `weight` is its part of its batch."""
        truth, decay = np.log(waited + GRACE), 0.5 ** (weight / _HALF_LIFE)
        self._loss = self._loss * decay + weight * np.abs(guess.opinions - truth)
        self._loss_weight = self._loss_weight * decay + weight
        self._bias = self._bias * decay + weight * (truth - guess.logs)
        self._bias_weight = self._bias_weight * decay + weight


@dataclass
class Given:
    """An estimate that was given, and what has come of it."""

    at: float
    guess: Guess
    band: StartEstimate
    batch: int
    waited: float | None = None
    is_judged: bool = False


class Bands:
    """The latest estimates of one queue, and the quantiles of their errors between which the next band reaches."""

    def __init__(self, coverage: float) -> None:
        self._miss = (1.0 - coverage) / 2
        self._at_first = _AT_FIRST if coverage >= _WIDE else _HALF_AT_FIRST
        self._low, self._high = self._miss, 1.0 - self._miss
        self._latest: deque[Given] = deque(maxlen=_WINDOW)
        self._batches: dict[int, int] = {}

    def around(self, guess: Guess, now: float) -> StartEstimate:
        """Returns the band around a guess."""
        low, high = self._errors(now)
        center = guess.center
        return StartEstimate(_seconds(center + min(low, 0.0)), _seconds(center), _seconds(center + max(high, 0.0)))

    @property
    def checked(self) -> int:
        """Returns of how many batches it is known when they started."""
        return round(sum(self.weight(one) for one in self._latest if one.waited is not None))

    def give(self, given: Given) -> None:
        """Remembers an estimate that was given."""
        if len(self._latest) == _WINDOW:
            self._batches[self._latest[0].batch] -= 1
        self._latest.append(given)
        self._batches[given.batch] = self._batches.get(given.batch, 0) + 1

    def weight(self, given: Given) -> float:
        """Returns the part of an estimate in its batch."""
        return 1.0 / max(self._batches.get(given.batch, 1), 1)

    def judge(self, given: Given, is_below: bool, is_above: bool) -> None:
        """Learns whether a band was missed; of each estimate only once."""
        if given.is_judged:
            return
        given.is_judged = True
        self._low = min(max(self._low + _STEP * (self._miss - is_below), -_BEYOND), 0.45)
        self._high = max(min(self._high - _STEP * (self._miss - is_above), 1 + _BEYOND), 0.55)

    def _errors(self, now: float) -> tuple[float, float]:
        latest = list(self._latest)
        weights = np.array([self.weight(one) for one in latest])
        is_known = np.array([one.waited is not None for one in latest], dtype=bool)
        if not len(latest) or weights[is_known].sum() < ENOUGH:
            return -self._at_first, self._at_first
        waited = np.array([now - one.at if one.waited is None else one.waited for one in latest])
        errors = np.log(waited + GRACE) - np.array([one.guess.center for one in latest])
        order = np.lexsort((~is_known, errors))
        errors, weights, is_known = errors[order], weights[order], is_known[order]
        at_risk = np.cumsum(weights[::-1])[::-1]
        longer = np.cumprod(1.0 - is_known * weights / at_risk)
        low = _quantile(errors, longer, max(self._low, 0.01)) + _WIDENING * min(self._low, 0.0)
        high = _quantile(errors, longer, min(self._high, 0.99)) + _WIDENING * max(self._high - 1.0, 0.0)
        return low, high


def _quantile(errors: Floats, longer: Floats, part: float) -> float:
    """Returns the error that such a part does not exceed; twice the largest when too many of the largest still wait."""
    reached = np.flatnonzero(longer <= 1.0 - part + 1e-9)
    return float(errors[reached[0]]) if len(reached) else float(errors[-1]) + 0.7


def _seconds(log: float) -> float:
    return max(float(np.exp(min(log, 40.0))) - GRACE, 0.0)

"""What is known of the mix from the pods that came: the statistics of a scheduler that runs.

Pods without GPUs are not counted: a cluster has many of them that say nothing about those that compete for GPUs. Old pods count less
and less, and what is learned becomes known in steps: tables rest on the mix, and a new one costs all of them.
"""

from collections import defaultdict

import msgspec

from corral.placement.asks import PodAsk
from corral.placement.potentials.policies import Policy
from corral.placement.potentials.statistics import NOTHING_KNOWN, Statistics, class_of

_REMEMBERED = 32_768
"""Pods after which what was seen before counts half: a class of one pod in two hundred is then known by a hundred of them, within a
tenth. The seats that are kept for it rest on that."""
_FIRST = 64
"""Pods that must have come before anything is concluded from them."""
_ALIKE = 0.005
"""Mixes that differ in less of all pods are the same, until twice as many pods are known."""
_GROWTH = 1.5
"""By how much the number of pods grows from one step to the next, until the remembered number is reached."""


class Observed:
    """The classes of pods that came, each pod counted once."""

    def __init__(self) -> None:
        self._counts: defaultdict[PodAsk, float] = defaultdict(float)
        self._seen = 0
        self._next = float(_FIRST)
        self._known = NOTHING_KNOWN

    def came(self, ask: PodAsk) -> bool:
        """Counts a pod that is seen for the first time; returns whether something was concluded from it."""
        if not ask.gpu.number:
            return False
        self._counts[class_of(ask)] += 1.0
        self._seen += 1
        if self._seen < self._next:
            return False
        self._next = self._seen + max(1.0, min(self._seen * (_GROWTH - 1), _REMEMBERED / 8))
        return self._conclude()

    @property
    def statistics(self) -> Statistics:
        """What was concluded last; nothing until enough pods came."""
        return self._known

    def _conclude(self) -> bool:
        total = sum(self._counts.values())
        shares = sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0]))
        fresh = Statistics(tuple((ask, count / total) for ask, count in shares), int(total))
        is_news = fresh.observed >= 2 * self._known.observed or _distance(fresh, self._known) >= _ALIKE
        if is_news:
            self._known = fresh
        if total > _REMEMBERED:
            self._counts = defaultdict(float, {ask: count / 2 for ask, count in self._counts.items() if count >= 1.0})
        return is_news


def _distance(one: Statistics, other: Statistics) -> float:
    """Returns which part of all pods would have to be others for two mixes to be the same."""
    first, second = dict(one.shares), dict(other.shares)
    return sum(abs(first.get(ask, 0.0) - second.get(ask, 0.0)) for ask in {**first, **second}) / 2


class LearningPolicy:
    """A policy whose mix is that of the pods that came, as the scheduler has it."""

    def __init__(self, beginning: Policy) -> None:
        self.now = beginning
        """The policy with what is known by now."""
        self._observed = Observed()

    def came(self, ask: PodAsk) -> bool:
        """Counts a pod that is seen for the first time; returns whether places cost something else from now on."""
        if not self._observed.came(ask):
            return False
        self.now = msgspec.structs.replace(self.now, statistics=self._observed.statistics)
        return True

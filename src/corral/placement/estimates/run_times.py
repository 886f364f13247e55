"""How long gangs run, learnt from those that ended: by queue and size, by queue, or of all, whichever has enough of them.

Those that still run count as well: a gang that has run for a day says that days happen (Kaplan and Meier, 1958).
"""

from bisect import bisect_right, insort
from collections import deque

import numpy as np
import numpy.typing as npt

from corral.placement.estimates.kinds import Kind

Floats = npt.NDArray[np.float64]

ENOUGH = 12
"""Gangs that must have ended before a group speaks for itself."""
_WINDOW = 1000
"""Gangs of a group that are remembered, the latest."""


class _Group:
    def __init__(self) -> None:
        self.sorted: list[float] = []
        self._latest: deque[float] = deque()
        self._array: Floats | None = None

    def array(self) -> Floats:
        """Returns all, sorted."""
        if self._array is None:
            self._array = np.array(self.sorted)
        return self._array

    def add(self, run_time: float) -> None:
        self._array = None
        insort(self.sorted, run_time)
        self._latest.append(run_time)
        if len(self._latest) > _WINDOW:
            oldest = self._latest.popleft()
            del self.sorted[bisect_right(self.sorted, oldest) - 1]


class RunTimes:
    """What is known of run times."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, int] | str | None, _Group] = {}

    def ended(self, kind: Kind, run_time: float) -> None:
        """Learns from a gang that ended."""
        for key in ((kind.queue, kind.size), kind.queue, None):
            self._groups.setdefault(key, _Group()).add(run_time)

    def knows(self, kind: Kind) -> bool:
        """Whether enough have ended to say how long one of a kind runs."""
        return bool(self._known(kind))

    def longest(self, kind: Kind) -> float:
        """Returns the longest that is known of a kind; nothing when too few have ended."""
        return max(self._known(kind), default=0.0)

    def quantile(self, kind: Kind, part: float = 0.5) -> float | None:
        """Returns a run time that such a part of gangs of a kind does not exceed; None when too few are known."""
        known = self._known(kind)
        return known[min(int(part * len(known)), len(known) - 1)] if known else None

    def remaining(self, kind: Kind, elapsed: float, chances: Floats) -> Floats:
        """Returns how much longer a gang runs that has run so long already: one draw for each chance between 0 and 1.

        Of a gang that runs longer than any that is known, nobody knows more than that: half as long again up to four times as
        long, the longer the less likely.
        """
        found: Floats = self.remaining_of_each(kind, np.array([elapsed]), chances[None, :])[0]
        return found

    def remaining_of_each(self, kind: Kind, elapsed: Floats, chances: Floats) -> Floats:
        """Returns the same for several gangs of a kind: one row for each, one column for each of its chances."""
        known = self._array(kind)
        beyond = np.maximum(elapsed, 600.0)[:, None] * (0.5 / np.maximum(1.0 - chances, 0.125))
        if not len(known):
            return beyond
        first = np.searchsorted(known, elapsed, side="right")[:, None]
        chosen = np.minimum(first + (chances * (len(known) - first)).astype(np.int64), len(known) - 1)
        return np.where(first >= len(known), beyond, known[chosen] - elapsed[:, None])

    def _known(self, kind: Kind) -> list[float]:
        group = self._group(kind)
        return group.sorted if group is not None else []

    def _array(self, kind: Kind) -> Floats:
        group = self._group(kind)
        return group.array() if group is not None else np.zeros(0)

    def _group(self, kind: Kind) -> _Group | None:
        for key in ((kind.queue, kind.size), kind.queue, None):
            group = self._groups.get(key)
            if group is not None and len(group.sorted) >= ENOUGH:
                return group
        return None

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

    def add(self, run_time: float) -> None:
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
        known = self._known(kind)
        first = bisect_right(known, elapsed)
        if first >= len(known):
            return max(elapsed, 600.0) * (0.5 / np.maximum(1.0 - chances, 0.125))
        chosen = first + (chances * (len(known) - first)).astype(np.int64)
        return np.asarray(known[first:])[chosen - first] - elapsed

    def _known(self, kind: Kind) -> list[float]:
        for key in ((kind.queue, kind.size), kind.queue, None):
            group = self._groups.get(key)
            if group is not None and len(group.sorted) >= ENOUGH:
                return group.sorted
        return []

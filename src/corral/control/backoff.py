"""Waiting longer after each failure in a row, scattered so that many do not come back at once."""

from typing import NamedTuple


class Backoff(NamedTuple):
    """Doubles from `first` to `longest`; the wait is between half of that and all of it."""

    first: float = 0.2
    longest: float = 300.0

    def wait(self, failures: int, fraction: float) -> float:
        """Returns the seconds to wait after so many failures in a row (from 1); `fraction` is chance, 0 to 1."""
        grown = min(self.first * 2.0 ** min(max(failures, 1) - 1, 40), self.longest)
        return grown * (0.5 + fraction / 2)

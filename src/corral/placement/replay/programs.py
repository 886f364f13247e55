"""Linear programs that grow: rows and columns are added, bounds change, and each solution starts from the last.

HiGHS solves them; it is imported here alone, and only when a bound is asked for.
"""

from collections.abc import Sequence

import highspy
import numpy as np

from corral.errors import BugError
from corral.placement.fleet.columns import Floats

INFINITE = float("inf")


class Program:
    """A linear program that maximises."""

    def __init__(self) -> None:
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]  # its author left out `-> None`
        self._highs.setOptionValue("output_flag", False)
        self._highs.setOptionValue("threads", 1)
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.rows = 0
        self.columns = 0

    def add_row(self, low: float, high: float) -> int:
        """Adds a row without entries and returns its number."""
        self._highs.addRow(low, high, 0, np.zeros(0, np.int32), np.zeros(0))
        self.rows += 1
        return self.rows - 1

    def add_column(self, gain: float, entries: Sequence[tuple[int, float]]) -> int:
        """Adds a variable that is not negative, with its entries by row, and returns its number."""
        rows = np.array([row for row, _ in entries], np.int32)
        self._highs.addCol(gain, 0.0, INFINITE, len(rows), rows, np.array([value for _, value in entries], np.float64))
        self.columns += 1
        return self.columns - 1

    def bound_row(self, row: int, low: float, high: float) -> None:
        """Changes between what a row must lie."""
        self._highs.changeRowBounds(row, low, high)

    def set_gains(self, columns: Sequence[int], gains: Sequence[float]) -> None:
        """Changes what variables gain."""
        self._highs.changeColsCost(len(columns), np.array(columns, np.int32), np.array(gains, np.float64))

    def solve(self) -> float | None:
        """Returns the most that can be gained; None when nothing meets all rows."""
        if not self.columns:
            return 0.0
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return float(self._highs.getObjectiveValue())
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return None
        raise BugError("program-unsolved", f"a linear program ended as {self._highs.modelStatusToString(status)}")

    def prices(self) -> Floats:
        """Returns what one more of each row would gain, in the last solution."""
        return np.array(self._highs.getSolution().row_dual, np.float64)

"""What was measured: one value per round, side and measure; medians and spread over the rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Measure:
    """One line of the report. `target` is how many times better ours shall be; None where nothing was promised."""

    key: str
    title: str
    unit: str
    target: float | None = None
    higher_is_better: bool = False


@dataclass
class Results:
    """All values of a run, by measure and side, in the order of the rounds."""

    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, key: str, side: str, value: float) -> None:
        """Notes the value of one round."""
        self.values.setdefault(key, {}).setdefault(side, []).append(value)

    def median(self, key: str, side: str) -> float | None:
        """Returns the median over the rounds, or None when it was not measured."""
        found = self.values.get(key, {}).get(side)
        return median(found) if found else None

    def spread(self, key: str, side: str) -> float | None:
        """Returns how far the rounds lie apart: largest less smallest, as a share of the median."""
        found = self.values.get(key, {}).get(side, [])
        middle = median(found) if found else 0.0
        return (max(found) - min(found)) / middle if len(found) > 1 and middle else None


def percentile(ordered: Sequence[float], share: float) -> float:
    """Returns the value below which a share of an ordered sequence lies."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

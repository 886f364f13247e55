"""Numbers for Prometheus: counters, gauges and histograms, written in its text form.

Small on purpose: the loops count in one thread, labels are plain tuples, and gauges are asked when somebody looks.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

Labels = tuple[str, ...]
Samples = Iterable[tuple[Labels, float]]

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Bounds for durations from one millisecond to five minutes."""


class Family(Protocol):
    """Everything that is told under one name."""

    def lines(self) -> list[str]:
        """Returns the lines of the text form, the two that describe the name first."""


class Counter:
    """A number per combination of labels that only grows."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self._meaning = meaning
        self._labels = tuple(labels)
        self._values: dict[Labels, float] = {} if labels else {(): 0.0}

    def add(self, *labels: str, by: float = 1.0) -> None:
        """Counts."""
        self._values[labels] = self._values.get(labels, 0.0) + by

    def value(self, *labels: str) -> float:
        """Returns the present number."""
        return self._values.get(labels, 0.0)

    def lines(self) -> list[str]:
        """Returns the lines of the text form."""
        samples = [_line(self.name, self._labels, labels, value) for labels, value in sorted(self._values.items())]
        return [*_head(self.name, "counter", self._meaning), *samples]


class Reading:
    """Numbers that are asked for when somebody looks: gauges, and counters that are kept elsewhere."""

    def __init__(
        self, name: str, meaning: str, read: Callable[[], Samples], labels: Sequence[str] = (), kind: str = "gauge"
    ) -> None:
        self.name = name
        self._meaning = meaning
        self._read = read
        self._labels = tuple(labels)
        self._kind = kind

    def lines(self) -> list[str]:
        """Returns the lines of the text form."""
        samples = [_line(self.name, self._labels, labels, value) for labels, value in self._read()]
        return [*_head(self.name, self._kind, self._meaning), *samples]


class Histogram:
    """How often a quantity was at most each of some bounds."""

    def __init__(self, name: str, meaning: str, labels: Sequence[str] = (), bounds: Sequence[float] = SECONDS) -> None:
        self.name = name
        self._meaning = meaning
        self._labels = tuple(labels)
        self._bounds = tuple(bounds)
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, value: float, *labels: str) -> None:
        """Counts one quantity."""
        counts = self._counts.setdefault(labels, [0] * (len(self._bounds) + 1))
        counts[bisect_left(self._bounds, value)] += 1
        self._sums[labels] = self._sums.get(labels, 0.0) + value

    def lines(self) -> list[str]:
        """Returns the lines of the text form."""
        lines = _head(self.name, "histogram", self._meaning)
        names = (*self._labels, "le")
        for labels, counts in sorted(self._counts.items()):
            total = 0
            for bound, count in zip((*self._bounds, float("inf")), counts, strict=True):
                total += count
                text = "+Inf" if bound == float("inf") else f"{bound:g}"
                lines.append(_line(f"{self.name}_bucket", names, (*labels, text), total))
            lines.append(_line(f"{self.name}_sum", self._labels, labels, self._sums[labels]))
            lines.append(_line(f"{self.name}_count", self._labels, labels, total))
        return lines


class Metrics:
    """All families of a process."""

    def __init__(self) -> None:
        self._families: list[Family] = []

    def add(self, *families: Family) -> None:
        """Tells these as well from now on."""
        self._families.extend(families)

    def text(self) -> str:
        """Returns everything in the text form of Prometheus."""
        return "".join(f"{line}\n" for family in self._families for line in family.lines())


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _line(name: str, names: Sequence[str], values: Sequence[str], number: float) -> str:
    told = ",".join(f'{label}="{_escaped(value)}"' for label, value in zip(names, values, strict=True))
    text = f"{number:.0f}" if float(number).is_integer() else repr(float(number))
    return f"{name}{{{told}}} {text}" if told else f"{name} {text}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

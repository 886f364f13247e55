"""How fast a queue moves: what its latest starts and waits say about the next one, without asking who runs how long."""

from collections import deque
from typing import NamedTuple

_STARTS = 50
_WAITS = 20


class Standing(NamedTuple):
    """Where a gang stands in its queue."""

    position: int
    """How many stand before it."""
    gpus: float
    """How many GPUs these need, and it itself."""
    oldest: float
    """For how long the one has waited that waits longest."""
    queue: str = ""


class Pace:
    """The latest starts of a queue."""

    def __init__(self) -> None:
        self._starts: deque[tuple[float, float]] = deque(maxlen=_STARTS + 1)
        self._waits: deque[float] = deque(maxlen=_WAITS)

    def started(self, now: float, gpus: float) -> None:
        """Learns of a start."""
        self._starts.append((now, gpus))

    def waited(self, seconds: float) -> None:
        """Learns how long a gang waited that could not start at once."""
        self._waits.append(seconds)

    def guesses(self, standing: Standing, now: float) -> tuple[float, float, float, float]:
        """Returns four guesses of a wait: by gangs before it, by their GPUs, by the latest waits, and by the longest of those that wait."""
        span = max(now - self._starts[0][0], 1.0) if len(self._starts) > 1 else 3600.0
        number = max(len(self._starts) - 1, 1)
        gpus = max(sum(one for _, one in self._starts) - (self._starts[0][1] if self._starts else 0.0), 1.0)
        recent = sum(self._waits) / len(self._waits) if self._waits else 0.0
        return ((standing.position + 1) * max(span / number, 1.0), standing.gpus * span / gpus, recent, standing.oldest)

"""A promise about a figure, and whether it was kept. Pure."""

from typing import NamedTuple


class Gate(NamedTuple):
    """One promise: the value must be above, or at most, a limit."""

    name: str
    found: float
    limit: float
    unit: str = ""
    is_floor: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the promise was kept."""
        return self.found > self.limit if self.is_floor else self.found <= self.limit

    def __str__(self) -> str:
        wanted = "above" if self.is_floor else "at most"
        word = "met" if self.is_met else "MISSED"
        return f"{self.name}: {self.found:.3g}{self.unit}, {wanted} {self.limit:g}{self.unit}: {word}"

"""Randomness, injected: identifiers and jitter come from here, so that a run can be repeated."""

from typing import Protocol


class Randomness(Protocol):
    """The only source of chance in the loops."""

    def fraction(self) -> float:
        """Returns a number from 0 (included) to 1 (excluded), evenly."""

    def token(self) -> str:
        """Returns a fresh word of ten lower-case letters and digits, unique for all practical purposes."""

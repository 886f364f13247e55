"""Functions that can be imported."""

import os

from tests.sdk.functions.lab import nets


def train(text: str, *, factor: int = 1) -> dict[str, object]:
    """Prints who it is, and returns something of its own module and of another one."""
    print("rank", os.environ.get("RANK"))
    return {"width": nets.width_of(text) * factor, "rank": os.environ.get("RANK")}


def fail() -> None:
    """Ends as a broken program does."""
    raise RuntimeError("no luck")


def opaque() -> object:
    """Returns what JSON cannot tell."""
    return object()

"""How much of each sweep is played: everything with CORRAL_TEST_FULL, otherwise a fixed sample."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

FULL = bool(os.environ.get("CORRAL_TEST_FULL"))


def sampled(points: Sequence[T], *, one_of: int, shift: int = 0) -> Sequence[T]:
    """Returns every `one_of`-th point, beginning at `shift`; all of them in a full run."""
    return points if FULL else points[shift % one_of :: one_of]

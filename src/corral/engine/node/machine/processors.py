"""Which processors a container runs on when it has a limit: as many as the limit, the least used first."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence


def chosen_processors(
    limit: float | None, available: Sequence[int], assigned: Iterable[Sequence[int]]
) -> tuple[int, ...]:
    """Returns the processors for a limit of that many, rounded up; empty means any.

    `assigned` are the processors of each container that runs now. A limit of everything or more is no restriction. Ties go
    to the lowest number, so that the same question has the same answer.
    """
    if limit is None or limit <= 0:
        return ()
    count = math.ceil(limit)
    if count >= len(available):
        return ()
    used = Counter(number for each in assigned for number in each)
    return tuple(sorted(sorted(available, key=lambda number: (used[number], number))[:count]))

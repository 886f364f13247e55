"""Which logs of pods that are gone are given up: the oldest beyond an age, a number and an amount of bytes. Pure."""

from collections.abc import Collection, Iterable
from typing import NamedTuple


class Retention(NamedTuple):
    """How much of what pods said is kept after them."""

    most_bytes: int = 2 << 30
    most_seconds: float = 14 * 86_400.0
    most_pods: int = 10_000


KEPT_BY_DEFAULT = Retention()


class Remains(NamedTuple):
    """The logs of one pod: when it ended or was last heard, in seconds since the epoch, and what they take of the disk."""

    folder: str
    uid: str
    ended: float
    taken_bytes: int


def given_up(remains: Iterable[Remains], existing: Collection[str], now: float, limit: Retention) -> list[Remains]:
    """Returns what is to be removed, never of a pod that exists; those of existing pods count nevertheless."""
    found = list(remains)
    left_bytes, left_pods = sum(each.taken_bytes for each in found), len(found)
    doomed: list[Remains] = []
    for each in sorted((each for each in found if each.uid not in existing), key=lambda each: each.ended):
        is_old = now - each.ended > limit.most_seconds
        if not is_old and left_bytes <= limit.most_bytes and left_pods <= limit.most_pods:
            break
        doomed.append(each)
        left_bytes -= each.taken_bytes
        left_pods -= 1
    return doomed

"""What is known of the mix of pods: which classes there are and how often each comes."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from corral.placement.asks import PodAsk

COVERED = 0.95


class Statistics(msgspec.Struct, frozen=True, cache_hash=True):
    """Classes by frequency, most frequent first; frequencies sum to one."""

    shares: tuple[tuple[PodAsk, float], ...] = ()


NOTHING_KNOWN = Statistics()


def statistics_of(asks: Iterable[PodAsk], covered: float = COVERED) -> Statistics:
    """Returns the most frequent classes that together cover so much of what was asked.

    A class is what is asked of GPUs and processors; memory, rules and other resources make none of their own.
    """
    counts = Counter(ask._replace(memory=0, others=(), rules=0, crowds=(), neighbours=()) for ask in asks)
    wanted = covered * counts.total()
    chosen: list[tuple[PodAsk, int]] = []
    reached = 0
    for ask, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        if reached >= wanted:
            break
        chosen.append((ask, count))
        reached += count
    return Statistics(tuple((ask, count / reached) for ask, count in chosen))

"""What is known of the mix of pods: which classes there are and how often each comes."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from corral.placement.asks import PodAsk


class Statistics(msgspec.Struct, frozen=True, cache_hash=True):
    """Classes by frequency, most frequent first; frequencies sum to one."""

    shares: tuple[tuple[PodAsk, float], ...] = ()
    observed: int = 0
    """From how many pods the frequencies are known; 0 when they are exact."""


NOTHING_KNOWN = Statistics()


def statistics_of(asks: Iterable[PodAsk]) -> Statistics:
    """Returns all classes of what was asked.

    A class is what is asked of GPUs and processors; rules and other resources make none of their own, and memory only those that ask
    for several whole GPUs, for which whole seats are kept.
    """
    counts = Counter(class_of(ask) for ask in asks)
    total = counts.total()
    shares = tuple((ask, count / total) for ask, count in sorted(counts.items(), key=lambda pair: -pair[1]))
    return Statistics(shares, total)


def is_large(ask: PodAsk) -> bool:
    """Whether several whole GPUs are asked of one node."""
    return ask.gpu.number > 1 and not ask.gpu.is_share


def class_of(ask: PodAsk) -> PodAsk:
    """Returns the class of an ask, which is an ask as well."""
    return PodAsk(ask.cpu, ask.memory if is_large(ask) else 0, ask.gpu)

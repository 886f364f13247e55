"""Pods of a trace by how many GPUs they ask for, which is how reports tell them apart."""

from corral.placement.asks import PodAsk

NO_GPU = "no-gpu"
SHARE = "share"


def size_of(ask: PodAsk) -> str:
    """Returns the size of a pod: `no-gpu`, `share`, or the number of its GPUs."""
    if not ask.gpu.number:
        return NO_GPU
    return SHARE if ask.gpu.is_share else str(ask.gpu.number)


def in_order(sizes: set[str]) -> list[str]:
    """Returns sizes from the smallest to the largest."""
    return sorted(sizes, key=lambda size: -2 if size == NO_GPU else -1 if size == SHARE else int(size))

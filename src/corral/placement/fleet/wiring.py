"""Topology inside a node: how well sets of its GPUs are connected, and which set a pod should get.

Nodes of one make are wired alike, so a matrix of points for pairs is kept once, and every question asked of it is answered once: for a
number of GPUs and the idle ones as bits, the set whose pairs have the most points, and of equal sets the one that leaves the best pairs
to others. With more idle GPUs than `_EXHAUSTIVE` sets are grown pair by pair instead, which may miss the best.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from corral.placement.offers import NodeOffer

Matrix = tuple[tuple[int, ...], ...]

_SAME_ISLAND = 100
_SAME_NUMA = 10
_EXHAUSTIVE = 13_000
"""Sets looked at for one question: all of 8 among 16."""


def matrix_of(offer: NodeOffer) -> Matrix:
    """Returns points for each pair of GPUs; () when nothing is known that tells pairs apart."""
    gpus = offer.gpus
    if len(offer.links) == len(gpus) > 0 and all(len(line) == len(gpus) for line in offer.links):
        return offer.links
    matrix = tuple(
        tuple(
            (_SAME_ISLAND if one.clique and one.clique == other.clique else 0)
            + (_SAME_NUMA if one.numa >= 0 and one.numa == other.numa else 0)
            for other in gpus
        )
        for one in gpus
    )
    pairs = {matrix[one][other] for one in range(len(gpus)) for other in range(one)}
    return matrix if len(pairs) > 1 else ()


def points(matrix: Matrix, chosen: Sequence[int]) -> int:
    """Returns the points of all pairs of a set."""
    return sum(matrix[one][other] for one, other in combinations(chosen, 2))


@lru_cache(maxsize=1 << 16)
def best_set(matrix: Matrix, idle: int, number: int) -> tuple[int, ...]:
    """Returns the best so many of the GPUs whose bits are set; () when there are too few."""
    free = [index for index in range(idle.bit_length()) if idle >> index & 1]
    if len(free) < number:
        return ()
    if comb(len(free), number) > _EXHAUSTIVE:
        return _grown(matrix, free, number)
    return max(combinations(free, number), key=lambda chosen: _worth(matrix, free, chosen))


def _worth(matrix: Matrix, free: Sequence[int], chosen: Sequence[int]) -> tuple[int, int]:
    rest = [index for index in free if index not in chosen]
    return points(matrix, chosen), points(matrix, rest)


def _grown(matrix: Matrix, free: Sequence[int], number: int) -> tuple[int, ...]:
    """From each GPU on, adds the one that is connected best to those there are; returns the best of these sets."""
    grown = []
    for start in free:
        chosen = [start]
        while len(chosen) < number:
            rest = (index for index in free if index not in chosen)
            chosen.append(max(rest, key=lambda index: (sum(matrix[index][one] for one in chosen), -index)))
        grown.append(tuple(sorted(chosen)))
    return max(grown, key=lambda chosen: _worth(matrix, free, chosen))

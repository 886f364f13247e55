"""Pods that must be in one domain with others, or must not be: where an ask may go because of who is there already.

The meaning is that of Kubernetes: required affinity and anti-affinity between pods, and topology spread constraints that forbid. Who
must be apart from a crowd keeps it away also when it came first. Unlike everything else, this depends on rows other than the own one,
so it is no part of tables, and is counted when it is asked for.
"""

import numpy as np

from corral.placement.asks import Neighbours, PodAsk
from corral.placement.fleet.columns import Bools, Columns, Ints

APART = "apart"
TOGETHER = "together"
EVEN = "even"


def is_choosy(columns: Columns, ask: PodAsk) -> bool:
    """Whether it matters to an ask, or to pods that are there, who its neighbours are."""
    return bool(ask.neighbours) or bool(ask.crowds and columns.crowds)


def kept_away(columns: Columns, ask: PodAsk) -> list[tuple[int, str]]:
    """Returns the crowds of an ask from which pods that are there must be apart, and at which level."""
    return [key for key, held in columns.crowds.items() if key[1] and key[0] in ask.crowds and held.any()]


def beside(one: Neighbours, ask: PodAsk, domain: Ints, present: Ints, allowed: Bools) -> Bools:
    """Returns which rows meet one wish, given the domain of each row, the crowd on it, and the rows whose domains are compared."""
    inside = domain >= 0
    if one.kind == EVEN:
        present = np.where(allowed, present, 0)
    counts = np.bincount(domain[inside], weights=present[inside], minlength=1)
    here = np.where(inside, counts[domain], 0)
    if one.kind == APART:
        return np.asarray(here == 0)
    if one.kind == TOGETHER:
        # The first of a crowd that wants to be with itself may begin anywhere.
        begins = one.crowd in ask.crowds and not counts.any()
        return np.asarray(inside & ((here > 0) | begins))
    compared = inside & allowed
    fewest = here[compared].min(initial=np.inf) if len(np.unique(domain[compared])) >= one.least else 0
    return np.asarray(inside & (here + (one.crowd in ask.crowds) - fewest <= one.skew))

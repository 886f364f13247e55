"""Which queue is next: weighted dominant shares over the tree of queues.

A queue below its guarantee goes before one that has it. Among those the one goes first that has the smallest part of its
guarantee; among the others the one that has borrowed least: the largest part, over resources, of all there is, divided by its
weight (dominant resource fairness, Ghodsi et al., NSDI 2011, at every node of the tree). Shares only order: what is idle is given to
whoever comes next, also to a queue far beyond its share.
"""

from collections.abc import Mapping

from corral.placement.admission.queues import QueueTerms

Claimed = tuple[int, float]
"""Whether a queue has its guarantee (1) or not (0), and how much of it, or beyond it, it has: smaller goes first."""


def claimed(terms: QueueTerms, used: Mapping[str, int], capacity: Mapping[str, int]) -> Claimed:
    """Returns how much a queue has already of what it may claim."""
    guarantee = dict(terms.guarantee)
    if guarantee:
        part = max((used.get(one, 0) / amount for one, amount in guarantee.items() if amount), default=1.0)
        if part < 1:
            return (0, part)
    beyond = 0.0
    for resource, amount in used.items():
        total = capacity.get(resource, 0)
        if total > 0:
            beyond = max(beyond, (amount - guarantee.get(resource, 0)) / total)
    return (1, beyond / max(terms.weight, 1))

"""Fair shares over the tree of queues: which queue is next, and how much each is entitled to.

A queue below its guarantee goes before one that has it. Among those the one goes first that has the smallest part of its
guarantee; among the others the one that has borrowed least: the largest part, over resources, of all there is, divided by its
weight (dominant resource fairness, Ghodsi et al., NSDI 2011, at every node of the tree). Shares only order: what is idle is given to
whoever comes next, also to a queue far beyond its share.

What a queue is entitled to is what it may take back from others. It depends on what its gangs have and want together, which an
eviction does not change: therefore evictions cannot go on for ever (see `victims.py`).
"""

from collections.abc import Callable, Mapping

from corral.placement.admission.amounts import Amounts, add
from corral.placement.admission.queues import ROOT, Queues

Claimed = tuple[int, float]
"""Whether a queue has its guarantee (1) or not (0), and how much of it, or beyond it, it has: smaller goes first."""


def claimed(queues: Queues, name: str, capacity: Mapping[str, int]) -> Claimed:
    """Returns how much a queue has already of what it may claim."""
    return _claimed(queues.used(name), queues.guarantee(name), queues.terms(name).weight, capacity)


def claimed_itself(queues: Queues, name: str, capacity: Mapping[str, int]) -> Claimed:
    """Returns the same of the gangs of a queue that has queues below: they stand beside these, with weight 1."""
    return _claimed(queues.own(name), {}, 1, capacity)


def _claimed(used: Amounts, guarantee: Amounts, weight: int, capacity: Mapping[str, int]) -> Claimed:
    if guarantee:
        part = max((used.get(one, 0) / amount for one, amount in guarantee.items() if amount), default=1.0)
        if part < 1:
            return (0, part)
    beyond = 0.0
    for resource, amount in used.items():
        total = capacity.get(resource, 0)
        if total > 0:
            beyond = max(beyond, (amount - guarantee.get(resource, 0)) / total)
    return (1, beyond / max(weight, 1))


def entitlements(
    queues: Queues, wanted: Callable[[str], Amounts], capacity: Mapping[str, int], reclaims: str
) -> dict[str, Amounts]:
    """Returns what each queue's own gangs are entitled to, out of what they have and want.

    Guarantees come first, as far as they are wanted. Inside of a queue that has one, the rest of it goes to those that want more, by
    weight. When whole shares may be reclaimed, so does the rest of all there is. Resources of which nothing is guaranteed are not
    named: of them nobody is entitled to anything.
    """
    contested = set(capacity) if reclaims == "share" else {one for name in queues for one in queues.guarantee(name)}
    totals: dict[str, Amounts] = {}
    for name in (ROOT, *queues):
        own = {one: amount for one, amount in wanted(name).items() if one in contested}
        for one in queues.path(name):
            add(totals.setdefault(one, {}), own)
    result: dict[str, Amounts] = {}
    budgets: dict[str, Amounts] = {ROOT: dict(capacity) if reclaims == "share" else {}}
    for name in queues.below(ROOT):
        result[name], parts = _divided(queues, name, budgets[name], wanted, totals)
        budgets |= parts
    return result


def _divided(
    queues: Queues, name: str, budget: Amounts, wanted: Callable[[str], Amounts], totals: Mapping[str, Amounts]
) -> tuple[Amounts, dict[str, Amounts]]:
    """Returns which part of its budget a queue's own gangs are entitled to, and which each queue below it."""
    itself: Amounts = {}
    parts: dict[str, Amounts] = {one: {} for one in queues.children(name)}
    for resource in totals[name]:
        most = {one: _most(queues, one, resource, totals[one].get(resource, 0)) for one in parts}
        sure = {one: min(queues.guarantee(one).get(resource, 0), most[one]) for one in parts}
        own = wanted(name).get(resource, 0)
        # Guarantees at the top are promises whatever there is; below, they divide what their parent has.
        total = max(budget.get(resource, 0), sum(sure.values())) if name == ROOT else budget.get(resource, 0)
        shares = _filled(
            total, {**most, name: own}, {**sure, name: 0}, {one: queues.terms(one).weight for one in parts}
        )
        itself[resource] = shares.pop(name)
        for one, share in shares.items():
            parts[one][resource] = share
    return itself, parts


def _most(queues: Queues, name: str, resource: str, total: int) -> int:
    terms = queues.terms(name)
    most = min(total, dict(terms.limit).get(resource, total))
    borrowed = dict(terms.borrowing or ())
    if resource in borrowed:
        most = min(most, queues.guarantee(name).get(resource, 0) + borrowed[resource])
    return max(most, 0)


def _filled(total: int, most: dict[str, int], sure: dict[str, int], weights: dict[str, int]) -> dict[str, int]:
    """Divides a total: to each what is sure, scaled down when that is too much, then the rest by weight up to the most of each."""
    promised = sum(sure.values())
    if promised >= total:
        return {one: amount * total // promised if promised else 0 for one, amount in sure.items()}
    shares, rest = dict(sure), total - promised
    hungry = {one for one in most if most[one] > shares[one]}
    while hungry and rest > 0:
        weight = sum(weights.get(one, 1) for one in hungry)
        full = {one for one in hungry if (most[one] - shares[one]) * weight <= rest * weights.get(one, 1)}
        if not full:
            for one in hungry:
                shares[one] += rest * weights.get(one, 1) // weight
            break
        for one in full:
            rest -= most[one] - shares[one]
            shares[one] = most[one]
        hungry -= full
    return shares

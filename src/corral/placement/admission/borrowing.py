"""What queues keep for themselves of their guarantee although it is idle: all that they do not lend."""

from collections.abc import Mapping
from itertools import pairwise

from corral.placement.admission.amounts import Amounts, add
from corral.placement.admission.queues import Queues


def kept_beside(queues: Queues, path: tuple[str, ...]) -> list[Amounts]:
    """Returns, for each queue of a path upwards, what queues inside of it and beside the path keep from the first of the path."""
    inside: Amounts = {}
    for one in queues.children(path[0]):
        add(inside, _kept(queues, one))
    kept = [inside]
    for child, parent in pairwise(path):
        total = dict(kept[-1])
        for one in queues.children(parent):
            if one != child:
                add(total, _kept(queues, one))
        kept.append(total)
    return kept


def _kept(queues: Queues, name: str) -> Mapping[str, int]:
    kept: dict[str, Amounts] = {}
    for one in reversed(queues.below(name)):
        inside: Amounts = {}
        for child in queues.children(one):
            add(inside, kept[child])
        kept[one] = _kept_by(queues, one, inside)
    return kept[name]


def _kept_by(queues: Queues, name: str, inside: Amounts) -> Amounts:
    terms, used = queues.terms(name), queues.used(name)
    if terms.lending is None:
        return inside
    lent = dict(terms.lending)
    for resource, amount in terms.guarantee:
        # What is not named in `lending` may be lent whole.
        idle = amount - lent.get(resource, amount) - used.get(resource, 0)
        inside[resource] = max(inside.get(resource, 0), idle)
    return {resource: amount for resource, amount in inside.items() if amount > 0}

"""Whether a queue may have more: limits, what it may borrow, and what others do not lend; and quotas of namespaces."""

from collections.abc import Mapping
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts, lacking
from corral.placement.admission.borrowing import kept_beside
from corral.placement.admission.queues import Queues


class Lack(NamedTuple):
    """What a quota refuses: at which queue, by which of its terms, of which resource, and how much was free."""

    queue: str
    term: str
    """`limit`, `borrowing` or `lending`; `namespace` for the quota of a namespace."""
    resource: str
    needed: int
    free: int


def lack_of(queues: Queues, left: Mapping[str, int], name: str, needs: Mapping[str, int]) -> Lack | None:
    """Returns the first quota on the way up that refuses what a gang of a queue needs, None when all allow it.

    `left` is what all nodes together have left: of it others may keep a part.
    """
    path = queues.path(name)
    beside = kept_beside(queues, path) if queues.any_keeps else [{}] * len(path)
    for one, kept in zip(path, beside, strict=True):
        terms, used = queues.terms(one), queues.used(one)
        limit, guarantee = dict(terms.limit), queues.guarantee(one)
        borrowing = dict(terms.borrowing or ())
        for resource, amount in needs.items():
            held = used.get(resource, 0) + kept.get(resource, 0)
            if resource in limit and held + amount > limit[resource]:
                return Lack(one, "limit", resource, amount, max(limit[resource] - held, 0))
            if resource in borrowing:
                most = guarantee.get(resource, 0) + borrowing[resource]
                if used.get(resource, 0) + amount > most:
                    return Lack(one, "borrowing", resource, amount, max(most - used.get(resource, 0), 0))
    return _lent(left, name, needs, beside[-1]) if queues.any_keeps else None


def namespace_lack(namespaces: Mapping[str, Amounts], namespace: str, needs: Mapping[str, int]) -> Lack | None:
    """Returns what the quota of a namespace refuses to pods that do not exist yet, None when it allows them."""
    free = namespaces.get(namespace, {})
    for resource, amount in lacking(needs, free).items():
        return Lack(namespace, "namespace", resource, amount + free[resource], max(free[resource], 0))
    return None


def _lent(left: Mapping[str, int], name: str, needs: Mapping[str, int], kept: Mapping[str, int]) -> Lack | None:
    for resource, amount in needs.items():
        free = left.get(resource, 0) - kept.get(resource, 0)
        if kept.get(resource, 0) and amount > free:
            return Lack(name, "lending", resource, amount, max(free, 0))
    return None

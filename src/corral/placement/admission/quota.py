"""Whether a queue may have more: limits, what it may borrow, and what others do not lend; and quotas of namespaces."""

from collections.abc import Mapping
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts
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


class Supply(NamedTuple):
    """What there is to be given: of all nodes together, and what of it others hold."""

    capacity: Amounts
    occupied: Amounts

    def free(self, resource: str, used: int) -> int:
        """Returns what is left of a resource when gangs hold so much."""
        return self.capacity.get(resource, 0) - self.occupied.get(resource, 0) - used


def lack_of(queues: Queues, supply: Supply, name: str, needs: Mapping[str, int]) -> Lack | None:
    """Returns the first quota on the way up that refuses what a gang of a queue needs, None when all allow it."""
    path = queues.path(name)
    beside = kept_beside(queues, path) if queues.any_keeps else [{}] * len(path)
    for one, kept in zip(path, beside, strict=True):
        terms, used = queues.terms(one), queues.used(one)
        limit, guarantee = dict(terms.limit), dict(terms.guarantee)
        borrowing = dict(terms.borrowing or ())
        for resource, amount in needs.items():
            held = used.get(resource, 0) + kept.get(resource, 0)
            if resource in limit and held + amount > limit[resource]:
                return Lack(one, "limit", resource, amount, max(limit[resource] - held, 0))
            if resource in borrowing:
                most = guarantee.get(resource, 0) + borrowing[resource]
                if used.get(resource, 0) + amount > most:
                    return Lack(one, "borrowing", resource, amount, max(most - used.get(resource, 0), 0))
    return _lent(queues, supply, path, needs, beside[-1]) if queues.any_keeps else None


def _lent(
    queues: Queues, supply: Supply, path: tuple[str, ...], needs: Mapping[str, int], kept: Mapping[str, int]
) -> Lack | None:
    used = queues.used(path[-1])
    for resource, amount in needs.items():
        free = supply.free(resource, used.get(resource, 0)) - kept.get(resource, 0)
        if kept.get(resource, 0) and amount > free:
            return Lack(path[0], "lending", resource, amount, max(free, 0))
    return None

"""Whether a queue may have more: limits, what it may borrow, and what others do not lend; and quotas of namespaces."""

from collections.abc import Iterator, Mapping
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
    short: int = 0
    """How much more it would have to allow: more than what is needed beyond what is free where too much is held already."""


def lack_of(queues: Queues, left: Mapping[str, int], name: str, needs: Mapping[str, int]) -> Lack | None:
    """Returns the first quota on the way up that refuses what a gang of a queue needs, None when all allow it.

    `left` is what all nodes together have left: of it others may keep a part.
    """
    return next(lacks_of(queues, left, name, needs), None)


def lacks_of(queues: Queues, left: Mapping[str, int], name: str, needs: Mapping[str, int]) -> Iterator[Lack]:
    """Yields every quota on the way up that refuses what a gang of a queue needs."""
    path = queues.path(name)
    beside = kept_beside(queues, path) if queues.any_keeps else [{}] * len(path)
    for one, kept in zip(path, beside, strict=True):
        terms, used = queues.terms(one), queues.used(one)
        limit, guarantee = dict(terms.limit), queues.guarantee(one)
        borrowing = dict(terms.borrowing or ())
        for resource, amount in needs.items():
            if resource in limit:
                held = used.get(resource, 0) + kept.get(resource, 0)
                yield from _beyond(one, "limit", resource, amount, limit[resource] - held)
            if resource in borrowing:
                most = guarantee.get(resource, 0) + borrowing[resource]
                yield from _beyond(one, "borrowing", resource, amount, most - used.get(resource, 0))
    if queues.any_keeps:
        for resource, amount in needs.items():
            if beside[-1].get(resource, 0):
                yield from _beyond(name, "lending", resource, amount, left.get(resource, 0) - beside[-1][resource])


def _beyond(queue: str, term: str, resource: str, amount: int, free: int) -> Iterator[Lack]:
    if amount > free:
        yield Lack(queue, term, resource, amount, max(free, 0), amount - free)


def namespace_lack(namespaces: Mapping[str, Amounts], namespace: str, needs: Mapping[str, int]) -> Lack | None:
    """Returns what the quota of a namespace refuses to pods that do not exist yet, None when it allows them."""
    free = namespaces.get(namespace, {})
    for resource, amount in lacking(needs, free).items():
        return Lack(namespace, "namespace", resource, amount + free[resource], max(free[resource], 0), amount)
    return None

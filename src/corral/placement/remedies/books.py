"""What quotas say to a gang: as the books of admission stand, and as they would with some changes."""

from collections.abc import Iterator, Mapping

import numpy as np

from corral.placement.admission.amounts import CPU, GPU, MEMORY, Amounts, amounts_of_gang
from corral.placement.admission.queues import Queues
from corral.placement.admission.quota import Lack, lacks_of, namespace_lack
from corral.placement.admission.verdicts import amount_text
from corral.placement.asks import WHOLE, Gang
from corral.placement.fleet import Fleet
from corral.placement.remedies.remedy import Part, Parts
from corral.placement.remedies.supplies import EndJob
from corral.placement.remedies.words import listed


class MoreQuota(Part, frozen=True):
    """A queue, or a namespace, may have more."""

    queue: str
    term: str
    """As a lack says: `limit`, `borrowing`, `lending` or `namespace`."""
    resource: str
    amount: int
    keepers: tuple[str, ...] = ()
    """For `lending`: the queues that keep for themselves what they do not use."""

    def lowered(self) -> Iterator[Part]:
        """Yields one unit less."""
        if self.amount > 1:
            yield MoreQuota(self.queue, self.term, self.resource, self.amount - 1, self.keepers)

    @property
    def topic(self) -> str:
        """Returns which quota."""
        return f"quota {self.queue} {self.term} {self.resource}"

    @property
    def price(self) -> float:
        """Returns what it costs to change what was agreed on."""
        return 3.0 + (self.amount / WHOLE if self.resource == GPU else 1.0)

    def words(self) -> str:
        """Returns it as people say it."""
        much, queue = (
            amount_text(self.resource, self.amount),
            f"queue {self.queue}" if self.queue else "all queues together",
        )
        keepers = f"queue {self.keepers[0]} returns" if len(self.keepers) == 1 else f"{_named(self.keepers)} return"
        return {
            "limit": f"when {queue} may have {much} more",
            "borrowing": f"when {queue} may borrow {much} more",
            "lending": f"when {keepers} {much} of what {'they keep' if len(self.keepers) != 1 else 'it keeps'}",
            "namespace": f"when the quota of namespace {self.queue} allows {much} more",
        }[self.term]


def _named(queues: tuple[str, ...]) -> str:
    return f"queues {listed(list(queues))}" if queues else "other queues"


class Books:
    """The queues of admission and the quotas of namespaces, from the point of view of one namespace."""

    def __init__(self, queues: Queues, namespaces: Mapping[str, Amounts] = {}, namespace: str = "") -> None:
        self._queues = queues
        self._namespaces = namespaces
        self._namespace = namespace

    def lacks(self, fleet: Fleet, gang: Gang, parts: Parts) -> tuple[Lack, ...]:
        """Returns every quota that refuses a gang, with changes of which the fleet has heard already."""
        ended = [one for one in parts if isinstance(one, EndJob)]
        raised = {(one.queue, one.term, one.resource): one.amount for one in parts if isinstance(one, MoreQuota)}
        for job in ended:
            self._queues.give_back(job.queue, dict(job.held))
        try:
            found = list(self._found(fleet, gang))
        finally:
            for job in ended:
                self._queues.take(job.queue, dict(job.held))
        return tuple(one for one in found if one.short > raised.get((one.queue, one.term, one.resource), 0))

    def more(self, lack: Lack) -> MoreQuota:
        """Returns as much more of a quota as is lacking."""
        keepers = keepers_beside(self._queues, lack.queue, lack.resource) if lack.term == "lending" else ()
        return MoreQuota(lack.queue, lack.term, lack.resource, lack.short, keepers)

    def _found(self, fleet: Fleet, gang: Gang) -> Iterator[Lack]:
        needs = amounts_of_gang(gang)
        yield from lacks_of(self._queues, _left(fleet), gang.queue, needs)
        lack = namespace_lack(self._namespaces, self._namespace, needs)
        if lack is not None:
            yield lack


def keepers_beside(queues: Queues, name: str, resource: str) -> tuple[str, ...]:
    """Returns the queues beside the path of one that keep a part of their guarantee although they do not use it."""
    path = queues.path(name)
    found = []
    for one in queues:
        terms, lent = queues.terms(one), dict(queues.terms(one).lending or ())
        idle = queues.guarantee(one).get(resource, 0) - queues.used(one).get(resource, 0)
        if terms.lending is not None and one not in path and idle > lent.get(resource, idle):
            found.append(one)
    return tuple(found)


def _left(fleet: Fleet) -> Amounts:
    """What all open nodes together have left."""
    columns, length = fleet.columns, fleet.columns.length
    is_open = columns.is_open[:length]
    named = {GPU: columns.gpu[:length].sum(axis=1), CPU: columns.cpu[:length], MEMORY: columns.memory[:length]}
    named |= {name: column[:length] for name, column in columns.others.items()}
    return {name: int(np.asarray(column)[is_open].sum()) for name, column in named.items()}

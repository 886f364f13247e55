"""Who may go before the first that waits: whoever does not delay it.

The first that waits for room has a reservation. Others may start beside what is kept for it, or on it when they will have ended by
then. The same holds for the first that waits for the quota of a queue: others of that queue may use what it leaves, or end in time. A
gang whose run time nobody knows never counts as ending in time.
"""

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts
from corral.placement.admission.claims import Waiting
from corral.placement.admission.ground import Given, Ground
from corral.placement.admission.order import Entry
from corral.placement.admission.quota import lack_of


class QuotaKept(NamedTuple):
    """A part of the quota of a queue that is kept for a gang."""

    queue: str
    gang: str
    starts: float
    spare: Amounts
    """What others may use beyond that time, of each resource that the queue bounds."""


def ends_by(claim: Waiting, now: float, time: float) -> bool:
    """Whether a gang that starts now will have ended by a time."""
    return claim.run_time is not None and now + claim.run_time <= time < inf


def keep_quota(ground: Ground, entry: Entry, queue: str, now: float) -> QuotaKept | None:
    """Returns what is kept of the quota of a queue for a gang that it refuses; None when it would refuse it even if nobody ran."""
    inside = [one for one in ground.running.values() if queue in ground.queues.path(one.claim.gang.queue)]
    ends = sorted((now if one.uid in ground.evicted else one.expected_end(now), one.uid) for one in inside)
    given: list[Given] = []
    try:
        for end, uid in ends:
            given.append(Given(ground.running[uid].claim.gang.queue, (), ground.held(uid)))
            ground.give_back(given[-1])
            if lack_of(ground.queues, ground.left, entry.kind.queue, entry.needs) is None:
                return QuotaKept(queue, entry.uid, end, _spare(ground, queue, entry.needs))
    finally:
        for one in given:
            ground.take_again(one)
    return None


def _spare(ground: Ground, queue: str, needs: Mapping[str, int]) -> Amounts:
    terms, used, guarantee = ground.queues.terms(queue), ground.queues.used(queue), ground.queues.guarantee(queue)
    most = dict(terms.limit)
    for resource, amount in terms.borrowing or ():
        bound = guarantee.get(resource, 0) + amount
        most[resource] = min(most.get(resource, bound), bound)
    return {one: amount - used.get(one, 0) - needs.get(one, 0) for one, amount in most.items()}


def passes(kept: QuotaKept, entry: Entry, now: float) -> bool:
    """Whether a gang of the queue does not delay the one for which a part of the quota is kept."""
    if ends_by(entry.claim, now, kept.starts):
        return True
    return all(amount <= kept.spare.get(one, amount) for one, amount in entry.needs.items())

"""What the quotas of a namespace leave for pods that do not exist yet. Pure.

Pods that exist were counted by the server when they were made, so nothing here holds them up. It matters for what the scheduler itself
asks for: a job that grows has pods made, which the server would refuse.
"""

from collections.abc import Iterable
from typing import Final

from corral.control.scheduling.reading.queues import UnreadableQueueError, amounts_in
from corral.kinds.scheduling.quota_view import QuotaView
from corral.placement.admission.amounts import Amounts

_REQUESTS: Final = "requests."
_PLAIN: Final = frozenset({"cpu", "memory"})
"""Resources that quotas also name without saying that they mean requests."""


def left_by(quotas: Iterable[QuotaView]) -> Amounts:
    """Returns how much of each resource that they bound is left, by the strictest; those for some pods only are not counted."""
    left: Amounts = {}
    for quota in quotas:
        if quota.counts_all:
            for name, amount in _left_by(quota).items():
                left[name] = min(left.get(name, amount), amount)
    return left


def _left_by(quota: QuotaView) -> Amounts:
    hard, used = quota.status.hard or {}, quota.status.used or {}
    bounded = {said: name for said in hard if (name := _requested(said))}
    try:
        allowed = [dict(amounts_in({name: hard[said]})) for said, name in bounded.items()]
        taken = [dict(amounts_in({name: used.get(said, 0)})) for said, name in bounded.items()]
    except UnreadableQueueError:
        return {}
    found: Amounts = {}
    for most, held in zip(allowed, taken, strict=True):
        for name, amount in most.items():
            rest = max(amount - held.get(name, 0), 0)
            found[name] = min(found.get(name, rest), rest)
    return found


def _requested(said: str) -> str:
    """Returns the resource of which a line of a quota bounds the requests, "" when it bounds something else."""
    return said.removeprefix(_REQUESTS) if said.startswith(_REQUESTS) else said if said in _PLAIN else ""

"""What is remembered of gangs that had to give way: when they first asked, and how often they gave way. Pure.

It stands in the ledger, from before the first pod goes, so that it outlives both the pods and the scheduler.
"""

from collections.abc import Iterable

from corral.control.scheduling.crowd import Crowd, Known, lasting_name, owner_of
from corral.kinds.scheduling.concession import Past
from corral.kinds.scheduling.ledger import MOST_PASTS

_KEPT = 7 * 86400.0
"""Seconds for which a gang is remembered that has not given way since."""


def past_after(crowd: Crowd, pod: Known, arrived: float, now: float) -> Past | None:
    """Returns what is remembered of a gang that gives way now; None when nobody will make its pods anew."""
    owner, before = owner_of(pod), crowd.past_of(pod)
    if not owner:
        return None
    evictions = 1 if before is None else before.evictions + 1
    first = arrived if before is None else min(arrived, before.arrived)
    return Past(lasting_name(pod), owner, first, evictions, now)


def kept(pasts: Iterable[Past], now: float) -> tuple[Past, ...]:
    """Returns what is worth remembering: not too old, and not too much."""
    young = sorted((one for one in pasts if now - one.seen < _KEPT), key=lambda one: one.seen)
    return tuple(young[-MOST_PASTS:])

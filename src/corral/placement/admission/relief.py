"""What is done for a gang whose turn it is and that does not fit: others shrink, give way, or move, in this order."""

from collections.abc import Callable
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts
from corral.placement.admission.cycle import Eviction, Migration, Resizing, Terms
from corral.placement.admission.elastic import shrinking
from corral.placement.admission.ground import Ground, Promise, holds_of, seats_of
from corral.placement.admission.migration import move
from corral.placement.admission.order import Entry, Shapes, entry_of
from corral.placement.admission.victims import Sacrifice, Victim, candidates, sacrifice


class Relief(NamedTuple):
    """What others must do, and what is promised for it. It is in force already: the ground knows who leaves."""

    evictions: tuple[Eviction, ...] = ()
    resizings: tuple[Resizing, ...] = ()
    migrations: tuple[Migration, ...] = ()


class Means(NamedTuple):
    """With what relief may be brought."""

    terms: Terms
    entitled: Callable[[], dict[str, Amounts]]
    shapes: Shapes
    may_move: bool


def relieve(ground: Ground, entry: Entry, means: Means, now: float) -> Relief | None:
    """Makes room for a gang if that can be done, and returns what it takes; None when nothing helps."""
    if means.terms.resizes and ground.elastic:
        found = shrinking(ground, means.terms, entry, means.entitled(), now)
        if found is not None:
            return _shrunk(ground, entry, found, now)
    found = sacrifice(ground, entry, candidates(ground, means.terms, entry, means.entitled, now))
    if found is not None:
        return _evicted(ground, entry, found, now)
    return _moved(ground, entry, means, now) if means.may_move else None


def _shrunk(ground: Ground, entry: Entry, found: Sacrifice, now: float) -> Relief:
    resizings = []
    for victim in found.victims:
        was = len(ground.running[victim.uid].seats)
        leaving = tuple(seat.uid for seat in victim.seats)
        resizings.append(Resizing(victim.uid, was, was - len(leaving), leaving, entry.uid))
    _promise(ground, entry, found, now)
    return Relief(resizings=tuple(resizings))


def _evicted(ground: Ground, entry: Entry, found: Sacrifice, now: float) -> Relief:
    evictions = tuple(
        Eviction(one.uid, one.reason, _sentence(one, entry), entry.uid, one.lost) for one in found.victims
    )
    _promise(ground, entry, found, now)
    return Relief(evictions)


def _moved(ground: Ground, entry: Entry, means: Means, now: float) -> Relief | None:
    found = move(ground, means.terms, entry, now)
    if found is None:
        return None
    running = found.running
    claim = running.claim._replace(evictions=running.claim.evictions + 1)
    mover = entry_of(claim, "", means.shapes)
    ground.tell_to_leave(running.uid, running.seats)
    ground.promise(Promise(entry, seats_of(entry.claim.gang, found.plan), tuple(holds_of(running)), now))
    ground.promise(Promise(mover, seats_of(claim.gang, found.to), tuple(holds_of(running)), now, is_here=False))
    return Relief(migrations=(Migration(running.uid, found.to.seats, entry.uid, found.lost),))


def _promise(ground: Ground, entry: Entry, found: Sacrifice, now: float) -> None:
    for victim in found.victims:
        ground.tell_to_leave(victim.uid, victim.seats)
    ground.promise(Promise(entry, seats_of(entry.claim.gang, found.plan), tuple(ground.leaving.values()), now))


def _sentence(victim: Victim, entry: Entry) -> str:
    if victim.reason == "preempted":
        return f"{entry.uid} has a higher priority{f' in queue {victim.queue}' if victim.queue else ''}."
    lender = f"Queue {entry.kind.queue} takes" if entry.kind.queue else "Those in no queue take"
    borrower = f"queue {victim.queue} borrowed" if victim.queue else "a job in no queue uses"
    return f"{lender} back for {entry.uid} what {borrower}."

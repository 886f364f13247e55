"""Moving one gang that checkpoints so that another one fits: free GPUs are enough, but lie scattered.

A move costs work: what was done since the last checkpoint, and the stop itself. It is the last resort, and bounded: so many
placements must have happened for each.
"""

from typing import NamedTuple

from corral.placement.admission.claims import Running
from corral.placement.admission.cycle import Terms
from corral.placement.admission.ground import Given, Ground, seats_of
from corral.placement.admission.order import Entry
from corral.placement.admission.victims import lost_by, may_be_evicted
from corral.placement.asks import Gang, Plan

_MOST_TRIED = 24
"""Gangs for which a move is tried, the cheapest first."""


class Move(NamedTuple):
    """Who moves, where to, and where the gang goes for which it moves."""

    running: Running
    to: Plan
    plan: Plan
    lost: float


def move(ground: Ground, terms: Terms, entry: Entry, now: float) -> Move | None:
    """Returns the cheapest move of a single gang that lets another one start, None when none does."""
    if ground.lacking(entry.needs) or _is_coming(ground, entry):
        return None
    able = [
        (lost_by(one, terms, now), uid)
        for uid, one in ground.running.items()
        if one.claim.checkpoints and may_be_evicted(ground, one, terms, now)
    ]
    for lost, uid in sorted(able)[:_MOST_TRIED]:
        found = _tried(ground, entry, ground.running[uid])
        if found is not None:
            return Move(ground.running[uid], found[1], found[0], lost)
    return None


def _is_coming(ground: Ground, entry: Entry) -> bool:
    """Whether pods that leave already make the room. One that never goes, on a node that is lost, keeps nobody else from moving."""
    if not ground.leaving:
        return False
    with ground.settled():
        return isinstance(ground.room.plan(entry.claim.gang), Plan)


def _tried(ground: Ground, entry: Entry, running: Running) -> tuple[Plan, Plan] | None:
    gang = running.claim.gang
    given = Given(gang.queue, running.seats, ground.held(running.uid))
    with ground.without([given]):
        plan = ground.room.plan(entry.claim.gang)
        if not isinstance(plan, Plan):
            return None
        for seat, ask in seats_of(entry.claim.gang, plan):
            ground.room.hold(seat._replace(uid=f"moved-for/{seat.uid}"), ask)
        elsewhere = ground.room.plan(_as_it_runs(gang, running))
    return (plan, elsewhere) if isinstance(elsewhere, Plan) else None


def _as_it_runs(gang: Gang, running: Running) -> Gang:
    """Returns a gang of exactly the pods that run."""
    pods = {seat.uid for seat in running.seats}
    members = tuple(one._replace(held="") for one in gang.members if one.uid in pods)
    return gang._replace(members=members, minimum=len(members))

"""Where a whole gang goes: all that must and as many more as can, or nothing at all."""

from corral.placement.asks import Gang, Member, Plan, Refusal, Seat
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.choice import best_seat
from corral.placement.potentials.policies import Policy


def plan(fleet: Fleet, gang: Gang, policy: Policy) -> Plan | Refusal:
    """Returns the seats of the waiting members of a gang, or why there are none; the fleet is as before."""
    waiting = sorted((one for one in gang.members if not one.held), key=_size, reverse=True)
    missing = gang.minimum - (len(gang.members) - len(waiting))
    seats: list[Seat] = []
    with fleet.draft():
        for member in waiting:
            seat = best_seat(fleet, policy, member.uid, member.ask)
            if seat is not None:
                seats.append(seat)
                fleet.hold(seat, member.ask)
    if len(seats) < missing:
        sentence = f"{missing} pods must be placed together, and {len(seats)} fit"
        return Refusal(gang.uid, "does-not-fit", sentence, (("pods", missing),), (("pods", len(seats)),))
    return Plan(gang.uid, tuple(seats))


def _size(member: Member) -> tuple[int, int, int]:
    ask = member.ask
    return ask.gpu.total, ask.cpu, ask.memory

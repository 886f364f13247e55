"""One attempt to seat members on some rows, by one strategy; whoever does not fit is passed over.

`bundle` uses few nodes: first those that the gang is on already, then one that takes all who are left, else the roomiest. For pods of
one class no fewer nodes would do. `spread` takes at each step a node with the fewest members of the gang. Otherwise cost alone decides.
Seats are held in the fleet as they are found: the caller's draft undoes them.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from corral.placement.asks import Member, PodAsk, Seat
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.choice import best_seat, seat_on
from corral.placement.gangs.keeping import without_kept
from corral.placement.gangs.room import room
from corral.placement.potentials.policies import Policy
from corral.placement.potentials.table import NOWHERE, look

BUNDLE = "bundle"
SPREAD = "spread"


class Filling:
    """Seats one gang on rows of a fleet, member by member."""

    def __init__(self, fleet: Fleet, policy: Policy, strategy: str, used: Iterable[str] = ()) -> None:
        self._fleet = fleet
        self._policy = policy
        self._strategy = strategy
        self._used = np.zeros(fleet.columns.length, np.int64)
        """How many members each row has."""
        for name in used:
            row = fleet.row(name)
            if row is not None:
                self._used[row] += 1

    def fill(self, members: Sequence[Member], among: Bools | None) -> list[Seat]:
        """Returns seats for as many members as fit, in their order."""
        if self._strategy == BUNDLE:
            groups = groupby(members, key=lambda member: member.ask)
            return [seat for ask, group in groups for seat in self._bundled(ask, list(group), among)]
        return self._one_by_one(members, among)

    def _one_by_one(self, members: Iterable[Member], among: Bools | None) -> list[Seat]:
        seats = []
        for member in members:
            seat = self._spread(member, among) if self._strategy == SPREAD else self._cheapest(member, among)
            if seat is not None:
                seats.append(self._take(seat, member.ask))
        return seats

    def _cheapest(self, member: Member, among: Bools | None) -> Seat | None:
        return best_seat(self._fleet, self._policy, member.uid, member.ask, among)

    def _spread(self, member: Member, among: Bools | None) -> Seat | None:
        keys = look(self._fleet, self._policy, member.ask).keys
        fits = keys != NOWHERE if among is None else among & (keys != NOWHERE)
        for unkept in without_kept(self._fleet, self._policy, member.ask):
            here = fits if unkept is None else fits & unkept
            if here.any():
                fewest = here & (self._used == self._used[here].min())
                return best_seat(self._fleet, self._policy, member.uid, member.ask, fewest)
        return None

    def _bundled(self, ask: PodAsk, members: list[Member], among: Bools | None) -> list[Seat]:
        if ask.neighbours:
            return self._one_by_one(members, among)  # with each that is seated, others may have to go elsewhere
        seats: list[Seat] = []
        rooms = room(self._fleet, ask)
        if among is not None:
            rooms *= among
        while len(seats) < len(members):
            left = len(members) - len(seats)
            row, number = self._next(ask, rooms, left)
            if row is None:
                break
            before = len(seats)
            for member in members[before : before + number]:
                if ask.gpu.number > 1 and ask.gpu.is_share and not room(self._fleet, ask)[row]:
                    break  # its cheapest GPUs were not those that leave most room for the next
                seats.append(self._take(seat_on(self._fleet, self._policy, member.uid, ask, row), ask))
            rooms[row] -= number if len(seats) - before == number else rooms[row]
        return seats

    def _next(self, ask: PodAsk, rooms: Ints, left: int) -> tuple[int | None, int]:
        """Returns the row to go on with and how many it takes: where seats are kept for others, they are counted after each pod."""
        for unkept in without_kept(self._fleet, self._policy, ask):
            row = self._roomy(ask, rooms if unkept is None else rooms * unkept, left)
            if row is not None:
                return row, min(left, int(rooms[row])) if unkept is None else 1
        return None, 0

    def _roomy(self, ask: PodAsk, rooms: Ints, left: int) -> int | None:
        """Returns the row to go on with: one of the gang's own, one that takes all who are left, or the roomiest."""
        keys = look(self._fleet, self._policy, ask).keys
        for fits in ((self._used > 0) & (rooms >= left), rooms >= left, (self._used > 0) & (rooms > 0)):
            if fits.any():
                return int(np.where(fits, keys, NOWHERE).argmin())
        roomiest = rooms.max(initial=0)
        return int(np.where(rooms == roomiest, keys, NOWHERE).argmin()) if roomiest > 0 else None

    def _take(self, seat: Seat, ask: PodAsk) -> Seat:
        self._fleet.hold(seat, ask)
        row = self._fleet.row(seat.node)
        if row is not None:
            self._used[row] += 1
        return seat

"""Where a whole gang goes: all that must and as many more as can, or nothing at all.

Pods of one class are placed whenever they can be, in every domain. For a gang of several classes that is a packing problem: members are
tried largest first, then in other orders, at last packed tightly with those first who found no seat. A gang may be refused which an
exhaustive search would place; docs/critiques.md says how often.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from corral.placement.asks import Gang, Member, Plan, PodAsk, Refusal, Seat
from corral.placement.fleet.columns import Bools
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.choice import best_seat
from corral.placement.gangs.domains import counted, fullest_first, roomiest_first
from corral.placement.gangs.filling import Filling
from corral.placement.gangs.refusals import refused, short_refusal
from corral.placement.gangs.room import room
from corral.placement.potentials.policies import Policy

_ORDERS: tuple[Callable[[Member], tuple[int, int, int, PodAsk]], ...] = (
    lambda member: (-member.ask.gpu.total, -member.ask.cpu, -member.ask.memory, member.ask),
    lambda member: (-member.ask.cpu, -member.ask.gpu.total, -member.ask.memory, member.ask),
    lambda member: (-member.ask.memory, -member.ask.gpu.total, -member.ask.cpu, member.ask),
)

_EMPTIEST = {"weights": (("emptiest", 1.0),), "inside": ()}
_TIGHTEST = {"weights": (("leftover", 1.0),), "inside": (("tightest", 1.0),)}
_TURNS = 5
_MOST_SEATED = 256
"""How many pods are seated in vain for one order, so that a large gang of several classes costs no seconds."""


def plan(fleet: Fleet, gang: Gang, policy: Policy, *, explain: bool = True) -> Plan | Refusal:
    """Returns the seats of the waiting members of a gang, or why there are none; the fleet is as before.

    Without `explain` a refusal says how many fit and nothing about why but for seats that are kept, which is cheaper.
    """
    if gang.takes_kept and policy.keeping is not None:
        policy = msgspec.structs.replace(policy, keeping=None)
    waiting = [member for member in gang.members if not member.held]
    missing = gang.minimum - (len(gang.members) - len(waiting))
    if not waiting or missing > len(waiting):
        return Plan(gang.uid, ()) if missing <= 0 else short_refusal(gang, missing, len(waiting))
    if len(gang.members) == 1 and not gang.within:
        seat = best_seat(fleet, policy, waiting[0].uid, waiting[0].ask)
        if seat is not None:
            return Plan(gang.uid, (seat,))
        return refused(fleet, gang, waiting, 1, 0, policy, explain=explain)
    planning = _Planning(fleet, gang, policy, waiting, max(missing, 1))
    seats = planning.seats()
    if len(seats) >= max(missing, 1):
        return Plan(gang.uid, tuple(seats))
    return refused(fleet, gang, waiting, max(missing, 1), max(len(seats), planning.at_most), policy, explain=explain)


class _Planning:
    """The search for seats of one gang."""

    def __init__(self, fleet: Fleet, gang: Gang, policy: Policy, waiting: Sequence[Member], missing: int) -> None:
        self._fleet = fleet
        self._gang = gang
        self._policy = policy
        self._waiting = waiting
        self._missing = missing
        self._wanted = Counter(member.ask for member in waiting)
        self._held = [member.held for member in gang.members if member.held]
        self.at_most = 0
        """How many can fit, counted class by class, where fewer do than must."""

    def seats(self) -> list[Seat]:
        """Returns the seats of the most members found, fewer than must be when no way was found for those."""
        best: list[Seat] = []
        for among in self._places():
            if not self._may_fit(among):
                continue
            for members, policy in self._orders():
                found = self._attempt(members, policy, among)
                if len(found) > len(best):
                    best = found
                if len(best) == len(self._waiting):
                    return best
            if len(best) < self._missing and len(self._wanted) > 1:
                best = max(best, self._packed(among), key=len)
            if len(best) >= self._missing:
                return best
        return best

    def _packed(self, among: Bools | None) -> list[Seat]:
        """Returns the seats of the most members that were found by packing tightly, whatever was preferred.

        Whoever found no seat comes first the next time.
        """
        best: list[Seat] = []
        tightest = msgspec.structs.replace(self._policy, **_TIGHTEST)
        turns = max(1, min(_TURNS, _MOST_SEATED // len(self._waiting)))
        for order in _ORDERS:
            members = sorted(self._waiting, key=order)
            for _ in range(turns):
                with self._fleet.draft():
                    found = Filling(self._fleet, tightest, "", self._held).fill(members, among)
                if len(found) > len(best):
                    best = found
                if len(best) >= self._missing:
                    return best
                seated = {seat.uid for seat in found}
                members.sort(key=lambda member: member.uid in seated)
        return best

    def _places(self) -> Iterator[Bools | None]:
        """Yields the rows that the gang may share, best first: everywhere, or one domain after another."""
        level = self._gang.within
        if not level:
            yield None
            return
        domains = counted(self._fleet, level, self._wanted, 1, self._beside_held(level))
        self.at_most = max((fits for _, fits in domains), default=0)
        yield from (among for among, fits in domains if fits >= self._missing)

    def _beside_held(self, level: str) -> Bools | None:
        """The rows of the domains where members are already, if any are: the others must join them."""
        if not self._held:
            return None
        domain, _ = self._fleet.domains(level)
        rows = [row for row in map(self._fleet.row, self._held) if row is not None]
        return np.asarray(np.isin(domain, domain[rows]) & (domain >= 0))

    def _may_fit(self, among: Bools | None) -> bool:
        fits = 0
        for ask, count in self._wanted.items():
            rooms = room(self._fleet, ask)
            fits += min(count, int(rooms.sum() if among is None else rooms[among].sum()))
        if fits < self._missing:
            self.at_most = max(self.at_most, fits)
        return fits >= self._missing

    def _orders(self) -> Iterator[tuple[list[Member], Policy]]:
        """Yields orders in which to seat members and what chooses among places, until one of them seats all who must be."""
        orders = _ORDERS if len(self._wanted) > 1 else _ORDERS[:1]
        for order in orders:
            yield sorted(self._waiting, key=order), self._policy
        if any(ask.gpu.number > 1 and ask.gpu.is_share for ask in self._wanted):
            # The cheapest GPUs for several shares may leave fewer pairs to the next pod than the emptiest do.
            yield sorted(self._waiting, key=_ORDERS[0]), msgspec.structs.replace(self._policy, **_EMPTIEST)
        if self._missing < len(self._waiting) and len(self._wanted) > 1:
            # Not all fit: those named first must, and the rest may follow.
            first, rest = self._waiting[: self._missing], self._waiting[self._missing :]
            yield [*sorted(first, key=_ORDERS[0]), *rest], self._policy

    def _attempt(self, members: Sequence[Member], policy: Policy, among: Bools | None) -> list[Seat]:
        strategy = self._gang.strategy or self._policy.strategy
        with self._fleet.draft():
            filling = Filling(self._fleet, policy, strategy, self._held)
            return self._near(filling, members, among) if self._gang.near else filling.fill(members, among)

    def _near(self, filling: Filling, members: Sequence[Member], among: Bools | None) -> list[Seat]:
        """Seats members in as few domains of the preferred level as it finds, and where there is none anywhere."""
        seats: list[Seat] = []
        left = list(members)
        beside = self._beside_held(self._gang.near)
        for _ in range(len(members) + 1):
            if beside is None:
                wanted = Counter(member.ask for member in left)
                domains = fullest_first(self._fleet, self._gang.near, wanted, len(left), among)
                domains = domains or roomiest_first(self._fleet, self._gang.near, left[0].ask, among)
                found = filling.fill(left, domains[0]) if domains else []
            else:
                found = filling.fill(left, beside if among is None else beside & among)
            seats += found
            seated = {seat.uid for seat in found}
            left = [member for member in left if member.uid not in seated]
            if not left or not (found or beside is not None):
                break
            beside = None
        return seats + filling.fill(left, among) if left else seats

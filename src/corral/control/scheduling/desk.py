"""Whom the scheduler asks whose turn it is, and what it asks of whoever answers.

`FirstComeDesk` knows no queues: the more important first, then the older; a gang that does not fit lets others pass.
"""

from bisect import insort
from collections.abc import Hashable
from typing import NamedTuple, Protocol

from corral.control.scheduling.room import FleetRoom
from corral.placement.asks import Gang, Plan, PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer

_Turn = tuple[int, float, str]


class Claim(NamedTuple):
    """A gang that wants to start, or pods of one that may follow those that did."""

    gang: Gang
    arrived: float
    """When it first asked, also when it was evicted since."""
    namespace: str = ""
    most: int = 0
    """How many pods it can use; 0 when it keeps its size."""
    checkpoints: bool = False
    """Whether it goes on where it was after it was stopped, and somebody makes its pods anew: then it may be moved."""
    is_preemptible: bool = True
    evictions: int = 0
    """How often it had to give way before."""

    @property
    def uid(self) -> str:
        """Returns the uid of its gang."""
        return self.gang.uid


class Seated(NamedTuple):
    """A gang that has its seats, whether its pods have started yet or not."""

    claim: Claim
    seats: tuple[Seat, ...]
    started: float
    leaving: frozenset[str] = frozenset()
    """Those of its pods that were told to go, or are going."""


class Admitted(NamedTuple):
    """A gang, or more pods of one, that may start now. Its seats are held from now on."""

    plan: Plan
    claim: Claim


class Cycle(NamedTuple):
    """What a cycle decided."""

    admitted: tuple[Admitted, ...] = ()
    refused: tuple[Refusal, ...] = ()
    """Why gangs cannot start, where the reason is another one than was last told."""
    is_complete: bool = True
    """Whether everybody had their turn who may fit."""


class Desk(Protocol):
    """Decides who may start; told everything that comes and goes."""

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""

    def remove_node(self, name: str) -> None:
        """Takes a node away; what is held on it stays noted until it is said to have left."""

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound."""

    def vacate(self, uid: str) -> None:
        """Notes that such a pod is gone."""

    def wait(self, claim: Claim) -> None:
        """Lets a gang stand in line, or replaces what was known of it; what it holds stays."""

    def seat(self, seated: Seated) -> None:
        """Notes which seats a gang has, in place of those it had."""

    def leave(self, uid: str) -> None:
        """Notes that a gang has no seat any more."""

    def forget(self, uid: str) -> None:
        """Takes a gang out of the line; what it holds stays."""

    def cycle(self, now: float, most: int) -> Cycle:
        """Decides who may start now, at most so many gangs."""


class FirstComeDesk:
    """Priority, then age; nobody is held back for anybody."""

    def __init__(self, room: FleetRoom) -> None:
        self.room = room
        self._line: dict[str, Claim] = {}
        self._turns: list[_Turn] = []
        """Those of the line that may fit, in order: new ones, and all after something was given back."""
        self._seats: dict[str, tuple[Seat, ...]] = {}
        self._refused: dict[Hashable, Refusal] = {}
        self._told: dict[str, Refusal] = {}
        self._has_hope = False

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""
        self.room.put(offer)
        self._hope()

    def remove_node(self, name: str) -> None:
        """Takes a node away."""
        self.room.remove(name)
        self._hope()  # the reasons count nodes

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound."""
        self.room.hold(seat, ask)

    def vacate(self, uid: str) -> None:
        """Notes that such a pod is gone."""
        if uid in self.room.fleet.holds:
            self.room.release(uid)
            self._hope()

    def wait(self, claim: Claim) -> None:
        """Lets a gang stand in line."""
        if self._line.get(claim.uid) != claim:
            self._line[claim.uid] = claim
            insort(self._turns, _turn(claim))

    def seat(self, seated: Seated) -> None:
        """Notes which seats a gang has."""
        uid, asks = seated.claim.uid, {one.uid: one.ask for one in seated.claim.gang.members}
        kept = {seat.uid for seat in seated.seats}
        for seat in self._seats.get(uid, ()):
            if seat.uid not in kept:
                self.vacate(seat.uid)
        for seat in seated.seats:
            self.room.hold(seat, asks[seat.uid])
        self._seats[uid] = seated.seats

    def leave(self, uid: str) -> None:
        """Notes that a gang has no seat any more."""
        for seat in self._seats.pop(uid, ()):
            self.vacate(seat.uid)

    def forget(self, uid: str) -> None:
        """Takes a gang out of the line."""
        self._line.pop(uid, None)
        self._told.pop(uid, None)

    def cycle(self, now: float, most: int) -> Cycle:
        """Decides who may start now; the time changes nothing here."""
        admitted: list[Admitted] = []
        refused: list[Refusal] = []
        if self._has_hope:
            self._has_hope = False
            self._turns = sorted(map(_turn, self._line.values()))
        done = 0
        for turn in self._turns:
            if len(admitted) >= most:
                break
            done += 1
            claim = self._line.get(turn[-1])
            if claim is None or _turn(claim) != turn:
                continue  # it went, or has another place in line by now
            answer = self._answer(claim.gang)
            if isinstance(answer, Plan):
                self._admit(claim, answer)
                admitted.append(Admitted(answer, claim))
            elif self._told.get(claim.uid) != answer:
                self._told[claim.uid] = answer
                refused.append(answer)
        del self._turns[:done]
        return Cycle(tuple(admitted), tuple(refused), is_complete=not self._turns)

    def _answer(self, gang: Gang) -> Plan | Refusal:
        if len(gang.members) < gang.minimum:
            there = len(gang.members)
            sentence = f"{there} of the {gang.minimum} pods that must start together are there."
            return Refusal(gang.uid, "members-missing", sentence, (("pods", gang.minimum),), (("pods", there),))
        shape = _shape(gang)
        known = self._refused.get(shape)
        answer = known._replace(gang=gang.uid) if known is not None else self.room.plan(gang)
        if isinstance(answer, Refusal):
            self._refused[shape] = answer
        return answer

    def _admit(self, claim: Claim, answer: Plan) -> None:
        self._line.pop(claim.uid, None)
        self._told.pop(claim.uid, None)
        asks = {one.uid: one.ask for one in claim.gang.members}
        for seat in answer.seats:
            self.room.hold(seat, asks[seat.uid])
        self._seats[claim.uid] = (*self._seats.get(claim.uid, ()), *answer.seats)

    def _hope(self) -> None:
        """Lets everybody be looked at again: there may be more room than before."""
        self._refused.clear()
        self._has_hope = True


def _turn(claim: Claim) -> _Turn:
    return -claim.gang.priority, claim.arrived, claim.uid


def _shape(gang: Gang) -> Hashable:
    """Returns what decides where a gang can go; gangs of one shape go or do not go alike."""
    counts: dict[PodAsk, int] = {}
    for one in gang.members:
        if not one.held:
            counts[one.ask] = counts.get(one.ask, 0) + 1
    held = tuple(sorted((one.held, one.ask) for one in gang.members if one.held))
    return tuple(sorted(counts.items())), gang.minimum, gang.strategy, gang.within, gang.near, held

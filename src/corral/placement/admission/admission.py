"""The desk at which gangs ask for admission: it is told what comes and goes, and decides in cycles.

    desk = Admission(room)
    desk.put_node(offer)
    desk.put_queue(QueueTerms("research", guarantee=(("gpu", 16_000),)))
    desk.wait(Waiting(gang, arrived=now))
    cycle = desk.cycle(now)     # what it admits is held in the room from now on
    desk.leave(gang.uid)        # it ended, or was deleted, or could not be started after all

Nothing here asks the time or the world: the same calls lead to the same decisions. A cycle costs what changed: a class of gangs
that did not fit is not tried again before something was given back.
"""

from corral.placement.admission.amounts import (
    Amounts,
    add,
    amounts_of_node,
    amounts_of_pod,
    amounts_of_pods,
    lacking,
    pairs,
    subtract,
)
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Admitted, Cycle, Terms
from corral.placement.admission.order import Entry, Line, Shape, entry_of
from corral.placement.admission.queues import Queues, QueueTerms
from corral.placement.admission.quota import Supply, lack_of
from corral.placement.admission.room import NodeRoom
from corral.placement.admission.turns import Turns
from corral.placement.admission.verdicts import quota_refusal, room_refusal, too_few_members
from corral.placement.asks import Plan, PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer


class Admission:
    """Who waits, who runs, which queues there are, and the room of all of them."""

    def __init__(self, room: NodeRoom, terms: Terms | None = None) -> None:
        self.terms = terms or Terms()
        self.room = room
        self.queues = Queues()
        self.line = Line(self.terms.patience)
        self.running: dict[str, Running] = {}
        self._nodes: dict[str, Amounts] = {}
        self._supply = Supply({}, {})
        self._others: dict[str, Amounts] = {}
        self._refused: dict[Shape, Refusal] = {}
        self._told: dict[str, Refusal] = {}

    # --- what is heard ---

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""
        self.room.put(offer)
        subtract(self._supply.capacity, self._nodes.get(offer.name, {}))
        self._nodes[offer.name] = amounts_of_node(offer)
        add(self._supply.capacity, self._nodes[offer.name])
        self._refused.clear()

    def remove_node(self, name: str) -> None:
        """Takes a node away; what is held on it stays noted until it is said to have left."""
        self.room.remove(name)
        subtract(self._supply.capacity, self._nodes.pop(name, {}))

    def put_queue(self, terms: QueueTerms) -> None:
        """Adds or replaces a queue."""
        self.queues.put(terms)
        for entry in self.line:
            if entry.claim.gang.queue == terms.name:
                self.wait(entry.claim)

    def remove_queue(self, name: str) -> None:
        """Takes a queue away; its gangs wait until it is there again."""
        self.queues.remove(name)

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound; it counts as room that is taken, for no queue."""
        self.vacate(seat.uid)
        self.room.hold(seat, ask)
        self._others[seat.uid] = amounts_of_pod(ask)
        add(self._supply.occupied, self._others[seat.uid])

    def vacate(self, uid: str) -> None:
        """Notes that a pod that somebody else bound is gone."""
        amounts = self._others.pop(uid, None)
        if amounts is not None:
            self.room.release(uid)
            subtract(self._supply.occupied, amounts)
            self._refused.clear()

    def wait(self, claim: Waiting) -> None:
        """Lets a gang stand in line, or replaces what was known of it."""
        terms = self.queues.terms(claim.gang.queue)
        self.line.put(entry_of(claim, terms.strategy), terms.order)

    def run(self, running: Running) -> None:
        """Notes a gang that has seats already: seen after a restart, or with more seats than before."""
        self.leave(running.uid)
        self.running[running.uid] = running
        asks = {one.uid: one.ask for one in running.claim.gang.members}
        for seat in running.seats:
            self.room.hold(seat, asks[seat.uid])
        self.queues.take(running.claim.gang.queue, _held(running))

    def leave(self, uid: str) -> None:
        """Notes that a gang is gone, from the line or from its seats; one that is not there is no error."""
        self.line.remove(uid)
        self._told.pop(uid, None)
        running = self.running.pop(uid, None)
        if running is not None:
            for seat in running.seats:
                self.room.release(seat.uid)
            self.queues.give_back(running.claim.gang.queue, _held(running))
            self._refused.clear()

    # --- what is decided ---

    def cycle(self, now: float, most: int = 0) -> Cycle:
        """Decides who may start now: as many gangs as can, or at most so many."""
        self.line.wake(now)
        turns = Turns(self.line, self.queues, self._supply.capacity)
        admitted: list[Admitted] = []
        refused: list[Refusal] = []
        while (entry := turns.next()) and not (most and len(admitted) >= most):
            answer = self._answer(entry)
            if isinstance(answer, Plan):
                admitted.append(self._admit(entry, answer, now))
                turns.took(entry)
            else:
                turns.put_off(entry)
                if self._told.get(entry.claim.uid) != answer:
                    self._told[entry.claim.uid] = answer
                    refused.append(answer)
        return Cycle(tuple(admitted), tuple(refused))

    def _answer(self, entry: Entry) -> Plan | Refusal:
        gang = entry.claim.gang
        if len(gang.members) < gang.minimum:
            return too_few_members(gang)
        lack = lack_of(self.queues, self._supply, gang.queue, entry.needs)
        if lack is not None:
            return quota_refusal(gang, lack)
        return self._planned(entry)

    def _planned(self, entry: Entry) -> Plan | Refusal:
        shape = entry.kind.shape
        if shape in self._refused:
            return self._refused[shape]._replace(gang=entry.claim.uid)
        used = self.queues.used("")
        free = {one: self._supply.free(one, used.get(one, 0)) for one in entry.needs}
        answer = (
            room_refusal(entry.claim.gang, pairs(entry.needs), pairs(free))
            if lacking(entry.needs, free)
            else self.room.plan(entry.claim.gang)
        )
        if isinstance(answer, Refusal):
            self._refused[shape] = answer
        return answer

    def _admit(self, entry: Entry, plan: Plan, now: float) -> Admitted:
        claim = entry.claim
        self.run(Running(claim, plan.seats, now))
        return Admitted(plan, claim.gang.queue, now - claim.arrived)


def _held(running: Running) -> Amounts:
    asks = {one.uid: one.ask for one in running.claim.gang.members}
    return amounts_of_pods(asks[one.uid] for one in running.seats)

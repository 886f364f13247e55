"""The desk at which gangs ask for admission: it is told what comes and goes, and decides in cycles.

    desk = Admission(FleetRoom(fleet, policy))
    desk.put_node(offer)
    desk.put_queue(QueueTerms("research", guarantee=(("gpu", 16_000),)))
    desk.wait(Waiting(gang, arrived=now))
    cycle = desk.cycle(now)     # what it admits is held in the room from now on
    desk.leave(gang.uid)        # it ended, or was deleted, or could not be started after all

Nothing here asks the time or the world: the same calls lead to the same decisions. A cycle costs what changed: a class of gangs
that did not fit is not tried again before something was given back.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts, add, subtract
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Cycle, Terms
from corral.placement.admission.ground import Ground
from corral.placement.admission.memory import Memory
from corral.placement.admission.order import Entry, Line, Order, Shapes, entry_of
from corral.placement.admission.queues import QueueTerms
from corral.placement.admission.room import NodeRoom
from corral.placement.admission.round import Round, order_of
from corral.placement.admission.verdicts import making_room
from corral.placement.asks import PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer


class QueueStanding(NamedTuple):
    """How a queue stands."""

    used: Amounts
    """What its gangs, and those of queues below, hold."""
    wanted: Amounts
    """What its own gangs that wait need to start."""
    running: int
    """How many of its own gangs have seats."""
    waiting: int


class Admission:
    """Who waits, who runs, which queues there are, and the room of all of them."""

    def __init__(self, room: NodeRoom, terms: Terms | None = None) -> None:
        self.terms = terms or Terms()
        self.ground = Ground(room)
        self.line = Line()
        self._shapes = Shapes()
        self._memory = Memory()

    # --- what is heard ---

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""
        self.ground.put_node(offer)

    def remove_node(self, name: str) -> None:
        """Takes a node away; what is held on it stays noted until it is said to have left."""
        self.ground.remove_node(name)

    def put_queue(self, terms: QueueTerms) -> None:
        """Adds or replaces a queue."""
        self.ground.queues.put(terms)
        for entry in self.line:
            if entry.kind.queue == terms.name:
                self.line.put(self._entry(entry.claim), self._order(terms.name))
        self.ground.freed += 1

    def remove_queue(self, name: str) -> None:
        """Takes a queue away; its gangs wait until it is there again."""
        self.ground.queues.remove(name)
        self.ground.freed += 1

    def put_namespace(self, name: str, free: Mapping[str, int]) -> None:
        """Says what the quota of a namespace leaves for pods that do not exist yet; resources that are not named have no bound."""
        self.ground.namespaces[name] = dict(free)

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound; it counts as room that is taken, for no queue."""
        self.ground.occupy(seat, ask)

    def vacate(self, uid: str) -> None:
        """Notes that a pod that somebody else bound is gone."""
        self.ground.vacate(uid)

    def reconsider(self) -> None:
        """Lets everybody be tried again: the room answers by other rules than before."""
        self.ground.freed += 1

    def wait(self, claim: Waiting) -> None:
        """Lets a gang stand in line, or replaces what was known of it; one that runs has its further pods wait."""
        running = self.ground.running.get(claim.uid)
        if running is not None:
            claim = _following(running, claim)
            if all(one.held for one in claim.gang.members):
                return
        entry = self._entry(claim)
        self._memory.doubt(claim.uid)
        promise = self.ground.promises.get(claim.uid)
        if promise is not None:
            self.ground.promises[claim.uid] = promise._replace(entry=entry, is_here=True)
        else:
            self.line.put(entry, self._order(claim.gang.queue))

    def run(self, running: Running) -> None:
        """Notes a gang that has seats: seen after a restart, or with more or fewer seats than before."""
        self.line.remove(running.uid)
        self._memory.forget(running.uid)
        promise = self.ground.promises.get(running.uid)
        if promise is not None and promise.is_here:
            self.ground.withdraw(running.uid)  # one that moves keeps what is promised to it, until it is back
        self.ground.seat(running)

    def told_to_leave(self, uid: str, pods: Collection[str]) -> None:
        """Notes which pods of a gang that runs are to leave, in place of those that were: seen after a restart, or changed since.

        Room that was promised where somebody stays after all is promised no more.
        """
        stay = self.ground.expect_to_leave(uid, pods)
        for gang, promise in tuple(self.ground.promises.items()):
            if any(hold.seat.uid in stay for hold in promise.going):
                self.ground.withdraw(gang)
                if promise.is_here:
                    self.line.put(promise.entry, self._order(promise.entry.kind.queue))

    def forget(self, uid: str) -> None:
        """Takes a gang out of the line; what it holds stays."""
        self.line.remove(uid)
        self._memory.forget(uid)
        promise = self.ground.promises.get(uid)
        if promise is not None and promise.is_here:
            self.ground.withdraw(uid)

    def unseat(self, uid: str) -> None:
        """Notes that a gang has no seat any more; it may still stand in line."""
        self.ground.unseat(uid)

    def leave(self, uid: str) -> None:
        """Notes that a gang is gone, from the line or from its seats; one that is not there is no error."""
        self.forget(uid)
        self.unseat(uid)

    # --- what is decided ---

    def cycle(self, now: float, most: int = 0) -> Cycle:
        """Decides who may start now, and who must give way: for as many gangs as can be, or for so many at most."""
        return Round(self.ground, self.line, self._memory, self.terms, self._shapes).decide(now, most)

    def refusal(self, uid: str) -> Refusal | None:
        """Returns why a gang of the line does not start, as was last found for its class; None when nobody has looked yet."""
        promise, entry = self.ground.promises.get(uid), self.line.get(uid)
        if promise is not None and promise.is_here:
            return making_room(promise.entry.claim.gang)
        if entry is None:
            return None
        found = self._memory.of_class.get(entry.kind)
        return None if found is None else found._replace(gang=uid)

    def place(self, uid: str) -> tuple[int, int] | None:
        """Returns which place a gang has in the line of its queue, from 1, and how many stand there; None when it stands in none."""
        entry = self.line.get(uid)
        if entry is None:
            return None
        before = self.line.before(entry)
        return before + 1, self.line.length(entry.kind.queue)

    def standing(self, queue: str) -> QueueStanding:
        """Returns what the gangs of a queue have and want now."""
        coming = [one.entry for one in self.ground.promises.values() if one.is_here and one.entry.kind.queue == queue]
        used, wanted = dict(self.ground.queues.used(queue)), dict(self.line.wanted(queue))
        for promise in self.ground.promises.values():
            if queue in self.ground.queues.path(promise.entry.kind.queue):
                subtract(used, promise.entry.needs)  # what is kept for it nobody has yet
        for entry in coming:
            add(wanted, entry.needs)
        running = len(self.ground.running_in(queue))
        return QueueStanding(used, wanted, running, self.line.length(queue) + len(coming))

    def _order(self, queue: str) -> Order:
        return order_of(self.ground.queues.terms(queue), self.terms)

    def _entry(self, claim: Waiting) -> Entry:
        return entry_of(claim, self.ground.queues.terms(claim.gang.queue).strategy, self._shapes)


def _following(running: Running, claim: Waiting) -> Waiting:
    nodes = {seat.uid: seat.node for seat in running.seats}
    members = tuple(one._replace(held=nodes.get(one.uid, "")) for one in claim.gang.members)
    return claim._replace(gang=claim.gang._replace(members=members))

"""What there is and who has it: nodes, queues with what is used of them, gangs with seats, pods of others, promises."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from corral.placement.admission.amounts import (
    CPU,
    MEMORY,
    Amounts,
    add,
    amounts_of_node,
    amounts_of_pod,
    lacking,
    subtract,
)
from corral.placement.admission.claims import Running
from corral.placement.admission.order import Entry
from corral.placement.admission.queues import Queues
from corral.placement.admission.room import NodeRoom
from corral.placement.admission.wedges import Hold, wedges_of
from corral.placement.asks import Gang, Plan, PodAsk, Seat
from corral.placement.offers import NodeOffer


class Given(NamedTuple):
    """What is taken from a gang, or would be: some of its seats."""

    queue: str
    seats: tuple[Seat, ...]
    amounts: Amounts


class Promise(NamedTuple):
    """Room that is made for a gang: it starts when all pods that go have gone."""

    entry: Entry
    seats: tuple[Hold, ...]
    going: tuple[Hold, ...]
    made: float
    wedges: tuple[Hold, ...] = ()
    """What of the seats is free already and kept."""
    is_here: bool = True
    """Whether the gang waits; one that moves has to stop and to come back first."""


class Ground:
    """The room and the books that are kept over it; `freed` counts how often something was given back."""

    def __init__(self, room: NodeRoom) -> None:
        self.room = room
        self.queues = Queues()
        self.running: dict[str, Running] = {}
        self.elastic: dict[str, None] = {}
        """Those of them that may shrink and grow."""
        self.evicted: dict[str, None] = {}
        """Gangs that were told to leave and have not left yet."""
        self.leaving: dict[str, Hold] = {}
        """Pods that were told to leave and have not left yet, of those gangs and of gangs that shrink."""
        self.promises: dict[str, Promise] = {}
        """By gang, in the order in which they were made."""
        self.namespaces: dict[str, Amounts] = {}
        """What the quota of a namespace leaves of each resource that it bounds."""
        self.capacity: Amounts = {}
        """What all open nodes together have."""
        self.left: Amounts = {}
        """What all open nodes together have left."""
        self.freed = 0
        self.changed = 0
        """Counts how often there was more, or something else, for gangs to share: nodes, and pods of others that went."""
        self._nodes: dict[str, Amounts] = {}
        self._held_on: dict[str, Amounts] = {}
        self._others: dict[str, Hold] = {}
        self._held: dict[str, Amounts] = {}
        self._in: dict[str, dict[str, None]] = {}

    # --- nodes and pods of others ---

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node; one that is closed counts for nothing, and neither does what is held on it."""
        self.room.put(offer)
        self._set_node(offer.name, amounts_of_node(offer))

    def remove_node(self, name: str) -> None:
        """Takes a node away; what is held on it stays noted until it is said to have left."""
        self.room.remove(name)
        self._set_node(name, {})

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound."""
        self.vacate(seat.uid)
        self._others[seat.uid] = Hold(seat, ask)
        self._take(Hold(seat, ask))

    def vacate(self, uid: str) -> None:
        """Notes that a pod that somebody else bound is gone."""
        hold = self._others.pop(uid, None)
        if hold is not None:
            self._release(hold)
            self.freed += 1
            self.changed += 1

    # --- gangs with seats ---

    def seat(self, running: Running) -> None:
        """Notes a gang that has seats, in place of what was known of it."""
        pods = {seat.uid for seat in running.seats}
        leaving = {uid: hold for uid, hold in self.leaving.items() if uid in pods}
        was_evicted = running.uid in self.evicted
        before = self.running.get(running.uid)
        asked = {hold.seat.uid: hold.ask for hold in holds_of(before)} if before is not None else {}
        if any(asked.get(hold.seat.uid, hold.ask) != hold.ask for hold in holds_of(running)):
            self.freed += 1  # a pod that is resized may ask for less
        self.unseat(running.uid, but=pods)
        self.running[running.uid] = running
        for hold in holds_of(running):
            self._take(hold)
        if running.claim.most:
            self.elastic[running.uid] = None
        self._held[running.uid] = running.held
        self.queues.take(running.claim.gang.queue, self._held[running.uid])
        self._in.setdefault(running.claim.gang.queue, {})[running.uid] = None
        self.leaving.update(leaving)
        if was_evicted:
            self.evicted[running.uid] = None

    def unseat(self, uid: str, but: Collection[str] = ()) -> Running | None:
        """Notes that a gang is gone, and returns what it was; some pods may stay, with what is noted next."""
        running = self.running.pop(uid, None)
        if running is None:
            return None
        self.evicted.pop(uid, None)
        self.elastic.pop(uid, None)
        for hold in holds_of(running):
            self._release(hold)
            self.leaving.pop(hold.seat.uid, None)
        self.queues.give_back(running.claim.gang.queue, self._held.pop(uid))
        del self._in[running.claim.gang.queue][uid]
        gone = {seat.uid for seat in running.seats if seat.uid not in but}
        if gone:
            self._went(gone)
            self.freed += 1
        return running

    def held(self, uid: str) -> Amounts:
        """Returns what the pods of a gang hold; not to be changed."""
        return self._held.get(uid, {})

    def held_by_others(self, resource: str) -> int:
        """Returns how much pods hold that somebody else bound, on nodes that count."""
        held = (hold.ask for hold in self._others.values() if hold.seat.node in self._nodes)
        return sum(amounts_of_pod(ask).get(resource, 0) for ask in held)

    def running_in(self, queue: str) -> list[Running]:
        """Returns the gangs of a queue that have seats, without those of queues below."""
        return [self.running[uid] for uid in self._in.get(queue, ())]

    def queues_running(self) -> list[str]:
        """Returns the queues of which gangs have seats, sorted."""
        return sorted(name for name, gangs in self._in.items() if gangs)

    def tell_to_leave(self, uid: str, seats: Iterable[Seat]) -> None:
        """Notes that pods of a gang were told to leave; all of them when the whole gang was."""
        running = self.running[uid]
        chosen = {seat.uid for seat in seats}
        self.leaving.update({one.seat.uid: one for one in holds_of(running) if one.seat.uid in chosen})
        if len(chosen) == len(running.seats):
            self.evicted[uid] = None

    def expect_to_leave(self, uid: str, pods: Collection[str]) -> frozenset[str]:
        """Notes which pods of a gang are to leave, in place of those that were; returns those that stay after all."""
        running = self.running.get(uid)
        if running is None:
            return frozenset()
        stay = frozenset(seat.uid for seat in running.seats if seat.uid in self.leaving and seat.uid not in pods)
        for one in stay:
            del self.leaving[one]
        if stay:
            self.evicted.pop(uid, None)
        leaving = [seat for seat in running.seats if seat.uid in pods]
        if leaving:
            self.tell_to_leave(uid, leaving)
        return stay

    # --- promises ---

    def promise(self, promise: Promise) -> None:
        """Keeps room for a gang until the pods that go have gone, in the room and in the quota of its queue."""
        self.withdraw(promise.entry.uid)
        self.promises[promise.entry.uid] = self._wedged(promise)
        self.queues.take(promise.entry.kind.queue, promise.entry.needs)

    def withdraw(self, uid: str) -> Promise | None:
        """Takes a promise back, and returns what it was."""
        promise = self.promises.pop(uid, None)
        if promise is not None:
            for wedge in promise.wedges:
                self._release(wedge)
            self.queues.give_back(promise.entry.kind.queue, promise.entry.needs)
            self.freed += 1
        return promise

    # --- what would be ---

    def lacking(self, needs: Amounts) -> Amounts:
        """Returns what all nodes together have too little of, as far as that is certain.

        Only devices are looked at: a node may have promised more cores and memory than it has, and what it lacks there another
        one does not lack.
        """
        certain = {name: amount for name, amount in needs.items() if name not in (CPU, MEMORY)}
        return lacking(certain, {name: max(self.left.get(name, 0), 0) for name in certain})

    def give_back(self, one: Given) -> None:
        """Lets the books count without some amounts, until they are taken again."""
        self.queues.give_back(one.queue, one.amounts)
        add(self.left, one.amounts)

    def take_again(self, one: Given) -> None:
        """Lets the books count again what they counted without."""
        self.queues.take(one.queue, one.amounts)
        subtract(self.left, one.amounts)

    @contextmanager
    def without(self, given: Iterable[Given]) -> Iterator[None]:
        """Opens a block in which some gangs hold less: seats are free and quotas are given back, until its end."""
        taken: list[Given] = []
        with self.room.draft():
            for one in given:
                for seat in one.seats:
                    self.room.release(seat.uid)
                self.give_back(one)
                taken.append(one)
            try:
                yield
            finally:
                for one in taken:
                    self.take_again(one)

    @contextmanager
    def settled(self) -> Iterator[None]:
        """Opens a block in which everybody who was told to leave has left, and every promise is kept by whole seats."""
        queues = {seat.uid: one.claim.gang.queue for one in self.running.values() for seat in one.seats if self.leaving}
        given = [Given(queues[uid], (hold.seat,), amounts_of_pod(hold.ask)) for uid, hold in self.leaving.items()]
        with self.without(given):
            more: Amounts = {}
            for promise in self.promises.values():
                for wedge in promise.wedges:
                    self.room.release(wedge.seat.uid)
                    subtract(more, amounts_of_pod(wedge.ask))
                for hold in promise.seats:
                    self.room.hold(hold.seat._replace(uid=f"promised/{hold.seat.uid}"), hold.ask)
                    add(more, amounts_of_pod(hold.ask))
            subtract(self.left, more)
            try:
                yield
            finally:
                add(self.left, more)

    def _went(self, pods: Collection[str]) -> None:
        for uid, promise in self.promises.items():
            if any(hold.seat.uid in pods for hold in promise.going):
                for wedge in promise.wedges:
                    self._release(wedge)
                going = tuple(hold for hold in promise.going if hold.seat.uid not in pods)
                self.promises[uid] = self._wedged(promise._replace(going=going))

    def _wedged(self, promise: Promise) -> Promise:
        wedges = wedges_of(promise.entry.uid, promise.seats, promise.going)
        for wedge in wedges:
            self._take(wedge)
        return promise._replace(wedges=wedges)

    def _take(self, hold: Hold) -> None:
        self.room.hold(hold.seat, hold.ask)
        if hold.ask.crowds:
            self.freed += 1  # others may have waited for such a neighbour
        self._book(hold, 1)

    def _release(self, hold: Hold) -> None:
        self.room.release(hold.seat.uid)
        self._book(hold, -1)

    def _book(self, hold: Hold, sign: int) -> None:
        amounts = amounts_of_pod(hold.ask)
        held = self._held_on.setdefault(hold.seat.node, {})
        (add if sign > 0 else subtract)(held, amounts)
        if hold.seat.node in self._nodes:
            (subtract if sign > 0 else add)(self.left, amounts)

    def _set_node(self, name: str, amounts: Amounts) -> None:
        before = self._nodes.pop(name, {})
        subtract(self.capacity, before)
        if before:
            subtract(self.left, before)
            add(self.left, self._held_on.get(name, {}))
        if amounts:
            self._nodes[name] = amounts
            add(self.capacity, amounts)
            add(self.left, amounts)
            subtract(self.left, self._held_on.get(name, {}))
        self.freed += 1
        self.changed += 1


def holds_of(running: Running) -> list[Hold]:
    """Returns what each pod of a gang holds."""
    asks = {one.uid: one.ask for one in running.claim.gang.members}
    return [Hold(seat, asks[seat.uid]) for seat in running.seats]


def seats_of(gang: Gang, plan: Plan) -> tuple[Hold, ...]:
    """Returns what the pods of a gang will hold on the seats of a plan."""
    asks = {one.uid: one.ask for one in gang.members}
    return tuple(Hold(seat, asks[seat.uid]) for seat in plan.seats)

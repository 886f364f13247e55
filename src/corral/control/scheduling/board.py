"""Everything that decisions rest on, and the decisions: nodes, pods, gangs, promises. Pure: fed with every change, asked in cycles.

A place counts as taken from the moment it is decided on, so that the next decision cannot give it away again. It is free again when
the pod is seen to be gone, or when its promise was taken back.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from corral.control.scheduling.amounts import held_amounts, units_of
from corral.control.scheduling.certifying import Certifier
from corral.control.scheduling.crowd import Crowd, GroupKey, Known, Standing, gang_name, is_elastic
from corral.control.scheduling.desk import Admitted, Desk
from corral.control.scheduling.dialects.dialect import Asked, Placed
from corral.control.scheduling.promises import Group, Promises, State, can_close
from corral.control.scheduling.reading.asks import Request
from corral.control.scheduling.reading.claims import Stored
from corral.control.scheduling.reading.membership import membership_of
from corral.control.scheduling.reading.offers import Place, handing_over, held_devices, place_of
from corral.control.scheduling.reading.ports import is_port, offered
from corral.control.scheduling.reading.reader import Reader
from corral.control.scheduling.room import FleetRoom
from corral.kinds.scheduling.concession import Concession
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.names import GANG_SIZE
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.admission.cycle import Eviction, Migration, Resizing
from corral.placement.asks import PodAsk, Refusal, Seat
from corral.placement.certificates.certificate import Certificate
from corral.reconcile.moments import seconds_of


class Decided(NamedTuple):
    """What a cycle came to."""

    decisions: tuple[Decision, ...]
    certificates: tuple[Certificate, ...]
    is_complete: bool
    evictions: tuple[Eviction, ...] = ()
    migrations: tuple[Migration, ...] = ()
    resizings: tuple[Resizing, ...] = ()
    """What gangs must do for others: whoever carries it out says so; until then it is taken as done."""


class Board:
    """The scheduler's view of the world; made anew from the API by every reign."""

    def __init__(
        self, room: FleetRoom, desk: Desk, is_ours: Callable[[str], bool], is_used: Callable[[SchedulingNode], bool]
    ) -> None:
        self.promises = Promises()
        self.crowd = Crowd()
        self.places: dict[str, Place] = {}
        self.changes = 0
        """Counts what may change a decision or a reason; the same number means that nothing is new."""
        self.room = room
        self.conceding: dict[str, Concession] = {}
        """Gangs that were asked to go, to move, to grow or to shrink, and have not done it yet."""
        self._desk = desk
        self._is_ours = is_ours
        self._is_used = is_used
        self._certifier = Certifier(room.fleet)
        self.reader = Reader(room.fleet.rules)
        self._ports: set[str] = set()
        self._has_fresh_ports = False
        self._unsettled: dict[str, dict[str, None]] = {}
        """By node, the pods of which nobody says which of its GPUs they hold."""
        self._dirty: dict[str, None] = {}
        """Gangs of which the desk must be told."""

    # --- what is heard ---

    def take_node(self, name: str, node: SchedulingNode | None) -> None:
        """Notes a node as it is now, None when it is gone."""
        place = place_of(node) if node is not None and self._is_used(node) else None
        if place == self.places.get(name):
            return
        self.changes += 1
        self.reader.take_place(name, place)
        if place is None:
            del self.places[name]
            self._desk.remove_node(name)
        else:
            self.places[name] = place
            self._put(place)
            self._settle_devices(place)

    def _settle_devices(self, place: Place) -> None:
        """Reads again which GPUs pods hold that were heard of before their node had told of these."""
        for uid in list(self._unsettled.get(place.offer.name, ())):
            known = self.crowd.get(uid)
            devices = held_devices(known.view, place) if known is not None else ()
            if known is None or known.seat is None or not devices:
                continue
            self._unsettle(known.seat, is_settled=True)
            fresh = known._replace(seat=known.seat._replace(devices=devices))
            self.crowd.put(fresh)
            if fresh.standing is Standing.FOREIGN:
                self._desk.occupy(known.seat._replace(devices=devices), fresh.request.ask)
            else:
                self._dirty[fresh.gang] = None

    def _unsettle(self, seat: Seat, *, is_settled: bool) -> None:
        """Notes whether nobody says yet which GPUs a pod holds."""
        there = self._unsettled.setdefault(seat.node, {})
        if not is_settled:
            there[seat.uid] = None
            return
        there.pop(seat.uid, None)
        if not there:
            del self._unsettled[seat.node]

    def _put(self, place: Place) -> None:
        offer = place.offer
        self._desk.put_node(offer._replace(others=(*offer.others, *offered(self._ports))) if self._ports else offer)

    def take_pod(self, old: SchedulingPod | None, new: SchedulingPod | None, now: float) -> None:
        """Notes a pod as a cache shows it: what it was before, None when it is new, and what it is, None when it is gone."""
        if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
            self._forget(old.metadata.uid)
            self.crowd.forget_done(gang_name(old, membership_of(old)), old.metadata.uid)
        if new is not None:
            self._take_known(new, now)
        self._read_again(now)

    def _take_known(self, pod: SchedulingPod, now: float) -> None:
        uid = pod.metadata.uid
        if pod.has_ended:
            self._forget(uid)
            self._note_done(pod)
        elif pod.spec.node_name:
            self._take_bound(pod, now)
        elif self.promises.state(uid) is State.PROMISED:
            self._see_again(pod, now)
        else:
            self._take_unbound(pod, now)

    def _read_again(self, now: float) -> None:
        """Lets pods ask what their words mean now that others have come or gone."""
        for uid in self.reader.stale():
            known = self.crowd.get(uid)
            if known is None:
                continue
            if known.standing in (Standing.WAITING, Standing.HELD_BACK):
                self._take_unbound(known.view, now)
            else:
                self._ask_anew(known, known._replace(request=self.reader.again(known.view, known.request)), now)

    def _ask_anew(self, known: Known, fresh: Known, now: float) -> None:
        """Notes that a pod which is where it was may ask for something else."""
        if fresh.request == known.request:
            self.crowd.put(fresh)
        else:
            self.changes += 1
            self._put_pod(known, fresh, now)

    def take_group(self, group: GroupKey, size: int | None, queue: str) -> None:
        """Notes what a group object says, None when it is gone."""
        if size is None:
            self.crowd.remove_group(group)
        elif not self.crowd.put_group(group, size, queue):
            return
        self.changes += 1
        self._dirty[f"{group.key.namespace}/{group.key.name}"] = None

    def _forget(self, uid: str) -> None:
        pod = self.crowd.remove(uid)
        self.reader.forget(uid)
        self.promises.settle(uid, State.GONE)
        if pod is None:
            return
        self.changes += 1
        if pod.seat is not None:
            self._unsettle(pod.seat, is_settled=True)
        if pod.standing is Standing.FOREIGN:
            self._desk.vacate(uid)
        else:
            self._dirty[pod.gang] = None

    def _note_done(self, pod: SchedulingPod) -> None:
        said = membership_of(pod)
        if said.gang and pod.status.phase == "Succeeded" and self._is_ours(pod.spec.scheduler_name):
            name = gang_name(pod, said)
            self.crowd.note_done(name, pod)
            self._dirty[name] = None

    def _see_again(self, pod: SchedulingPod, now: float) -> None:
        """Keeps the newest view of a pod whose bind is under way, or which is bound where it was."""
        known = self.crowd.get(pod.metadata.uid)
        if known is None or known.view is pod:
            return
        fresh = known._replace(view=pod)
        before, now_said = known.view.metadata.annotations.get(GANG_SIZE), pod.metadata.annotations.get(GANG_SIZE)
        if now_said is not None and before != now_said:  # its gang has another size by now; it stays in that gang
            said = membership_of(pod)
            fresh = fresh._replace(membership=known.membership._replace(size=said.size, most=said.most))
            self._dirty[known.gang] = None
            self.changes += 1
        if _asks_as_before(known.view, pod):
            self.crowd.put(fresh)
        else:
            self._ask_anew(known, fresh._replace(request=self._request(pod)), now)

    def _take_bound(self, pod: SchedulingPod, now: float) -> None:
        uid, node = pod.metadata.uid, pod.spec.node_name
        known = self.crowd.get(uid)
        self.promises.settle(uid, State.BOUND)
        if known is not None and known.seat is not None and known.seat.node == node:
            self._see_again(pod, now)
            is_going = bool(pod.metadata.deletion_timestamp) and not known.view.metadata.deletion_timestamp
            if is_going and known.standing is Standing.SEATED:
                self._dirty[known.gang] = None
                self.changes += 1
            return
        self.changes += 1
        place = self.places.get(node)
        devices = held_devices(pod, place) if place is not None else ()
        ours = self._is_ours(pod.spec.scheduler_name)
        fresh = self._known(pod, known, now)._replace(
            standing=Standing.SEATED if ours else Standing.FOREIGN, seat=Seat(uid, node, devices)
        )
        if fresh.request.ask.gpu.number and not devices:
            self._unsettle(Seat(uid, node), is_settled=False)
        self._put_pod(known, fresh, now)

    def _take_unbound(self, pod: SchedulingPod, now: float) -> None:
        uid = pod.metadata.uid
        known = self.crowd.get(uid)
        if not (pod.is_waiting and self._is_ours(pod.spec.scheduler_name)):
            if known is not None:
                self._forget(uid)
            return
        fresh = self._known(pod, known, now)
        if known is not None and fresh._replace(view=known.view) == known:
            self.crowd.put(fresh)
            return
        self.changes += 1
        self._put_pod(known, fresh, now)

    def _known(self, pod: SchedulingPod, known: Known | None, now: float) -> Known:
        request, membership = self._request(pod), membership_of(pod)
        wrong = request.complaint or membership.complaint
        arrived = known.arrived if known is not None else seconds_of(pod.metadata.creation_timestamp) or now
        until = known.held_until if known is not None else 0.0
        standing = Standing.HELD_BACK if wrong or until > now else Standing.WAITING
        return Known(pod, request, membership, gang_name(pod, membership), standing, None, arrived, until)

    def _request(self, pod: SchedulingPod) -> Request:
        request = self.reader.read(pod)
        self._learn_ports(request.ask)
        return request

    def _put_pod(self, known: Known | None, fresh: Known, now: float) -> None:
        if known is not None and known.standing is Standing.FOREIGN:
            self._desk.vacate(known.uid)
        elif known is not None:
            self._dirty[known.gang] = None
        elif not fresh.request.complaint and self.room.came(fresh.request.ask):
            self._desk.reconsider()
        self.crowd.put(fresh)
        if fresh.standing is Standing.FOREIGN:
            assert fresh.seat is not None
            self._desk.occupy(fresh.seat, fresh.request.ask)
        else:
            self._dirty[fresh.gang] = None
            if fresh.seat is not None:
                self.crowd.start(fresh.gang, bound_since(fresh.view) or now)

    def _learn_ports(self, ask: PodAsk) -> None:
        """Notes the ports that somebody asks for; nodes offer them before the next decision."""
        self._has_fresh_ports |= any(is_port(name) and name not in self._ports for name, _ in ask.others)

    def _offer_ports(self) -> None:
        """Lets every node offer the ports that anybody has or wants, all at once, and none that nobody speaks of any more."""
        self._has_fresh_ports = False
        self._ports = {name for one in self.crowd for name, _ in one.request.ask.others if is_port(name)}
        for place in self.places.values():
            self._put(place)
        self.room.fleet.forget_resources()

    # --- what is decided ---

    def decide(self, now: float, most: int, epoch: int) -> Decided:
        """Lets as many gangs have their turn; what they get is taken from now on, and must be written to the ledger."""
        self._read_again(now)
        self.tell_desk()
        self.reader.tidy(self.room.fleet)
        cycle = self._desk.cycle(now, most)
        self.changes += len(cycle.refused)
        certificates = self._certifier.certify(cycle.admitted, epoch)
        decisions = [decision for one in cycle.admitted for decision in self._seat(one, now)]
        self.promises.add(decisions)
        return Decided(
            tuple(decisions),
            tuple(certificates),
            cycle.is_complete,
            cycle.evictions,
            cycle.migrations,
            cycle.resizings,
        )

    def refusal_of(self, gang: str) -> Refusal | None:
        """Returns why a gang waits, None when nobody has looked at it yet."""
        concession = self.conceding.get(gang)
        return gives_way(concession) if concession is not None and concession.takes_all else self._desk.refusal(gang)

    def _seat(self, admitted: Admitted, now: float) -> Iterator[Decision]:
        gang = admitted.plan.gang
        self.changes += 1
        for seat in admitted.plan.seats:
            known = self.crowd.get(seat.uid)
            assert known is not None
            self.crowd.put(known._replace(standing=Standing.SEATED, seat=seat))
            name = gang if known.membership.gang else ""
            yield Decision(seat.uid, known.key, seat.node, seat.devices, name)
        self.crowd.start(gang, now)
        members = self.crowd.members(gang)
        if is_elastic(members) or any(one.standing is Standing.WAITING for one in members):
            self._dirty[gang] = None  # the rest may follow, and may go again

    def tell_desk(self) -> None:
        """Tells the desk of every gang that is not as it was."""
        for gang in list(self._dirty):
            claim, seated = self.crowd.claim(gang), self.crowd.seated(gang)
            concession = self.conceding.get(gang)
            if seated is not None:
                told = frozenset(one.uid for one in concession.pods) if concession is not None else frozenset()
                there = {seat.uid for seat in seated.seats}
                self._desk.seat(seated._replace(leaving=seated.leaving | (told & there)))
            else:
                self._desk.leave(gang)
            # Nothing of a gang that gives way, or is taken back, may start before all of it is gone: else it would start by halves.
            gives_way = concession is not None and concession.takes_all
            if claim is None or gives_way or not self.promises.takes_more(gang):
                self._desk.forget(gang)
            else:
                self._desk.wait(claim)
        self._dirty.clear()
        if self._has_fresh_ports:
            self._offer_ports()

    # --- who gives way ---

    def concede(self, concession: Concession) -> None:
        """Notes what a gang was asked to do; one that is to go does not stand in line until it is gone."""
        self.conceding[concession.gang] = concession
        self._dirty[concession.gang] = None
        self.changes += 1

    def has_conceded(self, concession: Concession) -> None:
        """Notes that a gang has done what it was asked to, unless it was asked for something else since."""
        if self.conceding.get(concession.gang) == concession:
            del self.conceding[concession.gang]
            self._dirty[concession.gang] = None
            self.changes += 1

    # --- what becomes of decisions ---

    def assume(self, decision: Decision, now: float) -> None:
        """Notes what an earlier reign has promised, before anything else is decided."""
        known = self.crowd.get(decision.uid)
        self.promises.add([decision])
        if known is None:
            self.promises.settle(decision.uid, State.GONE)
        elif known.view.spec.node_name:
            self.promises.settle(decision.uid, State.BOUND)
        else:
            seat = Seat(decision.uid, decision.node, decision.devices)
            self._put_pod(known, known._replace(standing=Standing.SEATED, seat=seat), now)

    def settle(self, uid: str, state: State, node: str = "") -> None:
        """Notes where a pod is bound; one that turned out to be on another node holds its place there."""
        self.promises.settle(uid, state)
        known = self.crowd.get(uid)
        if known is None or known.seat is None or known.view.spec.node_name:
            return
        if state is State.BOUND and node not in ("", known.seat.node):
            self.crowd.put(known._replace(seat=Seat(uid, node)))
            self._dirty[known.gang] = None
            self.changes += 1

    def take_back(self, uid: str, until: float) -> None:
        """Frees the place of a pod that is certain not to be bound there; it stands in line again by `let_wait`."""
        self.promises.settle(uid, State.GONE)
        known = self.crowd.get(uid)
        if known is not None and not known.view.spec.node_name:
            self.crowd.put(known._replace(standing=Standing.HELD_BACK, seat=None, held_until=until))
            self._dirty[known.gang] = None
            self.changes += 1

    def let_wait(self, uid: str, now: float) -> None:
        """Lets a pod stand in line again that was held back."""
        known = self.crowd.get(uid)
        if known is not None and known.standing is Standing.HELD_BACK:
            self._take_unbound(known.view, now)

    def undo(self, name: str) -> None:
        """Begins to take a group back; its gang stands in line again when that is done."""
        self.promises.undo(name)
        self._dirty[name] = None
        self.changes += 1

    def close(self, name: str) -> None:
        """Forgets a group; the next write to the ledger will be without it."""
        if not self.promises.takes_more(name):
            self._dirty[name] = None
            self.changes += 1
        self.promises.close(name)

    def closable(self) -> Iterator[str]:
        """Yields the groups that the ledger need not remember."""
        for name, group in self.promises.groups():
            if can_close(group, is_whole=self._is_whole(name, group)):
                yield name

    def half_started(self) -> Iterator[str]:
        """Yields the gangs of which some pods are bound, while for others there is no promise any more."""
        for name, group in self.promises.groups():
            if group.is_settled and group.bound and not group.is_undone and not self._is_whole(name, group):
                yield name

    def _is_whole(self, name: str, group: Group) -> bool:
        """Whether as many of a gang were bound as must start together; those that have ended since count."""
        return group.reached + self.crowd.seated_beside(name, group.decisions) >= (
            self.crowd.size_of(name, group.decisions) or 1
        )

    def handed_over(self, decision: Decision, now: float) -> dict[str, str]:
        """Returns the annotations that go with a bind."""
        known, place = self.crowd.get(decision.uid), self.places.get(decision.node)
        if known is None or place is None or not decision.devices:
            return {}
        amounts = {name: units_of(nanos) for name, nanos in held_amounts(known.view.spec).items()}
        asked = Asked(known.view, amounts)
        placed = Placed(asked, known.request.ask.gpu, place.offer, decision.devices, now)
        return handing_over(known.request, place, placed)

    def stored(self, decision: Decision) -> Stored | None:
        """Returns what the claims of a pod come to now, None when there is nothing to look at."""
        known = self.crowd.get(decision.uid)
        if known is None or not known.view.spec.volumes or decision.node not in self.places:
            return None
        return self.reader.storage.of(known.view)

    def take_storage(self) -> None:
        """Notes that claims, volumes or classes have changed."""
        self.changes += self.reader.storage_changed()

    # --- what is told ---

    def waiting(self) -> Iterable[Known]:
        """Returns the pods that wait, and those that are held back because they cannot be read."""
        return (one for one in self.crowd if one.standing in (Standing.WAITING, Standing.HELD_BACK))


def _asks_as_before(old: SchedulingPod, new: SchedulingPod) -> bool:
    """Whether nothing has changed of a pod that says what it asks, or to which others it belongs."""
    one, other = old.metadata, new.metadata
    is_going = bool(one.deletion_timestamp) == bool(other.deletion_timestamp)
    has = old.status.container_statuses == new.status.container_statuses
    return (
        is_going and has and old.spec == new.spec and (one.labels, one.annotations) == (other.labels, other.annotations)
    )


def gives_way(concession: Concession) -> Refusal:
    """Returns why the pods of a gang wait that has to go first."""
    return Refusal(
        concession.gang,
        "gives-way",
        f"Its gang gives way, and waits until all of its pods have gone: {concession.sentence}",
    )


def bound_since(pod: SchedulingPod) -> float | None:
    """Returns when a pod was bound, None when it does not say."""
    told = next((one for one in pod.status.conditions if one.type == "PodScheduled" and one.status == "True"), None)
    return seconds_of(told.last_transition_time) if told is not None else None

"""A snapshot on the board and at the desk of the scheduler: who waits, who holds what, whose turn it is."""

from typing import Final, NamedTuple

from corral.control.scheduling.admission_desk import TERMS, AdmissionDesk
from corral.control.scheduling.board import Board, Decided
from corral.control.scheduling.crowd import GroupKey, Known, Standing, group_of
from corral.control.scheduling.holders import job_name, jobs_of
from corral.control.scheduling.queueing.register import Given, Register, Unreadable
from corral.control.scheduling.reading.queues import UnreadableQueueError, terms_of, terms_of_volcano
from corral.control.scheduling.room import FleetRoom
from corral.control.scheduling.scenes.snapshot import GROUP_KINDS, QUEUE_KINDS, QueueSaid, Snapshot
from corral.kinds.objects import Metadata
from corral.kinds.queues.queue import QUEUE, QueueView
from corral.kinds.references import ObjectKey
from corral.placement.admission.admission import Admission
from corral.placement.admission.amounts import GPU
from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import ROOT
from corral.placement.asks import Gang
from corral.placement.fleet import Fleet
from corral.placement.potentials.policies import Policy
from corral.placement.remedies.books import Books
from corral.placement.remedies.supplies import Job

NO_QUEUE: Final = ("queue-missing", "queue-unreadable")
"""Codes of gangs that wait for a queue itself; no room would help them."""


class Turn(NamedTuple):
    """The place of a gang in the line of its queue."""

    place: int
    waiting: int
    queue: str = ""


class Scene:
    """A cluster as the scheduler would see it; what is decided here nobody carries out."""

    def __init__(self, snapshot: Snapshot, rule: Policy | None = None, *, seed: int = 0, terms: Terms = TERMS) -> None:
        self.now = snapshot.taken
        self.room = FleetRoom(Fleet(seed), rule)
        self.desk = AdmissionDesk(self.room, terms)
        self.board = Board(self.room, self.desk, frozenset(snapshot.schedulers).__contains__, lambda _: True)
        self.unreadable: list[str] = []
        """Queues that nobody could read."""
        for node in snapshot.nodes:
            self.board.take_node(node.metadata.name, node)
        register = Register(self.desk, tuple(QUEUE_KINDS.values()))
        for queue in snapshot.queues:
            given = given_by(queue)
            register.put(QUEUE_KINDS[queue.kind], queue.name, given)
            if isinstance(given, Unreadable):
                self.unreadable.append(queue.name)
        for group in snapshot.groups:
            key = GroupKey(GROUP_KINDS[group.kind], ObjectKey(group.namespace, group.name))
            self.board.take_group(key, group.size, group.queue)
        for pod in snapshot.pods:
            self.board.take_pod(None, pod, self.now)
        self.board.tell_desk()

    @property
    def fleet(self) -> Fleet:
        """Returns all nodes, and what is held on them."""
        return self.room.fleet

    @property
    def admission(self) -> Admission:
        """Returns who runs, who waits, and the books of queues."""
        return self.desk.admission

    def decide(self) -> Decided:
        """Lets everybody have their turn; whoever may start holds their seats from now on."""
        return self.board.decide(self.now, 0, 0)

    def waiting(self, uids: list[str]) -> Known | None:
        """Returns the pod among some that asks for most, of those that wait."""
        found = [one for uid in uids if (one := self.board.crowd.get(uid)) is not None]
        return max(found, key=_size, default=None)

    def gang(self, name: str) -> Gang | None:
        """Returns a gang that waits, in the queue that counts; None when nobody knows how many of it must start together."""
        claim = self.board.crowd.claim(name)
        return claim.gang._replace(queue=self.desk.queue_of(claim.gang.queue)) if claim is not None else None

    def missing_group(self, pod: Known) -> GroupKey | None:
        """Returns the object that would say how many pods of a gang start together, when it is not there."""
        return group_of(pod) if self.board.crowd.size_of(pod.gang) is None else None

    def turn(self, gang: str) -> Turn | None:
        """Returns which place a gang has in the line of its queue."""
        place, found = self.desk.place(gang), self.gang(gang)
        return None if place is None or found is None else Turn(*place, found.queue)

    def jobs(self, namespace: str, but: str = "", queue: str = ROOT) -> list[Job]:
        """Returns everybody who holds room, seen from a namespace and a queue; one job, which asks, may not end for itself."""
        found = jobs_of(self.board.crowd, namespace, but, self.queue_of)
        borrowed = {one: self._borrowed(one) for one in {job.queue for job in found} - {queue}}
        return [one._replace(borrowed=borrowed.get(one.queue, 0)) for one in found]

    def books(self, namespace: str) -> Books:
        """Returns what quotas say, seen from a namespace."""
        return Books(self.desk.queues, self.admission.ground.namespaces, namespace)

    def shown(self, gang: str, namespace: str) -> str:
        """Returns the name of the job behind a gang, as seen from a namespace."""
        pods = self.board.crowd.members(gang)
        if not pods:
            return gang
        view, place = pods[0].view, pods[0].view.metadata.namespace
        name = job_name(view)
        if name == view.metadata.name and pods[0].membership.gang:
            name = pods[0].membership.gang
        return name if place == namespace else f"{place}/{name}"

    def _borrowed(self, queue: str) -> int:
        """Returns how many thousandths of GPUs a queue holds beyond its guarantee; nothing where nobody is guaranteed any."""
        queues = self.desk.queues
        if queue == ROOT or queue not in queues or not queues.guarantee(ROOT).get(GPU):
            return 0
        return max(queues.used(queue).get(GPU, 0) - queues.guarantee(queue).get(GPU, 0), 0)

    def queue_of(self, pod: Known) -> str:
        """Returns the queue that counts for a pod that holds room."""
        return queue_of_holder(self.desk, pod)


def queue_of_holder(desk: AdmissionDesk, pod: Known) -> str:
    """Returns the queue in whose books a pod is that holds room; that of all together when it is in none."""
    return ROOT if pod.standing is Standing.FOREIGN else desk.queue_that_counts(pod.gang, pod.membership.queue)


def given_by(said: QueueSaid) -> Given:
    """Returns what a queue may have, or that this cannot be read."""
    view = QueueView(metadata=Metadata(name=said.name), spec=said.spec)
    try:
        return (terms_of if said.kind == QUEUE.qualified else terms_of_volcano)(view)
    except UnreadableQueueError as error:
        return Unreadable(str(error))


def _size(pod: Known) -> tuple[int, int, int]:
    ask = pod.request.ask
    return ask.gpu.total, ask.cpu, ask.memory

"""The desk at which the loop asks: admission with its queues, told in the words of the loop.

Two things are decided here and nowhere else. While there is no queue at all, names of queues bind nothing: people have labels of Kueue
or Volcano on their pods whether or not anybody looks after quotas. And `default`, which Volcano writes into groups that name no queue,
is no choice unless there is a queue of that name.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from corral.control.scheduling.desk import Admitted, Claim, Cycle, Seated
from corral.placement.admission.admission import Admission, QueueStanding
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Terms
from corral.placement.admission.queues import ROOT, Queues, QueueTerms
from corral.placement.admission.room import NodeRoom
from corral.placement.asks import PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer

_UNCHOSEN: Final = "default"
TERMS: Final = Terms()
STILL: Final = Terms(reclaims="nothing", preempts=False, placements_per_move=0, resizes=False)
"""The terms under which nothing is asked of gangs that run."""


class AdmissionDesk:
    """Queues, quotas, order and reservation, behind the `Desk` of the loop."""

    def __init__(self, room: NodeRoom, terms: Terms = TERMS) -> None:
        self._admission = Admission(room, terms)
        self._line: dict[str, Claim] = {}
        self._seated: dict[str, Seated] = {}
        self._named: dict[str, str] = {}
        """The queue that each gang names, whether it counts or not."""
        self._queues: set[str] = set()
        self._complaints: dict[str, str] = {}
        """Of queues whose terms cannot be read, why."""

    # --- nodes and pods of others ---

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""
        self._admission.put_node(offer)

    def remove_node(self, name: str) -> None:
        """Takes a node away."""
        self._admission.remove_node(name)

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound."""
        self._admission.occupy(seat, ask)

    def vacate(self, uid: str) -> None:
        """Notes that such a pod is gone."""
        self._admission.vacate(uid)

    # --- queues and quotas ---

    @property
    def admission(self) -> Admission:
        """Returns who waits, who runs, and the books of queues; not to be changed."""
        return self._admission

    @property
    def queues(self) -> Queues:
        """Returns all queues with what is used of them; not to be changed."""
        return self._admission.ground.queues

    def put_queue(self, terms: QueueTerms) -> None:
        """Adds or replaces a queue."""
        self._complaints.pop(terms.name, None)
        self._admission.put_queue(terms)
        self._add(terms.name)

    def put_unreadable(self, name: str, complaint: str) -> None:
        """Notes a queue whose terms cannot be read: it is there, and its gangs wait until somebody corrects them."""
        self._complaints[name] = complaint
        self._admission.remove_queue(name)
        self._add(name)

    def complaint_about(self, name: str) -> str:
        """Returns why the terms of a queue cannot be read, "" when they can."""
        return self._complaints.get(name, "")

    def _add(self, name: str) -> None:
        is_first = not self._queues
        is_choice = name == _UNCHOSEN and name not in self._queues
        self._queues.add(name)
        if is_first or is_choice:
            self._name_anew()

    def remove_queue(self, name: str) -> None:
        """Takes a queue away; its gangs wait until it is there again, or until there is none at all."""
        self._complaints.pop(name, None)
        self._admission.remove_queue(name)
        self._queues.discard(name)
        if not self._queues or name == _UNCHOSEN:
            self._name_anew()

    def put_namespace(self, name: str, free: Mapping[str, int]) -> None:
        """Says what the quota of a namespace leaves for pods that do not exist yet."""
        self._admission.put_namespace(name, free)

    def queue_that_counts(self, gang: str, named: str) -> str:
        """Returns the queue in whose books the seats of a gang are, or would be."""
        running = self._admission.ground.running.get(gang)
        return running.claim.gang.queue if running is not None else self.queue_of(named)

    def left_in(self, namespace: str) -> Mapping[str, int]:
        """Returns what the quota of a namespace leaves; resources that are not named have no bound."""
        return self._admission.ground.namespaces.get(namespace, {})

    def queue_of(self, named: str) -> str:
        """Returns the queue that counts for a gang which names one."""
        if not self._queues or (named == _UNCHOSEN and named not in self._queues):
            return ROOT
        return named

    def _name_anew(self) -> None:
        """Lets every gang be in the queue that counts now."""
        for running in list(self._admission.ground.running.values()):
            self._admission.run(running._replace(claim=self._queued(running.claim)))
        for claim in list(self._line.values()):
            self._admission.wait(self._waiting(claim))

    # --- gangs ---

    def reconsider(self) -> None:
        """Lets everybody be tried again who was refused."""
        self._admission.reconsider()

    def wait(self, claim: Claim) -> None:
        """Lets a gang stand in line."""
        if self._line.get(claim.uid) != claim:
            self._line[claim.uid] = claim
            self._admission.wait(self._waiting(claim))

    def seat(self, seated: Seated) -> None:
        """Notes which seats a gang has."""
        uid = seated.claim.uid
        if self._seated.get(uid) == seated:
            return
        self._seated[uid] = seated
        self._line.pop(uid, None)  # what follows it is told anew
        self._admission.run(Running(self._waiting(seated.claim), seated.seats, seated.started))
        self._admission.told_to_leave(uid, seated.leaving)

    def leave(self, uid: str) -> None:
        """Notes that a gang has no seat any more."""
        self._seated.pop(uid, None)
        self._admission.unseat(uid)
        self._drop_name(uid)

    def forget(self, uid: str) -> None:
        """Takes a gang out of the line."""
        if self._line.pop(uid, None) is not None:
            self._admission.forget(uid)
        self._drop_name(uid)

    def _waiting(self, claim: Claim) -> Waiting:
        self._named[claim.uid] = claim.gang.queue
        return self._queued(
            Waiting(
                claim.gang,
                claim.arrived,
                claim.namespace,
                run_time=claim.run_time,
                is_preemptible=claim.is_preemptible,
                preempts=claim.preempts,
                checkpoints=claim.checkpoints,
                most=claim.most,
                evictions=claim.evictions,
            )
        )

    def _queued(self, claim: Waiting) -> Waiting:
        queue = self.queue_of(self._named.get(claim.uid, claim.gang.queue))
        return claim if queue == claim.gang.queue else claim._replace(gang=claim.gang._replace(queue=queue))

    def _drop_name(self, uid: str) -> None:
        if uid not in self._line and uid not in self._admission.ground.running:
            self._named.pop(uid, None)

    # --- what is decided, and told ---

    def cycle(self, now: float, most: int) -> Cycle:
        """Decides who may start now, and who must give way."""
        found = self._admission.cycle(now, most)
        admitted = tuple(Admitted(one.plan, self._line.pop(one.plan.gang)) for one in found.admitted)
        changed = [one.gang for one in found.evictions] + [one.gang for one in found.migrations]
        changed += [one.gang for one in found.resizings]
        for uid in (*(one.claim.uid for one in admitted), *changed):
            self._seated.pop(uid, None)  # what was told of its seats is no longer all there is to know
        return Cycle(
            admitted,
            found.refused,
            is_complete=not most or len(admitted) < most,
            evictions=found.evictions,
            migrations=found.migrations,
            resizings=found.resizings,
        )

    def refusal(self, uid: str) -> Refusal | None:
        """Returns why a gang waits, None when it does not, or when nobody has looked yet."""
        found = self._admission.refusal(uid)
        if found is None:
            return self._behind(uid)
        if found.code != "queue-missing" or found.binding not in self._complaints:
            return found
        sentence = f"The terms of queue {found.binding} cannot be read: {self._complaints[found.binding]}"
        return found._replace(code="queue-unreadable", sentence=sentence)

    def _behind(self, uid: str) -> Refusal | None:
        """Returns that nobody passes in the queue of a gang, which therefore was not looked at."""
        queue = self.queue_of(self._named.get(uid, ROOT))
        place = None if self.queues.terms(queue).passing else self.place(uid)
        if place is None or place[0] == 1:
            return None
        before = place[0] - 1
        are = "1 is" if before == 1 else f"{before} are"
        return Refusal(uid, "nobody-passes", f"Nobody passes in queue {queue}, and {are} before it.")

    def place(self, uid: str) -> tuple[int, int] | None:
        """Returns which place a gang has in the line of its queue, and how many stand there."""
        return self._admission.place(uid)

    def standing(self, queue: str) -> QueueStanding:
        """Returns what the gangs of a queue have and want now."""
        return self._admission.standing(queue)

    def standings(self) -> Iterable[tuple[str, QueueStanding]]:
        """Yields how each queue stands that somebody described."""
        return ((name, self._admission.standing(name)) for name in self._admission.ground.queues)

    @property
    def is_restless(self) -> bool:
        """Whether time alone may lead to another decision: somebody waits, or could grow."""
        ground = self._admission.ground
        return bool(len(self._admission.line) or ground.promises or ground.elastic)

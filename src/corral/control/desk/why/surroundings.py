"""Nodes and pods around a job as placement sees them: read once, by the same dialects with which the scheduler reads them. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corral.control.desk.why.situation import Group, GroupRef
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import GroupKey, Known, Standing, group_of
from corral.control.scheduling.holders import jobs_of
from corral.control.scheduling.room import FleetRoom
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.asks import Gang
from corral.placement.fleet import Fleet
from corral.placement.remedies.supplies import Job


class Turn(NamedTuple):
    """The place of a gang in the line."""

    place: int
    waiting: int


class Surroundings:
    """A cluster as the scheduler would see it, from the point of view of those whose pods some schedulers bind."""

    def __init__(
        self,
        nodes: Sequence[SchedulingNode],
        pods: Sequence[SchedulingPod],
        groups: Mapping[GroupRef, Group],
        schedulers: frozenset[str],
        now: float,
    ) -> None:
        room = FleetRoom(Fleet())
        self.board = Board(room, AdmissionDesk(room), schedulers.__contains__, lambda _: True)
        for node in nodes:
            self.board.take_node(node.metadata.name, node)
        for ref, said in groups.items():
            self.board.take_group(GroupKey(ref.resource, ref.key), said.size, said.queue)
        for pod in pods:
            self.board.take_pod(None, pod, now)
        for one in self.board.crowd:
            if one.standing is Standing.SEATED and one.seat is not None:
                room.hold(one.seat, one.request.ask)

    @property
    def fleet(self) -> Fleet:
        """Returns all nodes, and what is held on them."""
        return self.board.room.fleet

    def waiting(self, uids: Sequence[str]) -> Known | None:
        """Returns the pod among some that asks for most, of those that wait."""
        found = [one for uid in uids if (one := self.board.crowd.get(uid)) is not None]
        return max(found, key=_size, default=None)

    def gang(self, pod: Known) -> Gang | None:
        """Returns the gang of a pod; None when nobody knows how many of it must start together."""
        claim = self.board.crowd.claim(pod.gang)
        return claim.gang if claim is not None else None

    def missing_group(self, pod: Known) -> GroupKey | None:
        """Returns the object that would say how many pods of a gang start together, when it is not there."""
        return group_of(pod) if self.board.crowd.size_of(pod.gang) is None else None

    def turn(self, pod: Known) -> Turn | None:
        """Returns which place the gang of a pod has in the line of its scheduler."""
        crowd = self.board.crowd
        claims = (crowd.claim(gang) for gang in dict.fromkeys(one.gang for one in self.board.waiting()))
        line = sorted((-one.gang.priority, one.arrived, one.uid) for one in claims if one is not None)
        place = next((at for at, turn in enumerate(line, 1) if turn[-1] == pod.gang), None)
        return None if place is None else Turn(place, len(line))

    def jobs(self, namespace: str, but: str) -> list[Job]:
        """Returns everybody who holds room, seen from a namespace; one job, which asks, may not end for itself."""
        return jobs_of(self.board.crowd, namespace, but)


def _size(pod: Known) -> tuple[int, int, int]:
    ask = pod.request.ask
    return ask.gpu.total, ask.cpu, ask.memory

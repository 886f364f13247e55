"""What would be otherwise: other nodes, other quotas, a job less. Each makes another snapshot of one. Pure."""

from typing import Any, Final, NamedTuple, Protocol

import msgspec

from corral.control.scheduling.holders import job_name
from corral.control.scheduling.scenes.snapshot import QueueSaid, Snapshot
from corral.errors import PermanentError
from corral.kinds.queues.queue import QUEUE
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod

_TERMS: Final = ("guarantee", "limit", "lending", "borrowing")
_CORDON: Final = "node.kubernetes.io/unschedulable"
_IN_VOLCANO: Final = {"guarantee": "deserved", "limit": "capability"}


class Change(Protocol):
    """Something that would be otherwise."""

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot with it; what it names is not there: PermanentError."""

    @property
    def words(self) -> str:
        """Returns it as people say it."""


class MoreNodes(NamedTuple):
    """Empty nodes like one that is there."""

    number: int
    like: str

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        return f"{self.number} more node{'' if self.number == 1 else 's'} like {self.like}"

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot with them."""
        node, taken = _node(snapshot, self.like), {one.metadata.name for one in snapshot.nodes}
        names = (
            name for at in range(1, len(taken) + self.number + 1) if (name := f"{self.like}-copy-{at}") not in taken
        )
        fresh = [_copied(node, name) for name, _ in zip(names, range(self.number), strict=False)]
        return msgspec.structs.replace(snapshot, nodes=(*snapshot.nodes, *fresh))


class WithoutNode(NamedTuple):
    """A node is gone, and what runs on it with it."""

    name: str

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        return f"without node {self.name}"

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot without it; whoever makes pods anew lets those wait that ran there."""
        _node(snapshot, self.name)
        nodes = tuple(one for one in snapshot.nodes if one.metadata.name != self.name)
        pods = tuple(_waiting_again(one) if one.spec.node_name == self.name else one for one in snapshot.pods)
        return msgspec.structs.replace(snapshot, nodes=nodes, pods=pods)


class Closed(NamedTuple):
    """A node takes nobody new, or does again."""

    name: str
    is_closed: bool = True

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        return f"node {self.name} {'cordoned' if self.is_closed else 'open again'}"

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot with the node so."""
        node = _node(snapshot, self.name)
        spec = msgspec.structs.replace(_opened(node).spec, unschedulable=self.is_closed)
        changed = msgspec.structs.replace(node, spec=spec)
        nodes = tuple(changed if one.metadata.name == self.name else one for one in snapshot.nodes)
        return msgspec.structs.replace(snapshot, nodes=nodes)


class QueueHas(NamedTuple):
    """A queue may have something else."""

    queue: str
    term: str
    """`guarantee`, `limit`, `lending`, `borrowing`, or `weight`."""
    resource: str
    amount: str
    """"" takes the bound away."""

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        what = f"{self.queue}.{self.term}{f'.{self.resource}' if self.resource else ''}"
        return f"queue {what}={self.amount or 'unbounded'}"

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot with that; a queue that is not there is made."""
        fresh = QueueSaid(kind=QUEUE.qualified, name=self.queue)
        before = next((one for one in snapshot.queues if one.name == self.queue), fresh)
        changed = msgspec.structs.replace(before, spec=self._spec(before))
        others = tuple(one for one in snapshot.queues if one is not before)
        return msgspec.structs.replace(snapshot, queues=(*others, changed))

    def _spec(self, queue: QueueSaid) -> dict[str, Any]:
        if self.term == "weight":
            return {**queue.spec, "weight": int(self.amount)}
        term = self.term if queue.kind == QUEUE.qualified else _IN_VOLCANO.get(self.term, "")
        if not term:
            hint = f"of these change {' or '.join(_IN_VOLCANO)}"
            raise PermanentError("bad-change", f"queue {queue.name} is Volcano's and has no {self.term}", hint=hint)
        amounts = {**(queue.spec.get(term) or {}), self.resource: self.amount}
        return {**queue.spec, term: {name: amount for name, amount in amounts.items() if amount}}


class WithoutJob(NamedTuple):
    """A job has ended, or was suspended."""

    name: str
    """Its name, or its namespace and name."""

    @property
    def words(self) -> str:
        """Returns it as people say it."""
        return f"without job {self.name}"

    def made(self, snapshot: Snapshot) -> Snapshot:
        """Returns the snapshot without its pods."""
        place, _, name = self.name.rpartition("/")
        stay = tuple(one for one in snapshot.pods if not _is_of(one, place, name))
        if len(stay) == len(snapshot.pods):
            hint = "name a job that has pods, if need be with its namespace: team/bert"
            raise PermanentError("bad-change", f"there is no pod of a job {self.name}", hint=hint)
        return msgspec.structs.replace(snapshot, pods=stay)


def queue_change(text: str) -> QueueHas:
    """Returns the change of a queue that a text says: `vision.guarantee.nvidia.com/gpu=8`, `vision.weight=3`."""
    what, equals, amount = text.partition("=")
    for term in _TERMS:
        queue, dot, resource = what.partition(f".{term}.")
        if equals and queue and dot and resource:
            return QueueHas(queue, term, resource, amount)
    queue, dot, rest = what.rpartition(".weight")
    if equals and queue and dot and not rest and amount.isascii() and amount.isdigit() and int(amount):
        return QueueHas(queue, "weight", "", amount)
    hint = f"write QUEUE.TERM.RESOURCE=AMOUNT with one of {', '.join(_TERMS)}, or QUEUE.weight=NUMBER"
    raise PermanentError("bad-change", f"{text!r} says nothing about a queue", hint=hint)


def _node(snapshot: Snapshot, name: str) -> SchedulingNode:
    found = next((one for one in snapshot.nodes if one.metadata.name == name), None)
    if found is None:
        there = ", ".join(one.metadata.name for one in snapshot.nodes[:5])
        more = f" and {len(snapshot.nodes) - 5} more" if len(snapshot.nodes) > 5 else ""
        raise PermanentError("bad-change", f"there is no node {name}", hint=f"there are {there or 'none'}{more}")
    return found


def _copied(node: SchedulingNode, name: str) -> SchedulingNode:
    before = node.metadata.name
    labels = {key: name if value == before else value for key, value in node.metadata.labels.items()}
    metadata = msgspec.structs.replace(node.metadata, name=name, uid=f"uid-{name}", labels=labels)
    return msgspec.structs.replace(_opened(node), metadata=metadata)


def _opened(node: SchedulingNode) -> SchedulingNode:
    taints = [one for one in node.spec.taints if one.key != _CORDON]
    return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, unschedulable=False, taints=taints))


def _waiting_again(pod: SchedulingPod) -> SchedulingPod:
    spec = msgspec.structs.replace(pod.spec, node_name="")
    return SchedulingPod(metadata=pod.metadata, spec=spec)


def _is_of(pod: SchedulingPod, place: str, name: str) -> bool:
    return job_name(pod) == name and place in ("", pod.metadata.namespace)

"""Nodes and pods for tests of the scheduler, and a board that has heard of them. No API and no clock."""

from collections.abc import Sequence
from typing import Any

import msgspec

from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.board import Board, Decided
from corral.control.scheduling.orders import names_of_one_machine
from corral.control.scheduling.promises import State
from corral.control.scheduling.room import FleetRoom
from corral.control.scheduling.sentences import Sentences
from corral.kinds.objects import Object
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.names import GANG, GANG_SIZE
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.fleet import Fleet

GPU = "nvidia.com/gpu"
STAMP = "2027-01-15T07:59:00Z"
NOW = 1_800_000_000.0
EVERYTHING = 10_000


def node(name: str, gpus: int = 0, **options: Any) -> SchedulingNode:
    """Returns a node; options: labels, annotations, taints, ready, closed, pods, amounts."""
    amounts = {"cpu": "64", "memory": "256Gi", "pods": str(options.get("pods", 110)), **(options.get("amounts") or {})}
    if gpus:
        amounts[GPU] = str(gpus)
    status = "True" if options.get("ready", True) else "Unknown"
    marks = {field: options.get(field) or {} for field in ("labels", "annotations")}
    told: Object = {
        "metadata": {"name": name, "uid": f"uid-{name}", **marks},
        "spec": {"taints": options.get("taints") or [], "unschedulable": options.get("closed", False)},
        "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": status}]},
    }
    return msgspec.convert(told, SchedulingNode)


def pod(name: str, gpus: int = 0, *, on: str = "", phase: str = "Pending", **spec: Any) -> SchedulingPod:
    """Returns a pod that asks for GPUs, bound when `on` names a node; metadata and the rest go where they belong."""
    metadata = {
        "name": name,
        "namespace": "ns",
        "uid": f"uid-{name}",
        "resourceVersion": "1",
        "creationTimestamp": STAMP,
        **spec.pop("metadata", {}),
    }
    requests = {**({GPU: str(gpus)} if gpus else {}), **spec.pop("requests", {})}
    given: Object = {
        "schedulerName": "corral",
        "containers": [{"name": "main", "resources": {"requests": requests, "limits": requests}}],
        **spec,
    }
    if on:
        given["nodeName"] = on
    return msgspec.convert({"metadata": metadata, "spec": given, "status": {"phase": phase}}, SchedulingPod)


def member(name: str, gang: str, size: int, gpus: int = 1, *, on: str = "", **spec: Any) -> SchedulingPod:
    """Returns a pod of a gang in our own words."""
    marks = {"labels": {GANG: gang}, "annotations": {GANG_SIZE: str(size)}}
    return pod(name, gpus, on=on, metadata=marks, **spec)


def changed(before: SchedulingPod, **fields: Any) -> SchedulingPod:
    """Returns a pod with other fields of its metadata, specification or status."""
    told = msgspec.to_builtins(before)
    for part in ("metadata", "spec", "status"):
        told[part] |= fields.get(part, {})
    return msgspec.convert(told, SchedulingPod)


def bound(unbound: SchedulingPod, node_name: str) -> SchedulingPod:
    """Returns a pod as it looks once it is bound."""
    return changed(unbound, spec={"nodeName": node_name})


def board(
    nodes: Sequence[SchedulingNode], pods: Sequence[SchedulingPod] = (), desk: AdmissionDesk | None = None
) -> Board:
    """Returns a board that has heard of nodes and pods."""
    room = FleetRoom(Fleet())
    if desk is not None:
        assert isinstance(desk.admission.ground.room, FleetRoom)
        room = desk.admission.ground.room
    made = Board(room, desk or AdmissionDesk(room), names_of_one_machine().__contains__, lambda _: True)
    for there in nodes:
        made.take_node(there.metadata.name, there)
    for one in pods:
        made.take_pod(None, one, NOW)
    return made


def decide(of: Board, most: int = EVERYTHING) -> Decided:
    """Returns everything that is decided now."""
    return of.decide(NOW, most, epoch=1)


def placed(of: Board) -> dict[str, str]:
    """Returns the decisions that are due, as names of pods and nodes."""
    return {one.key.name: one.node for one in decide(of).decisions}


def told(of: Board) -> dict[str, str]:
    """Returns what each waiting pod would be told."""
    sentences = Sentences(of)
    return {one.key.name: sentences.of(one) for one in of.waiting()}


def carried_out(of: Board, decisions: Sequence[Decision]) -> None:
    """Lets all binds of decisions be accepted, and the ledger forget what is settled."""
    for one in decisions:
        of.settle(one.uid, State.BOUND, one.node)
    for name in list(of.closable()):
        of.close(name)

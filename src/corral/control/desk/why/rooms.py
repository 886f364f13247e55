"""What a pod needs, what nodes have left, and why a node cannot take a pod. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from corral.control.desk.cluster.nodes import NodeView
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.why.words import nanos_of

Amounts = Mapping[str, int]
"""Amounts by resource, in billionths."""


class Room(NamedTuple):
    """A node, what it has in all, and what of it is left; None when nobody may tell."""

    node: NodeView
    total: Amounts
    free: Amounts | None


def needs_of(pod: JobPod) -> Amounts:
    """Returns what has to be free for a pod: its containers together, or one of initialisation if that needs more."""
    needed: dict[str, int] = {}
    for container in pod.spec.containers:
        for resource, value in container.resources.wanted.items():
            needed[resource] = needed.get(resource, 0) + nanos_of(value)
    for container in pod.spec.init_containers:
        for resource, value in container.resources.wanted.items():
            needed[resource] = max(needed.get(resource, 0), nanos_of(value))
    return {resource: amount for resource, amount in needed.items() if amount}


def rooms_in(nodes: Iterable[NodeView], bound: Sequence[JobPod] | None) -> list[Room]:
    """Returns every node with what is left on it after the pods that are bound to it."""
    taken: dict[str, dict[str, int]] = {}
    for pod in bound or ():
        if pod.node and not pod.is_finished:
            used = taken.setdefault(pod.node, {})
            for resource, amount in needs_of(pod).items():
                used[resource] = used.get(resource, 0) + amount
    rooms = []
    for node in nodes:
        total = {name: nanos_of(value) for name, value in node.status.allocatable.items()}
        used = taken.get(node.name, {})
        free = {name: amount - used.get(name, 0) for name, amount in total.items()}
        rooms.append(Room(node, total, None if bound is None else free))
    return rooms


def obstacle(pod: JobPod, node: NodeView) -> str:
    """Returns why a node may not take a pod, whatever is left on it; "" when it may."""
    if not node.is_ready:
        return "not ready"
    if node.spec.unschedulable:
        return "closed to new pods (cordoned)"
    missing = [
        f"{key}={value}" for key, value in pod.spec.node_selector.items() if node.metadata.labels.get(key) != value
    ]
    if missing:
        return f"without the label {', '.join(missing)}"
    for taint in node.spec.taints:
        if taint.effect in ("NoSchedule", "NoExecute") and not _bears(pod, taint.key, taint.value, taint.effect):
            return f"with the taint {taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"
    return ""


def _bears(pod: JobPod, key: str, value: str, effect: str) -> bool:
    for one in pod.spec.tolerations:
        if one.effect not in ("", effect) or one.key not in ("", key):
            continue
        if one.operator == "Exists" or (one.key == key and one.value == value):
            return True
    return False

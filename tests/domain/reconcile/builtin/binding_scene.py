"""Nodes and pods for tests of binding, and a board that has heard of them."""

from collections.abc import Sequence
from typing import Any

from corral.kinds.objects import Object
from corral.reconcile.builtin.binding.board import Board, Choice

GPU = "nvidia.com/gpu"
STAMP = "2027-01-15T08:00:00Z"


def node(name: str, gpus: int = 0, **options: Any) -> Object:
    """Returns a node; options: labels, taints, ready, closed, pods, amounts."""
    amounts = {"cpu": "1", "memory": "1Gi", "pods": str(options.get("pods", 110)), **(options.get("amounts") or {})}
    if gpus:
        amounts[GPU] = str(gpus)
    status = "True" if options.get("ready", True) else "Unknown"
    return {
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": options.get("labels") or {}},
        "spec": {"taints": options.get("taints") or [], "unschedulable": options.get("closed", False)},
        "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": status}]},
    }


def pod(name: str, gpus: int = 0, *, on: str = "", phase: str = "Pending", **spec: Any) -> Object:
    """Returns a pod that asks for GPUs, bound when `on` names a node; the rest goes into its specification."""
    resources = {"requests": {"cpu": "64", **({GPU: str(gpus)} if gpus else {})}}
    given: Object = {"containers": [{"name": "main", "resources": resources}], **spec}
    if on:
        given["nodeName"] = on
    metadata = {"name": name, "namespace": "ns", "uid": f"uid-{name}", "creationTimestamp": STAMP}
    return {"metadata": metadata, "spec": given, "status": {"phase": phase}}


def bound(unbound: Object, node_name: str) -> Object:
    """Returns a pod as it looks once it is bound."""
    return {**unbound, "spec": {**unbound["spec"], "nodeName": node_name}}


def board(nodes: Sequence[Object], pods: Sequence[Object] = ()) -> Board:
    """Returns a board that has heard of nodes and pods."""
    made = Board()
    for one in nodes:
        made.take_node(one["metadata"]["name"], one)
    for one in pods:
        made.take_pod(None, one)
    return made


def choices(of: Board) -> list[Choice]:
    """Returns all decisions that are due."""
    found = []
    while (choice := of.next_choice()) is not None:
        found.append(choice)
    return found


def placed(of: Board) -> dict[str, str]:
    """Returns the decisions that are due, as names of pods and nodes."""
    return {choice.key.name: choice.node for choice in choices(of)}

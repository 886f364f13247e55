"""The Node as it is told to the API: labels, capacity, addresses and conditions. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from corral.kinds.nodes import PROCESS_NODE
from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of

HOST_IP = "127.0.0.1"
MOST_PODS = 1000

PROCESSES_ONLY: Object = {"key": PROCESS_NODE, "value": "true", "effect": "NoSchedule"}
"""The taint of a node of a cluster that others use too: their pods expect containers."""

_WELL = {
    "MemoryPressure": ("KubeletHasSufficientMemory", "there is enough memory"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "there is enough room on the disk"),
    "PIDPressure": ("KubeletHasSufficientPID", "there are enough process numbers"),
}
_PRESSED = {
    "MemoryPressure": "KubeletHasInsufficientMemory",
    "DiskPressure": "KubeletHasDiskPressure",
    "PIDPressure": "KubeletHasInsufficientPID",
}


class Machine(NamedTuple):
    """What is told about the machine: amounts by resource name, facts for `nodeInfo`, and further labels."""

    amounts: Mapping[str, str]
    facts: Mapping[str, str]
    labels: Mapping[str, str]


def labels_of(name: str, machine: Machine) -> dict[str, str]:
    """Returns the labels of the node."""
    facts = machine.facts
    told = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": facts.get("operatingSystem", "linux"),
        "kubernetes.io/arch": facts.get("architecture", ""),
        PROCESS_NODE: "true",
    }
    return {**told, **machine.labels}


def status_of(machine: Machine, port: int, pressures: Mapping[str, str], before: Object, now: float) -> Object:
    """Returns the status of the node; `pressures` says in a sentence each what there is too little of."""
    amounts = {**machine.amounts, "pods": str(MOST_PODS)}
    earlier = {one["type"]: one for one in before.get("conditions") or []}
    told = [_pressure(kind, pressures.get(kind, "")) for kind in _WELL]
    told.append({"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "pods run as processes here"})
    return {
        "capacity": amounts,
        "allocatable": amounts,
        "addresses": [{"type": "InternalIP", "address": HOST_IP}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
        "nodeInfo": dict(machine.facts),
        "conditions": [_since(one, earlier.get(one["type"]), now) for one in told],
    }


def _pressure(kind: str, sentence: str) -> Object:
    reason, well = _WELL[kind]
    if sentence:
        return {"type": kind, "status": "True", "reason": _PRESSED[kind], "message": sentence}
    return {"type": kind, "status": "False", "reason": reason, "message": well}


def _since(condition: Object, before: Object | None, now: float) -> Object:
    is_same = before is not None and before.get("status") == condition["status"]
    since = before.get("lastTransitionTime") if is_same and before else None
    return {**condition, "lastHeartbeatTime": stamp_of(now), "lastTransitionTime": since or stamp_of(now)}

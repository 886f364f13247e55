"""What a fake node says of itself: labels, capacity, conditions, and its lease. Pure."""

from corral.engine.fake_nodes.fleet import FakeNode
from corral.kinds.nodes import FAKE_NODE, GPU
from corral.kinds.objects import Object, labels_of, owner_reference
from corral.kinds.well_known import NODE
from corral.reconcile.builtin.pods import condition_of
from corral.reconcile.moments import micro_stamp_of, stamp_of

RACK = "topology.corral.dev/rack"
NODES_PER_RACK = 16
RACKS_PER_ZONE = 4

_WELL = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID"),
    "Ready": ("True", "KubeletReady"),
}


def labels_for(node: FakeNode) -> dict[str, str]:
    """Returns the labels of a node: those that people select by, and where it stands in a building that is not there."""
    rack = node.number // NODES_PER_RACK
    labels = {
        FAKE_NODE: "true",
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "fake",
        "topology.kubernetes.io/zone": f"fake-{rack // RACKS_PER_ZONE}",
        RACK: f"rack-{rack:02}",
    }
    if node.gpus:
        labels |= {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.count": str(node.gpus)}
    if node.gpus and node.model:
        labels["nvidia.com/gpu.product"] = node.model
    return labels


def amounts_for(node: FakeNode) -> dict[str, str]:
    """Returns the capacity of a node, with as much CPU and memory as machines with such GPUs tend to have."""
    amounts = {
        "cpu": str(12 * node.gpus or 32),
        "memory": f"{96 * node.gpus or 128}Gi",
        "ephemeral-storage": "1000Gi",
        "pods": "110",
    }
    return {**amounts, GPU: str(node.gpus)} if node.gpus else amounts


def node_object(node: FakeNode, address: str, now: float) -> Object:
    """Returns the Node to register."""
    stamp = stamp_of(now)
    status = {
        "capacity": amounts_for(node),
        "allocatable": amounts_for(node),
        "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": node.name}],
        "conditions": [
            {
                "type": kind,
                "status": holds,
                "reason": reason,
                "message": "this node is fake: its pods are played and run nothing",
                "lastHeartbeatTime": stamp,
                "lastTransitionTime": stamp,
            }
            for kind, (holds, reason) in _WELL.items()
        ],
        "nodeInfo": {
            "kubeletVersion": "fake",
            "containerRuntimeVersion": "fake://0",
            "osImage": "none",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
    }
    return {"metadata": {"name": node.name, "labels": labels_for(node)}, "status": status}


def is_as_told(found: Object, node: FakeNode) -> bool:
    """Whether a registered Node says what it should; whatever else people have added to it may stay."""
    status, labels, ready = found.get("status") or {}, labels_of(found), condition_of(found, "Ready")
    is_ready = ready is not None and ready.get("status") == "True"
    is_labelled = all(labels.get(name) == value for name, value in labels_for(node).items())
    wanted = amounts_for(node)
    return is_ready and is_labelled and status.get("capacity") == wanted == status.get("allocatable")


def lease_object(node: Object, namespace: str, seconds: int, now: float) -> Object:
    """Returns the Lease by which a node shows that it is alive; it goes with the node."""
    name = node["metadata"]["name"]
    owner = {**owner_reference(NODE, node, controller=False), "blockOwnerDeletion": False}
    return {
        "metadata": {"name": name, "namespace": namespace, "ownerReferences": [owner]},
        "spec": {"holderIdentity": name, "leaseDurationSeconds": seconds, "renewTime": micro_stamp_of(now)},
    }

"""A node in one line: its GPUs, how they are given out, and what else it has. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.cluster.nodes import NodeView
from corral.control.desk.jobs.pod_states import pod_state
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.top.usage import UNMEASURED, Usage, Usages
from corral.kinds.gpus import is_gpu
from corral.kinds.quantities import QuantityError, parse_quantity

MODES: Final = ("none", "exclusive", "topology", "share")
"""How GPUs of a node are given out, in Arena's words."""
GPU_MEMORY: Final = "aliyun.com/gpu-mem"
GPU_COUNT: Final = "aliyun.com/gpu-count"
GPU_CORE: Final = "aliyun.com/gpu-core.percentage"
_SCHEDULE: Final = "ack.node.gpu.schedule"
_ROLE: Final = "node-role.kubernetes.io/"
_NANO: Final = 10**9


class PodOnNode(NamedTuple):
    """A pod that has GPUs of a node, or a share of one."""

    namespace: str
    name: str
    status: str
    gpus: int
    gpu_memory: int
    gpu_core: int


class NodeLine(NamedTuple):
    """One node."""

    name: str
    address: str
    role: str
    is_ready: bool
    mode: str
    gpus: int
    gpus_allocated: float | None
    unhealthy: int
    gpu_memory: tuple[int, int]
    """Given out and there, in GiB, of a node that shares GPUs."""
    gpu_core: tuple[int, int]
    cpu: float
    memory: int
    usage: Usage
    pods: tuple[PodOnNode, ...]

    @property
    def status(self) -> str:
        """Returns Ready or NotReady."""
        return "Ready" if self.is_ready else "NotReady"

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        shared = (
            {"memoryGiB": dict(zip(("allocated", "total"), self.gpu_memory, strict=True))}
            if self.mode == "share"
            else {}
        )
        return {
            "name": self.name,
            "address": self.address,
            "role": self.role,
            "status": self.status,
            "gpuMode": self.mode,
            "gpus": {"total": self.gpus, "allocated": self.gpus_allocated, "unhealthy": self.unhealthy, **shared},
            "cpu": {"total": self.cpu, "used": self.usage.document()["cpu"]},
            "memory": {"totalBytes": self.memory, "usedBytes": self.usage.memory},
            "instances": [pod._asdict() for pod in self.pods],
        }


def mode_of(node: NodeView) -> str:
    """Returns how the GPUs of a node are given out."""
    labels = node.metadata.labels
    schedule = labels.get(_SCHEDULE, "")
    if schedule in ("share", "cgpu") or "true" in (labels.get("gpushare"), labels.get("cgpu")):
        return "share"
    if schedule == "topology":
        return "topology"
    return "exclusive" if _devices(node.status.capacity) else "none"


def node_lines(nodes: Iterable[NodeView], pods: Sequence[JobPod] | None, usages: Usages) -> list[NodeLine]:
    """Returns a line for each node, sorted by how GPUs are given out, none first, and by name."""
    by_node: dict[str, list[JobPod]] = {}
    for pod in pods or ():
        by_node.setdefault(pod.node, []).append(pod)
    lines = [
        _line(node, None if pods is None else by_node.get(node.name, []), usages.nodes.get(node.name, UNMEASURED))
        for node in nodes
    ]
    return sorted(lines, key=lambda line: (MODES.index(line.mode), line.name))


def _line(node: NodeView, pods: Sequence[JobPod] | None, usage: Usage) -> NodeLine:
    mode, capacity = mode_of(node), node.status.capacity
    there = [_on_node(pod) for pod in pods or ()]
    memory = (sum(one.gpu_memory for one in there), _whole(capacity.get(GPU_MEMORY)))
    core = (sum(one.gpu_core for one in there), _whole(capacity.get(GPU_CORE)))
    total = _whole(capacity.get(GPU_COUNT)) if mode == "share" else _devices(capacity)
    allocated: float = sum(one.gpus for one in there)
    if mode == "share" and memory[1]:
        allocated = round(total * memory[0] / memory[1], 1)
    return NodeLine(
        node.name,
        next((one.address for one in node.status.addresses if one.type == "InternalIP"), ""),
        ",".join(sorted(label.removeprefix(_ROLE) for label in node.metadata.labels if label.startswith(_ROLE))),
        node.is_ready,
        mode,
        total,
        None if pods is None else allocated,
        max(0, _devices(capacity) - _devices(node.status.allocatable)),
        memory,
        core,
        _nanos(capacity.get("cpu")) / _NANO,
        _nanos(capacity.get("memory")) // _NANO,
        usage,
        tuple(one for one in there if one.gpus or one.gpu_memory),
    )


def _on_node(pod: JobPod) -> PodOnNode:
    limits = [one.resources.limits for one in pod.spec.containers]
    memory, core = (sum(_whole(one.get(name)) for one in limits) for name in (GPU_MEMORY, GPU_CORE))
    return PodOnNode(pod.metadata.namespace, pod.name, pod_state(pod), pod.gpus, memory, core)


def _devices(amounts: Mapping[str, Any]) -> int:
    """Returns how many devices there are; one that goes by two names counts once."""
    return max((_whole(amount) for name, amount in amounts.items() if is_gpu(name)), default=0)


def _whole(value: Any) -> int:
    return _nanos(value) // _NANO


def _nanos(value: Any) -> int:
    try:
        return 0 if value is None else parse_quantity(str(value)).nanos
    except QuantityError:
        return 0

"""What a node and its pods use, in the form of a kubelet's `/stats/summary`, which tools for metrics read. Pure."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corral.kinds.objects import Object
from corral.reconcile.moments import micro_stamp_of

_NANO = 1_000_000_000


class Usage(NamedTuple):
    """What was used so far of the processors, and is in use of the memory."""

    cpu_seconds: float = 0.0
    memory_bytes: int = 0

    def plus(self, other: "Usage") -> "Usage":
        """Returns both together."""
        return Usage(self.cpu_seconds + other.cpu_seconds, self.memory_bytes + other.memory_bytes)


class PodUsage(NamedTuple):
    """A pod and what each of its running containers uses."""

    pod: Object
    containers: Mapping[str, Usage]


def summary_of(node: str, whole: Usage, pods: Iterable[PodUsage], now: float) -> Object:
    """Returns the summary."""
    # Whoever looks twice divides by the time between: a second more or less would double what a processor does.
    stamp = micro_stamp_of(now)
    return {
        "node": {"nodeName": node, **_figures(whole, stamp)},
        "pods": [_pod(each, stamp) for each in pods],
    }


def _pod(each: PodUsage, stamp: str) -> Object:
    meta, total = each.pod["metadata"], Usage()
    for usage in each.containers.values():
        total = total.plus(usage)
    return {
        "podRef": {"name": meta["name"], "namespace": meta.get("namespace", ""), "uid": meta["uid"]},
        **_figures(total, stamp),
        "containers": [{"name": name, **_figures(usage, stamp)} for name, usage in each.containers.items()],
    }


def _figures(usage: Usage, stamp: str) -> Object:
    return {
        "cpu": {"time": stamp, "usageCoreNanoSeconds": int(usage.cpu_seconds * _NANO)},
        "memory": {"time": stamp, "workingSetBytes": usage.memory_bytes, "usageBytes": usage.memory_bytes},
    }

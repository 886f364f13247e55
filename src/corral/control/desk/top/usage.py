"""What is used, as two kinds of APIs tell it: metrics.k8s.io, and the summary of a kubelet. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from corral.kinds.objects import Object
from corral.kinds.quantities import QuantityError, parse_quantity
from corral.kinds.references import ObjectKey
from corral.reconcile.moments import seconds_of

_NANO = 10**9


class Usage(NamedTuple):
    """Processors and bytes in use; None is not measured."""

    cpu: float | None = None
    memory: int | None = None

    def plus(self, other: "Usage") -> "Usage":
        """Returns both together, as far as they are measured."""
        return Usage(_sum(self.cpu, other.cpu), _sum(self.memory, other.memory))

    def document(self) -> dict[str, Any]:
        """Returns it as data."""
        return {"cpu": None if self.cpu is None else round(self.cpu, 3), "memoryBytes": self.memory}


UNMEASURED = Usage()


class Usages(NamedTuple):
    """What nodes and pods use, by name."""

    nodes: Mapping[str, Usage]
    pods: Mapping[ObjectKey, Usage]

    def together(self, pods: Iterable[ObjectKey]) -> Usage:
        """Returns what some pods use together."""
        total = UNMEASURED
        for key in pods:
            total = total.plus(self.pods.get(key, UNMEASURED))
        return total


NOTHING = Usages({}, {})


def of_node_metrics(items: Iterable[Object]) -> dict[str, Usage]:
    """Returns what nodes use by metrics.k8s.io."""
    return {one["metadata"]["name"]: _of_amounts(one.get("usage") or {}) for one in items}


def of_pod_metrics(items: Iterable[Object]) -> dict[ObjectKey, Usage]:
    """Returns what pods use by metrics.k8s.io: their containers together."""
    found = {}
    for one in items:
        total = UNMEASURED
        for container in one.get("containers") or ():
            total = total.plus(_of_amounts(container.get("usage") or {}))
        found[ObjectKey(one["metadata"].get("namespace", ""), one["metadata"]["name"])] = total
    return found


def of_summary(look: Object, before: Object | None = None) -> Usages:
    """Returns what a node and its pods use by its summary; processors need a rate, or a look before this one."""
    node, earlier = look.get("node") or {}, (before or {}).get("node") or {}
    pods, earlier_pods = _pods(look), _pods(before or {})
    return Usages(
        {str(node.get("nodeName", "")): _of_figures(node, earlier)},
        {key: _of_figures(pod, earlier_pods.get(key) or {}) for key, pod in pods.items()},
    )


def has_rates(look: Object) -> bool:
    """Whether a summary says by itself how busy processors are."""
    parts = [look.get("node") or {}, *(look.get("pods") or ())]
    return all("usageNanoCores" in (part.get("cpu") or {}) for part in parts)


def _pods(look: Object) -> dict[ObjectKey, Object]:
    refs = [(pod.get("podRef") or {}, pod) for pod in look.get("pods") or ()]
    return {ObjectKey(str(ref.get("namespace", "")), str(ref.get("name", ""))): pod for ref, pod in refs}


def _of_figures(part: Object, earlier: Object) -> Usage:
    cpu, memory = part.get("cpu") or {}, part.get("memory") or {}
    used = memory.get("workingSetBytes")
    return Usage(_rate(cpu, earlier.get("cpu") or {}), None if used is None else int(used))


def _rate(cpu: Object, earlier: Object) -> float | None:
    if "usageNanoCores" in cpu:
        return float(cpu["usageNanoCores"]) / _NANO
    now, then = seconds_of(cpu.get("time")), seconds_of(earlier.get("time"))
    used, had = cpu.get("usageCoreNanoSeconds"), earlier.get("usageCoreNanoSeconds")
    if now is None or then is None or used is None or had is None or now <= then:
        return None
    return max(0.0, float(used - had) / _NANO / (now - then))


def _of_amounts(amounts: Mapping[str, Any]) -> Usage:
    cpu, memory = _nanos(amounts.get("cpu")), _nanos(amounts.get("memory"))
    return Usage(None if cpu is None else cpu / _NANO, None if memory is None else memory // _NANO)


def _nanos(value: Any) -> int | None:
    try:
        return None if value is None else parse_quantity(str(value)).nanos
    except QuantityError:
        return None


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other

"""What `corral up` costs when nothing happens: processor time over a minute, and memory, without pods and with idle ones."""

from collections.abc import Callable
from time import perf_counter, sleep

from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from tools.bench.node.corral_up import CorralUp, wait_until
from tools.bench.node.gates import Section
from tools.bench.node.manifests import NAMESPACE, idle_pods
from tools.bench.node.spending import cpu_seconds_of

PREFIX = "idle"
PODS = 20


def measure_rest(up: CorralUp, seconds: float, say: Callable[[str], None]) -> Section:
    """Returns the costs at rest."""
    say(f"rest: {seconds:g} s without pods")
    states = {"no pods": _at_rest(up, seconds)}
    for pod in idle_pods(PREFIX, PODS, 1):
        up.client.create(POD, pod)
    wait_until(lambda: _running(up) == PODS, "the idle pods run", every=0.5)
    say(f"rest: {seconds:g} s with {PODS} idle pods")
    states[f"{PODS} idle pods"] = _at_rest(up, seconds)
    up.client.delete_collection(POD, Scope(namespace=NAMESPACE, labels=f"bench={PREFIX}"))
    wait_until(lambda: not up.pods(), "the idle pods are gone", every=0.5)
    return {"seconds": seconds, "states": states}


def _running(up: CorralUp) -> int:
    return sum((pod.get("status") or {}).get("phase") == "Running" for pod in up.pods())


def _at_rest(up: CorralUp, seconds: float) -> Section:
    up.settled_cpu()
    sleep(5.0)
    pids = up.pids()
    before = {name: cpu_seconds_of(pid) or 0.0 for name, pid in pids.items()}
    began = perf_counter()
    sleep(seconds)
    took = perf_counter() - began
    used = {name: (cpu_seconds_of(pid) or 0.0) - before[name] for name, pid in pids.items()}
    memory = up.memory()
    return {
        "cpu_percent": round(100 * sum(used.values()) / took, 3),
        "cpu_percent_of_parts": {name: round(100 * one / took, 3) for name, one in used.items()},
        "memory_mb": round(sum(memory.values()), 1),
        "memory_mb_of_parts": memory,
    }

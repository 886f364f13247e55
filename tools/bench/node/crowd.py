"""Two hundred pods of two processes each: how long until all run, what that costs, and whether all of it goes again."""

from collections.abc import Callable
from time import monotonic_ns, perf_counter

from corral.kinds.well_known import POD
from corral.ports.object_store import Scope
from tools.bench.node.corral_up import CorralUp, wait_until
from tools.bench.node.gates import Section
from tools.bench.node.manifests import NAMESPACE, idle_pods
from tools.bench.node.sightings import Sightings

PREFIX = "crowd"
CONTAINERS = 2
_LIMIT = 900.0


def measure_crowd(up: CorralUp, pods: int, say: Callable[[str], None]) -> Section:
    """Makes the pods, waits, deletes them, and returns what that took."""
    with Sightings(up.access) as sightings:
        return _measured(up, sightings, pods, say)


def _measured(up: CorralUp, sightings: Sightings, pods: int, say: Callable[[str], None]) -> Section:
    used, empty = up.settled_cpu(), up.memory()
    say(f"crowd: {pods} pods of {CONTAINERS} processes")
    began = monotonic_ns()
    for pod in idle_pods(PREFIX, pods, CONTAINERS):
        up.client.create(POD, pod)
    made = monotonic_ns()
    wait_until(lambda: sightings.count(PREFIX, "running") >= pods, "all pods run", _LIMIT)
    seconds = (sightings.last(PREFIX, "running") - began) / 1e9
    running = sum((pod.get("status") or {}).get("phase") == "Running" for pod in up.pods())
    processes = len(up.container_pids())
    cpu, full = up.settled_cpu(), up.memory()
    say(f"crowd: all run after {seconds:.1f} s; deletion")
    return {
        "pods": pods,
        "processes": CONTAINERS,
        "running": running,
        "processes_with_holders": processes,
        "seconds_to_create": round((made - began) / 1e9, 2),
        "seconds_to_run": round(seconds, 2),
        "cpu_seconds_to_run": round(cpu - used, 2),
        "memory_mb_without": round(sum(empty.values()), 1),
        "memory_mb_with": round(sum(full.values()), 1),
        "memory_mb_of_parts": {"without": empty, "with": full},
        **_deleted(up, cpu),
    }


def _deleted(up: CorralUp, used: float) -> Section:
    began = perf_counter()
    up.client.delete_collection(POD, Scope(namespace=NAMESPACE, labels=f"bench={PREFIX}"))
    wait_until(lambda: not up.pods(), "all pods are gone", _LIMIT, every=0.25)
    seconds = perf_counter() - began
    left = up.left_behind()
    return {
        "seconds_to_delete": round(seconds, 2),
        "cpu_seconds_to_delete": round(up.settled_cpu() - used, 2),
        "left": left,
    }

"""How many decisions one core takes in a second, for single pods and for gangs, on fleets of 1,213 and 10,000 nodes.

Each fleet is filled to half with pods of the trace. Then pods come one after another, each replacing one that leaves, or gangs are
planned and let go. Times are processor time of this process: other programs on the machine do not count.
"""

import resource
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from corral.placement.asks import Gang, GpuAsk, Member, Plan, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.gangs import plan
from corral.placement.potentials import Policy
from tools.bench.placement.filling import Say
from tools.bench.placement.traces import Trace, trace

NODES = (1213, 10_000)
GANGS = (1, 8, 64, 512)
_SINGLE = 5_000
_OF_A_GANG = PodAsk(4_000, 1 << 34, GpuAsk(1))
_FILLED = 0.5


def measure_speed(policy: str, nodes: Sequence[int], gangs: Sequence[int], say: Say) -> dict[str, Any]:
    """Measures every size of gang on every size of fleet."""
    here = trace("default")
    rows = []
    for number in nodes:
        for size in gangs:
            say(f"gangs of {size} on {number} nodes")
            rows.append(_row(here, policy, number, size))
    return {"policy": policy, "filled": _FILLED, "rows": rows}


def _row(here: Trace, name: str, nodes: int, size: int) -> dict[str, Any]:
    policy, fleet, generator = here.policy(name), Fleet(1), np.random.default_rng(1)
    for index in range(nodes):
        fleet.put(here.nodes[index % len(here.nodes)]._replace(name=f"node-{index}"))
    asks = (here.pods[int(generator.integers(len(here.pods)))].ask for _ in count())
    present = _fill(fleet, policy, asks)
    times = _singles(fleet, policy, asks, present) if size == 1 else _planned(fleet, policy, size)
    seconds = np.array(times)
    return {
        "nodes": nodes,
        "gang": size,
        "pods_per_second": round(size * len(times) / seconds.sum()),
        "p50_ms": round(float(np.percentile(seconds, 50)) * 1e3, 3),
        "p99_ms": round(float(np.percentile(seconds, 99)) * 1e3, 3),
        "longest_ms": round(float(seconds.max()) * 1e3, 3),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _fill(fleet: Fleet, policy: Policy, asks: Iterator[PodAsk]) -> deque[str]:
    present: deque[str] = deque()
    wanted = _FILLED * int(fleet.columns.gpu.sum())
    for index, ask in enumerate(asks):
        if int(fleet.columns.gpu.sum()) <= wanted:
            return present
        uid = f"first-{index}"
        answer = plan(fleet, Gang(uid, (Member(uid, ask),), 1), policy, explain=False)
        if isinstance(answer, Plan):
            fleet.hold(answer.seats[0], ask)
            present.append(uid)
    return present


def _singles(fleet: Fleet, policy: Policy, asks: Iterator[PodAsk], present: deque[str]) -> list[float]:
    """Times of deciding for one pod and holding its seat, while for each that comes the oldest leaves."""
    times = []
    for index in range(_SINGLE):
        ask, uid = next(asks), f"pod-{index}"
        gang = Gang(uid, (Member(uid, ask),), 1)
        start = time.process_time()
        answer = plan(fleet, gang, policy, explain=False)
        if isinstance(answer, Plan):
            fleet.hold(answer.seats[0], ask)
            present.append(uid)
        times.append(time.process_time() - start)
        fleet.release(present.popleft())
    return times


def _planned(fleet: Fleet, policy: Policy, size: int) -> list[float]:
    times = []
    for index in range(max(5, min(200, 4_000 // size))):
        name = f"gang-{index}"
        gang = Gang(name, tuple(Member(f"{name}-{rank}", _OF_A_GANG) for rank in range(size)), size)
        start = time.process_time()
        answer = plan(fleet, gang, policy, explain=False)
        if isinstance(answer, Plan):
            for seat, member in zip(answer.seats, gang.members, strict=True):
                fleet.hold(seat, member.ask)
        times.append(time.process_time() - start)
        for member in gang.members:
            fleet.release(member.uid)
    return times

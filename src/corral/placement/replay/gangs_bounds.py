"""What no scheduler can beat on a trace of gangs: the least makespan, and the least mean wait.

Makespan: whatever arrives after a moment must be done after it, on all GPUs at best (area); gangs of several nodes fit only so many at
a time; and a job ends no sooner than it runs.

Waits: a schedule of gangs is one of a single machine that is as fast as all GPUs together. There, the sum of ends is least when
whoever has least left to do goes first and others stop for it (SRPT). And since a gang runs at one stretch, it ends half its run time
after the middle of it; the sum of these middles is least when the smallest areas go first, with stops (the relaxation by mean busy
times, Goemans et al. 2002). The larger of the two holds; stops and partial speed, which no real gang has, make it loose.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from corral.placement.replay.gangs_trace import GPUS_PER_NODE, GangJob


class Bounds(NamedTuple):
    """What no scheduler goes below, in seconds."""

    makespan: float
    mean_wait: float


def bounds_of(jobs: Sequence[GangJob], node_count: int, per_node: int = GPUS_PER_NODE) -> Bounds:
    """Returns the bounds of jobs on so many nodes."""
    gpus = node_count * per_node
    first = min(job.arrived for job in jobs)
    ends = sum(job.arrived + job.duration for job in jobs)
    least = max(_srpt(jobs, gpus), _mean_busy(jobs, gpus), ends)
    return Bounds(_makespan(jobs, node_count, per_node) - first, (least - ends) / len(jobs))


def _makespan(jobs: Sequence[GangJob], node_count: int, per_node: int) -> float:
    best = max(job.arrived + job.duration for job in jobs)
    sizes = {-(-job.gpus // per_node) for job in jobs if job.gpus > per_node // 2}
    for size in sizes:
        # Of gangs that need more than half of a node, or several, each takes whole nodes from the others.
        places = max(node_count // size, 1)
        large = [job for job in jobs if job.gpus > per_node // 2 and -(-job.gpus // per_node) >= size]
        best = max(best, _backward([(job.arrived, job.duration / places) for job in large]))
    return max(best, _backward([(job.arrived, job.work / (node_count * per_node)) for job in jobs]))


def _backward(parts: list[tuple[float, float]]) -> float:
    """Returns the latest of all moments plus what arrives from then on."""
    total, best = 0.0, 0.0
    for arrived, length in sorted(parts, reverse=True):
        total += length
        best = max(best, arrived + total)
    return best


def _srpt(jobs: Sequence[GangJob], gpus: int) -> float:
    """Returns the least sum of ends on one machine as fast as all GPUs."""
    order = sorted(jobs, key=lambda job: job.arrived)
    left: list[float] = []
    now, total, index = 0.0, 0.0, 0
    while index < len(order) or left:
        if not left:
            now = max(now, order[index].arrived)
        while index < len(order) and order[index].arrived <= now:
            heappush(left, order[index].work / gpus)
            index += 1
        following = order[index].arrived if index < len(order) else float("inf")
        least = heappop(left)
        if now + least <= following:
            now += least
            total += now
        else:
            heappush(left, least - (following - now))
            now = following
    return total


def _mean_busy(jobs: Sequence[GangJob], gpus: int) -> float:
    """Returns the least sum of middles, each with half the run time of its job added."""
    order = sorted(jobs, key=lambda job: job.arrived)
    ready: list[tuple[float, float, float]] = []
    now, total, index = 0.0, 0.0, 0
    while index < len(order) or ready:
        if not ready:
            now = max(now, order[index].arrived)
        while index < len(order) and order[index].arrived <= now:
            area = order[index].work / gpus
            heappush(ready, (area, order[index].arrived, area))
            index += 1
        following = order[index].arrived if index < len(order) else float("inf")
        area, arrived, left = heappop(ready)
        done = min(left, following - now)
        # The part of its area that is done now, times the middle of that time.
        total += done / area * (now + done / 2)
        now += done
        if left > done:
            heappush(ready, (area, arrived, left - done))
    return total + sum(job.duration / 2 for job in jobs)

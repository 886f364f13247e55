"""Traces of gangs: jobs that arrive, ask for GPUs together, run for some time, and end.

The form is a table with a header: `vc` (the queue), `job_id`, `num_gpu`, `submit_s`, `duration_s`.
"""

import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from corral.placement.asks import Gang, GpuAsk, Member, PodAsk
from corral.placement.offers import GpuOffer, NodeOffer

GPUS_PER_NODE = 8


class GangJob(NamedTuple):
    """A job of a trace."""

    uid: str
    queue: str
    gpus: int
    arrived: float
    duration: float

    @property
    def work(self) -> float:
        """Returns the GPU-seconds that it takes."""
        return self.gpus * self.duration


def read_gang_jobs(lines: Iterable[str]) -> Iterator[GangJob]:
    """Yields the jobs of a table, in its order."""
    for row in csv.DictReader(lines):
        uid = f"{row['vc']}/{row['job_id']}"
        yield GangJob(uid, row["vc"], int(row["num_gpu"]), float(row["submit_s"]), max(float(row["duration_s"]), 1.0))


def gang_of(job: GangJob, per_node: int = GPUS_PER_NODE) -> Gang:
    """Returns a job as a gang: one pod when it fits on a node, whole nodes otherwise, and a pod with the rest."""
    sizes = [per_node] * (job.gpus // per_node) + ([job.gpus % per_node] if job.gpus % per_node else [])
    members = tuple(
        Member(f"{job.uid}/{index}", PodAsk(gpu=GpuAsk(size), cpu=1000 * size)) for index, size in enumerate(sizes)
    )
    return Gang(job.uid, members, len(members), job.queue)


def nodes_for(jobs: Iterable[GangJob], load: float, per_node: int = GPUS_PER_NODE) -> int:
    """Returns how many nodes let jobs load them so much, on the mean from the first arrival to the last; enough for the largest."""
    arrived = list(jobs)
    span = max(one.arrived for one in arrived) - min(one.arrived for one in arrived)
    needed = sum(one.work for one in arrived) / max(span, 1.0) / load / per_node
    largest = max(one.gpus for one in arrived) / per_node
    return max(-(-int(needed * 1000) // 1000), -(-int(largest * 1000) // 1000), 1)


def nodes(count: int, per_node: int = GPUS_PER_NODE) -> list[NodeOffer]:
    """Returns equal nodes."""
    gpus = (GpuOffer(),) * per_node
    return [NodeOffer(f"n{index:04}", 12_000 * per_node, 1 << 40, gpus=gpus) for index in range(count)]

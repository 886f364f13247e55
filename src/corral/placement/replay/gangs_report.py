"""What became of a trace of gangs, in a few numbers."""

from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

from corral.placement.replay.gangs_run import Played


class GangReport(NamedTuple):
    """Waits in seconds, makespan in seconds, and the share of all GPUs that worked until the last end."""

    jobs: int
    mean: float
    median: float
    p95: float
    longest: float
    makespan: float
    utilisation: float
    mean_by_size: tuple[tuple[int, float], ...]
    longest_by_size: tuple[tuple[int, float], ...]


def report_of(played: Sequence[Played], gpus: int) -> GangReport:
    """Returns the numbers of a run on so many GPUs."""
    waits = sorted(one.waited for one in played)
    first, last = min(one.job.arrived for one in played), max(one.ended for one in played)
    sizes = sorted({one.job.gpus for one in played})
    by_size = {size: [one.waited for one in played if one.job.gpus == size] for size in sizes}
    work = sum(one.job.work for one in played)
    return GangReport(
        len(played),
        fmean(waits),
        median(waits),
        waits[min(int(0.95 * len(waits)), len(waits) - 1)],
        waits[-1],
        last - first,
        work / (gpus * (last - first)),
        tuple((size, fmean(found)) for size, found in by_size.items()),
        tuple((size, max(found)) for size, found in by_size.items()),
    )

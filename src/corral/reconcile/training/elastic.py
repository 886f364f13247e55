"""Between how many pods an elastic job can run: by its policy, or by the annotations of an elastic MPIJob."""

from typing import NamedTuple

from corral.kinds.submission.frameworks.mpi import MAX_WORKERS, MIN_WORKERS
from corral.kinds.training.job import TrainingJob
from corral.reconcile.frameworks.pytorch import worker_limits
from corral.reconcile.training.autoscaling import asks_for_autoscaler

WORKER = "Worker"


class Bounds(NamedTuple):
    """The fewest and the most pods of all roles together."""

    least: int
    most: int


def bounds_of(job: TrainingJob) -> Bounds | None:
    """Returns how many pods an elastic job can do with and can use; None when it keeps its size."""
    workers = _worker_bounds(job)
    if workers is None or not job.has(WORKER) or not 0 <= workers.least < workers.most:
        return None
    others = job.total - job.count(WORKER)
    return Bounds(others + workers.least, others + workers.most)


def _worker_bounds(job: TrainingJob) -> Bounds | None:
    if getattr(job.spec, "elastic_policy", None) is not None:
        return Bounds(*worker_limits(job))
    least, most = (job.annotations.get(name, "") for name in (MIN_WORKERS, MAX_WORKERS))
    if least.isdecimal() and most.isdecimal():
        return Bounds(int(least), int(most))
    return None


def gang_bounds_of(job: TrainingJob) -> Bounds | None:
    """Returns the bounds that a scheduler is told; None also when an autoscaler moves the size already: two would fight."""
    return None if asks_for_autoscaler(job) else bounds_of(job)

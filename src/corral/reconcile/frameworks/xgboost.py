"""XGBoost and LightGBM: the master tracks, everyone has a rank, and LightGBM also wants the list of workers."""

from collections.abc import Sequence

from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.xgboost import XGBOOST_JOB
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.framework import Framework, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns the variables of one pod; those for LightGBM only if there is somebody to talk to."""
    master = addressing.near(job.child_name("Master", 0), job.port("Master"))
    rank = place.index if place.role == "Master" else job.count("Master") + place.index
    found = [
        variable("MASTER_PORT", master.port),
        variable("MASTER_ADDR", master.host),
        variable("WORLD_SIZE", job.total),
        variable("RANK", rank),
        variable("PYTHONUNBUFFERED", 1),
    ]
    workers = [
        addressing.near(job.child_name("Worker", index), job.port("Worker")) for index in range(job.count("Worker"))
    ]
    if job.total > 1 and workers:
        found.append(variable("WORKER_PORT", workers[0].port))
        found.append(variable("WORKER_ADDRS", ",".join(worker.host for worker in workers)))
    return found


XGBOOST = Framework(
    facts=XGBOOST_JOB,
    environment=environment,
    is_master=lambda job, place: place.role == "Master",
    is_running=any_active("Master"),
    has_succeeded=all_succeeded("Master"),
    speaks_in_full=lambda job: False,
    was_always_running=True,
)

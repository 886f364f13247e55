"""JAX: processes that are all alike, of which the first coordinates."""

from collections.abc import Sequence

from corral.kinds.training.jax import JAX_JOB
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.framework import Framework, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active, labels_leader


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns what `jax.distributed.initialize` wants to know."""
    coordinator = addressing.near(job.child_name("Worker", 0), job.port("Worker"))
    return (
        variable("PYTHONUNBUFFERED", 1),
        variable("COORDINATOR_PORT", coordinator.port),
        variable("COORDINATOR_ADDRESS", coordinator.host),
        variable("NUM_PROCESSES", job.total),
        variable("PROCESS_ID", place.index),
    )


JAX = Framework(
    facts=JAX_JOB,
    environment=environment,
    is_master=labels_leader(),
    is_running=any_active("Worker"),
    has_succeeded=all_succeeded("Worker"),
    speaks_in_full=lambda job: True,
)

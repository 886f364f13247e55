"""TensorFlow: every process gets the map of the whole cluster in TF_CONFIG.

With dynamic workers it gets only what it must know: a worker itself and the parameter servers, a parameter server itself.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.tensorflow import TF_JOB
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.cluster_map import ClusterMap
from corral.reconcile.frameworks.framework import Framework, Tally, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active, labels_leader, leading_role, tally_of

CHIEFS = ("Chief", "Master")
"""Two names of one role."""


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns TF_CONFIG; a job of a single process needs none."""
    if job.total == 1:
        return ()
    written = _sparse_config if job.spec.enable_dynamic_worker else _FULL.told_to
    return (variable("TF_CONFIG", written(job, place, addressing)),)


def _cluster(job: TrainingJob, addressing: Addressing) -> dict[str, Any]:
    return {"cluster": {role.lower(): _hosts(job, role, addressing) for role in sorted(job.roles, key=str.lower)}}


# TensorFlow before 1.4 takes a job without an environment for a local one.
_FULL = ClusterMap(_cluster, after_task={"environment": "cloud"})


def _sparse_config(job: TrainingJob, place: Place, addressing: Addressing) -> str:
    worker: dict[str, str] = {}
    servers: list[str] | None = []
    if place.role == "Worker":
        worker = {str(place.index): _host(job, place, job.port("Worker"), addressing)}
        servers = _hosts(job, "PS", addressing) if job.has("PS") else None
    elif place.role == "PS":
        servers = [_host(job, place, job.port("PS"), addressing)]
    task = {"type": place.role.lower(), "index": place.index}
    return msgspec.json.encode({"cluster": {"worker": worker, "ps": servers}, "task": task}).decode()


def _hosts(job: TrainingJob, role: str, addressing: Addressing) -> list[str]:
    port = job.port(role)
    return [_host(job, Place(role, index), port, addressing) for index in range(job.count(role))]


def _host(job: TrainingJob, place: Place, port: int, addressing: Addressing) -> str:
    return str(addressing.far(job.child_name(place.role, place.index), job.namespace, port))


def has_succeeded(job: TrainingJob, tally: Tally) -> bool:
    """A chief decides alone; without one all workers do, or by default the first, which then must have exited with 0."""
    if leading_role(job, *CHIEFS):
        return all_succeeded(*CHIEFS)(job, tally)
    if all_succeeded("Worker")(job, tally):
        return True
    return job.spec.success_policy != "AllWorkers" and _first_worker_is_done(job, tally)


def _first_worker_is_done(job: TrainingJob, tally: Tally) -> bool:
    first = tally_of(tally, "Worker").first
    return first is not None and first.phase == "Succeeded" and first.exit_code(job.facts.container) == 0


def forgives(job: TrainingJob, role: str) -> bool:
    """Whether the job goes on without pods of a role: workers that may come and go may also fail."""
    return role == "Worker" and bool(job.spec.enable_dynamic_worker)


TENSORFLOW = Framework(
    facts=TF_JOB,
    environment=environment,
    is_master=labels_leader(*CHIEFS),
    is_running=any_active(*CHIEFS, "Worker"),
    has_succeeded=has_succeeded,
    speaks_in_full=lambda job: True,
    reaches="named",
    fails_in_full=True,
    forgives=forgives,
)

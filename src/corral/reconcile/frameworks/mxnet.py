"""MXNet: servers and workers of a key-value store meet at the scheduler; tuners read the whole map in MX_CONFIG."""

from collections.abc import Sequence
from typing import Any

from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.mxnet import MX_JOB
from corral.reconcile.frameworks.addressing import Addressing, Endpoint
from corral.reconcile.frameworks.cluster_map import ClusterMap
from corral.reconcile.frameworks.framework import Framework, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active

TUNER_KEY = "tuner-server-key"

DECIDING = ("Scheduler", "Tuner", "Worker", "Server", "TunerTracker", "TunerServer")
"""The scheduler decides about a job; a job without one has nobody better than the next of these."""


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns the variables of one pod; without a scheduler the meeting place is empty."""
    root = Endpoint("", 0)
    if job.count("Scheduler"):
        root = addressing.near(job.child_name("Scheduler", 0), job.port("Scheduler"))
    found = [
        variable("MX_CONFIG", _CONFIG.told_to(job, place, addressing)),
        variable("DMLC_PS_ROOT_PORT", root.port),
        variable("DMLC_PS_ROOT_URI", root.host),
        variable("DMLC_NUM_SERVER", job.count("Server")),
        variable("DMLC_NUM_WORKER", job.count("Worker")),
        variable("DMLC_ROLE", place.role.lower()),
        variable("DMLC_USE_KUBERNETES", 1),
    ]
    if place.role == "Worker":
        found.append(variable("DMLC_WORKER_ID", place.index))
    return found


def _cluster(job: TrainingJob, addressing: Addressing) -> dict[str, Any]:
    roles = sorted(job.roles, key=str.lower)
    return {
        "cluster": {role.lower(): _peers(job, role, addressing) for role in roles},
        "labels": {role.lower(): _tuner_key(job, role) for role in roles},
    }


_CONFIG = ClusterMap(_cluster)


def _peers(job: TrainingJob, role: str, addressing: Addressing) -> list[dict[str, object]]:
    port = job.port(role)
    found = [addressing.near(job.child_name(role, index), port) for index in range(job.count(role))]
    return [{"url": one.host, "port": one.port} for one in found]


def _tuner_key(job: TrainingJob, role: str) -> str:
    annotations = (job.roles[role].template.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(TUNER_KEY, ""))


MXNET = Framework(
    facts=MX_JOB,
    environment=environment,
    is_master=lambda job, place: place.role == "Server",
    is_running=any_active(*DECIDING),
    has_succeeded=all_succeeded(*DECIDING),
    speaks_in_full=lambda job: False,
)

"""MPIJobs (v1), and the types of Arena that become one: Horovod, elastic training, DeepSpeed.

The launcher runs the command and reaches the workers through the API. It needs neither data nor GPUs, but the code and the
files: a command may well be a script of the code.
"""

from typing import Any, Final

from msgspec.structs import replace

from corral.kinds.submission.job_type import JobType, Role, resources_of
from corral.kinds.submission.submission import Submission
from corral.kinds.training.mpi import MPI_JOB

TRAINER: Final = "corral.dev/trainer"
"""The annotation that tells as what an MPIJob was submitted."""
MIN_WORKERS, MAX_WORKERS = "corral.dev/min-workers", "corral.dev/max-workers"
TOPOLOGY, TOPOLOGY_SIZE = "gpu-topology", "gpu-topology-replica"
_SSH_KEYS: Final = "/root/.ssh"
_READ, _RUN = 0o444, 0o555


def _roles(submission: Submission) -> list[Role]:
    one = submission
    worker = replace(resources_of(one), restart_policy=one.worker.restart_policy, annotations=one.worker.annotations)
    return [
        Role(
            name="Launcher",
            count=1,
            wishes=one.launcher,
            trains=False,
            takes_devices=False,
        ),
        Role(
            name="Worker",
            count=one.workers,
            wishes=worker,
            gpus=one.gpus,
            runs_command=False,
            ports=(("ssh", one.ssh_port),) if one.ssh_port else (),
        ),
    ]


def _spec(submission: Submission) -> dict[str, Any]:
    return {"slotsPerWorker": max(submission.gpus, 1)}


def _topology(submission: Submission) -> dict[str, str]:
    return {TOPOLOGY: "true", TOPOLOGY_SIZE: str(submission.workers)} if submission.gpu_topology else {}


def _keys(submission: Submission) -> list[tuple[dict[str, Any], str]]:
    if not submission.ssh_secret:
        return []
    return [({"name": "ssh-keys", "secret": {"secretName": submission.ssh_secret, "defaultMode": 0o600}}, _SSH_KEYS)]


def _told_by_operator(
    submission: Submission, name: str, path: str, files: dict[str, int]
) -> tuple[dict[str, Any], str]:
    """Returns files that the operator keeps for the job, at a path where programs look for them."""
    items = [{"key": key, "path": key, "mode": mode} for key, mode in files.items()]
    return {"name": name, "configMap": {"name": f"{submission.name}-config", "items": items}}, path


def _elastic_volumes(submission: Submission) -> list[tuple[dict[str, Any], str]]:
    return [*_keys(submission), _told_by_operator(submission, "elastic-hosts", "/etc/edl", {"discover_hosts.sh": _RUN})]


def _deepspeed_volumes(submission: Submission) -> list[tuple[dict[str, Any], str]]:
    return [*_keys(submission), _told_by_operator(submission, "deepspeed-hosts", "/job", {"hostfile": _READ})]


def _elastic_annotations(submission: Submission) -> dict[str, str]:
    return {TRAINER: "etjob", MIN_WORKERS: str(submission.bounds.least), MAX_WORKERS: str(submission.bounds.most)}


def _elastic_env(submission: Submission) -> dict[str, str]:
    return {"minWorkers": str(submission.bounds.least), "maxWorkers": str(submission.bounds.most)}


_MPI = JobType(
    word="mpijob",
    facts=MPI_JOB,
    roles=_roles,
    rank_zero=lambda _: "Worker",
    spec=_spec,
    pod_labels=_topology,
    host_network=lambda submission: submission.host_network or submission.gpu_topology,
    clean_policy="All",
)

JOB_TYPES = {
    "mpijob": _MPI,
    "horovodjob": replace(
        _MPI, word="horovodjob", annotations=lambda _: {TRAINER: "horovodjob"}, clean_policy="Running"
    ),
    "etjob": replace(
        _MPI,
        word="etjob",
        annotations=_elastic_annotations,
        env=_elastic_env,
        extra_volumes=_elastic_volumes,
        clean_policy="Running",
        backoff_limit=6,
    ),
    "deepspeedjob": replace(
        _MPI,
        word="deepspeedjob",
        annotations=lambda _: {TRAINER: "deepspeedjob"},
        extra_volumes=_deepspeed_volumes,
        clean_policy="Running",
        backoff_limit=6,
    ),
}

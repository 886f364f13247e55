"""The second dialect of MPI: how its pods are named, labelled and addressed, and what its fields mean when absent."""

from dataclasses import replace

from msgspec import structs

from corral.kinds.training.job import TrainingJob
from corral.kinds.training.mpi import MPI_JOB_V2, MPIJobSpec
from corral.kinds.training.run_policy import SchedulingPolicy
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.mpi import MPI, WORKER, launcher_name
from corral.reconcile.training.labels import JOB_ROLE, REPLICA_INDEX, job_labels

MPI_V2 = replace(MPI, facts=MPI_JOB_V2, speaks_in_full=lambda job: True, notices_begin="Set")
"""What the shared parts of a decision need to know; pods and rules of this dialect are its own."""

ROOT_SSH = "/root/.ssh"
QUEUE = "scheduling.volcano.sh/queue-name"


def spec_of(job: TrainingJob) -> MPIJobSpec:
    """Returns the spec, with its type."""
    spec: MPIJobSpec = job.spec
    return spec


def ssh_path(job: TrainingJob) -> str:
    """Returns where the keys are mounted."""
    return spec_of(job).ssh_auth_mount_path or ROOT_SSH


def secret_name(job: TrainingJob) -> str:
    """Returns the name of the Secret with the keys."""
    return f"{job.name}-ssh"


def worker_name(job: TrainingJob, index: int) -> str:
    """Returns the name of a worker's pod, which is its host name too."""
    return job.child_name(WORKER, index)


def labels_of_role(job: TrainingJob, role: str, index: int) -> dict[str, str]:
    """Returns the labels of a pod; the launcher is numbered, as the first, only when it works too."""
    labels = {**job_labels(job), JOB_ROLE: role.lower()}
    works = spec_of(job).run_launcher_as_worker
    if role == WORKER or works:
        labels[REPLICA_INDEX] = str(index + 1 if role == WORKER and works else index)
    return labels


def host(job: TrainingJob, pod: str, addressing: Addressing) -> str:
    """Returns the name under which the pods of the job know one of them."""
    return addressing.far(f"{pod}.{job.name}", job.namespace, 0).host


def search_domain(job: TrainingJob, addressing: Addressing) -> str:
    """Returns the domain in which bare host names of the job are found."""
    domain = addressing.far(job.name, job.namespace, 0).host
    return f"{domain}.cluster.local" if domain.endswith(".svc") else domain


def first_hosts(job: TrainingJob) -> list[str]:
    """Returns the launcher if it works too."""
    return [launcher_name(job)] if spec_of(job).run_launcher_as_worker else []


def as_gang(job: TrainingJob) -> TrainingJob:
    """Returns the job with what a gang of this dialect is taken to say: its queue may stand in an annotation."""
    policy = job.run_policy.scheduling_policy or SchedulingPolicy()
    timeout = policy.schedule_timeout_seconds or 0
    policy = structs.replace(
        policy, queue=policy.queue or job.annotations.get(QUEUE, ""), schedule_timeout_seconds=timeout
    )
    return replace(job, run_policy=structs.replace(job.run_policy, scheduling_policy=policy))

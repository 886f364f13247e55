"""PyTorch: a rank for everyone and the address of the master, or an elastic rendezvous at the first worker.

Variables that begin with PET_ are read by torchrun, the others by scripts that initialise torch.distributed themselves.
"""

from collections.abc import Iterator, Sequence

from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.pytorch import PYTORCH_JOB, ElasticPolicy
from corral.reconcile.frameworks.addressing import Addressing, Endpoint
from corral.reconcile.frameworks.framework import Framework, Tally, Variable, variable
from corral.reconcile.frameworks.name_wait import wait_for_master
from corral.reconcile.frameworks.rules import all_succeeded, any_active, any_succeeded, labels_leader


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns the variables of one pod: those of the master if there is one, then those of the elastic policy."""
    policy: ElasticPolicy | None = job.spec.elastic_policy
    found = [variable("PYTHONUNBUFFERED", 1)]
    if job.count("Master"):
        found += _ranked(job, place, addressing)
    if policy is None or policy.n_proc_per_node is None or job.spec.nproc_per_node:
        found.append(variable("PET_NPROC_PER_NODE", job.spec.nproc_per_node or "auto"))
    if policy is None:
        found.append(variable("PET_NNODES", job.total))
    else:
        found += _elastic(job, policy, addressing)
    return found


def _ranked(job: TrainingJob, place: Place, addressing: Addressing) -> Iterator[Variable]:
    master = addressing.near(job.child_name("Master", 0), job.port("Master"))
    rank = place.index if place.role == "Master" else job.count("Master") + place.index
    yield variable("MASTER_PORT", master.port)
    yield variable("PET_MASTER_PORT", master.port)
    yield variable("MASTER_ADDR", master.host)
    yield variable("PET_MASTER_ADDR", master.host)
    yield variable("WORLD_SIZE", job.total * _processes_per_node(job))
    # The rank is that of the node even where a node has several processes; torchrun derives theirs.
    yield variable("RANK", rank)
    yield variable("PET_NODE_RANK", rank)


def _processes_per_node(job: TrainingJob) -> int:
    """Returns how many processes a node is known to have: the words auto, cpu and gpu count as one."""
    given = job.spec.nproc_per_node or ""
    return int(given) if given.isascii() and given.isdigit() else 1


def _elastic(job: TrainingJob, policy: ElasticPolicy, addressing: Addressing) -> Iterator[Variable]:
    least, most = worker_limits(job)
    yield variable("PET_RDZV_ENDPOINT", _rendezvous(job, policy, addressing))
    yield variable("PET_RDZV_BACKEND", policy.rdzv_backend or "c10d")
    yield variable("PET_NNODES", f"{least}:{most}")
    if policy.max_restarts is not None:
        yield variable("PET_MAX_RESTARTS", policy.max_restarts)
    if policy.n_proc_per_node is not None:
        yield variable("PET_NPROC_PER_NODE", policy.n_proc_per_node)
    if policy.rdzv_id is not None:
        yield variable("PET_RDZV_ID", policy.rdzv_id)
    if policy.rdzv_conf:
        yield variable("PET_RDZV_CONF", ",".join(f"{one.key}={one.value}" for one in policy.rdzv_conf))
    if policy.standalone:
        yield variable("PET_STANDALONE", "")


def worker_limits(job: TrainingJob) -> tuple[int, int]:
    """Returns the least and the most workers of an elastic job; each stands in for the other, their number for both."""
    policy = job.spec.elastic_policy
    least = policy.max_replicas if policy.min_replicas is None else policy.min_replicas
    most = least if policy.max_replicas is None else policy.max_replicas
    workers = job.count("Worker")
    return (workers if least is None else least, workers if most is None else most)


def _rendezvous(job: TrainingJob, policy: ElasticPolicy, addressing: Addressing) -> Endpoint:
    port = job.port("Worker") if policy.rdzv_port is None else policy.rdzv_port
    if policy.rdzv_host is not None:
        # A host of the user's own, such as an etcd service, is not a pod of this job.
        return Endpoint(policy.rdzv_host, port)
    return addressing.near(job.child_name("Worker", 0), port)


def has_succeeded(job: TrainingJob, tally: Tally) -> bool:
    """A master decides alone; without one all workers do, or any of them if they are elastic."""
    if not job.count("Master") and job.spec.elastic_policy is not None and any_succeeded("Worker")(job, tally):
        return True
    return all_succeeded("Master", "Worker")(job, tally)


PYTORCH = Framework(
    facts=PYTORCH_JOB,
    environment=environment,
    is_master=labels_leader("Master"),
    is_running=any_active("Master", "Worker"),
    has_succeeded=has_succeeded,
    speaks_in_full=lambda job: not job.count("Master"),
    dress=wait_for_master,
)

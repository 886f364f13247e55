"""The six training types of `corral submit`, and where Kubeflow's v1 contract wants their parts.

A MPIJob is what four of them become: the launcher runs the command, the workers hold GPUs and data, and wait for it.
"""

from tests.submission.golden.facts import JobType, Role

DEFAULT_DIR = "/root"
"""Arena's working directory when none is given."""

PS, WORKER, CHIEF, EVALUATOR = (
    Role("TFJob", "tfReplicaSpecs", name) for name in ("PS", "Worker", "Chief", "Evaluator")
)
MASTER, TORCH_WORKER = (Role("PyTorchJob", "pytorchReplicaSpecs", name) for name in ("Master", "Worker"))
LAUNCHER, MPI_WORKER = (Role("MPIJob", "mpiReplicaSpecs", name) for name in ("Launcher", "Worker"))

_MPI = ((LAUNCHER, MPI_WORKER), (MPI_WORKER,), LAUNCHER)

TFJOB = JobType("tfjob", "TFJob", ("tf",), (WORKER,), (WORKER,), WORKER)
PYTORCHJOB = JobType(
    "pytorchjob", "PyTorchJob", ("pytorch",), (MASTER, TORCH_WORKER), (MASTER, TORCH_WORKER), TORCH_WORKER
)
MPIJOB = JobType("mpijob", "MPIJob", ("mpi",), *_MPI)
HOROVODJOB = JobType("horovodjob", "MPIJob", ("horovod", "hj"), *_MPI)
ETJOB = JobType("etjob", "MPIJob", ("et",), *_MPI)
DEEPSPEEDJOB = JobType("deepspeedjob", "MPIJob", ("dp",), *_MPI)

JOB_TYPES = (TFJOB, PYTORCHJOB, MPIJOB, HOROVODJOB, ETJOB, DEEPSPEEDJOB)
CONTAINERS = {"TFJob": "tensorflow", "PyTorchJob": "pytorch", "MPIJob": "mpi"}
"""What the contract calls the container that trains."""

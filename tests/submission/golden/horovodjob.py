"""`submit horovodjob`, which becomes a MPIJob: its own flags. Whatever `mpijob` says about roles holds here too."""

from tests.submission.golden.facts import Row
from tests.submission.golden.job_types import LAUNCHER, MPI_WORKER
from tests.submission.golden.paths import ABSENT

_START = "arena submit horovodjob --name=m --image=mpi:1 --workers=2"

ROWS: dict[str, Row] = {
    "processors, memory and a port": Row(
        f"{_START} --cpu=4 --memory=8Gi --ssh-port=33 'horovodrun python train.py'",
        (
            LAUNCHER.box("command", ["sh", "-c", "horovodrun python train.py"]),
            MPI_WORKER.limit("cpu", "4"),
            MPI_WORKER.limit("memory", "8Gi"),
            MPI_WORKER.box("ports[containerPort=33].containerPort", 33),
        ),
    ),
    "a port, as it was spelt": Row(
        "arena submit hj --name=m --image=mpi:1 --workers=2 --sshPort 33 'mpirun python train.py'",
        (MPI_WORKER.box("ports[containerPort=33].containerPort", 33), MPI_WORKER.has("replicas", 2)),
    ),
    "no port by itself": Row(
        "arena submit horovod --name=m --image=mpi:1 --workers=2 'mpirun python train.py'",
        (MPI_WORKER.box("ports", ABSENT),),
    ),
}

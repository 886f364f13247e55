"""`submit etjob`, which becomes a MPIJob with bounds: its own flags.

Choices where Arena's table is silent:
- The bounds are annotations of the job, and the variables that Arena's own examples compute with.
- `--job-restart-policy` is that of the launcher, whose end is that of the job; `--worker-restart-policy` that of workers.
- `--job-backoff-limit` is `runPolicy.backoffLimit`, 6 when not given.
- `--spot-instance` and `--max-wait-time` are refused (see `refusals`): Arena writes them as annotations for a supervisor of its own,
  and a mark that nobody reads is a promise that nobody keeps. Who runs that supervisor gives the annotations by hand.
- `--ssh-secret` is a Secret in the pods of both roles; where it is mounted is not Arena's to say.
"""

from tests.submission.golden.facts import Row
from tests.submission.golden.job_types import LAUNCHER, MPI_WORKER
from tests.submission.golden.paths import ABSENT

_KIND = "MPIJob"
_BOTH = (LAUNCHER, MPI_WORKER)
_ELASTIC = (
    "horovodrun -np $((${workers}*${gpus})) --min-np $((${minWorkers}*${gpus})) --max-np $((${maxWorkers}*${gpus})) "
    "--host-discovery-script /usr/local/bin/discover_hosts.sh python /examples/elastic/tensorflow2_mnist_elastic.py"
)
_ET = "arena submit etjob --name=e --image=hvd:1 --workers=3"

ROWS: dict[str, Row] = {
    "the example of Arena": Row(
        "arena submit etjob --name=elastic-training --gpus=1 --workers=3 --max-workers=9 --min-workers=1 "
        f"--image=hvd:1 --working-dir=/examples '{_ELASTIC}'",
        (
            LAUNCHER.box("command", ["sh", "-c", _ELASTIC]),
            MPI_WORKER.has("replicas", 3),
            (_KIND, "metadata.annotations[corral.dev/min-workers]", "1"),
            (_KIND, "metadata.annotations[corral.dev/max-workers]", "9"),
            LAUNCHER.env("workers", "3"),
            LAUNCHER.env("gpus", "1"),
            LAUNCHER.env("minWorkers", "1"),
            LAUNCHER.env("maxWorkers", "9"),
            LAUNCHER.box("workingDir", "/examples"),
        ),
    ),
    "bounds by default": Row(
        f"{_ET} 'horovodrun python train.py'",
        (
            (_KIND, "metadata.annotations[corral.dev/min-workers]", "1"),
            (_KIND, "metadata.annotations[corral.dev/max-workers]", "1000"),
            (_KIND, "spec.runPolicy.backoffLimit", 6),
        ),
    ),
    "processors and memory": Row(
        f"{_ET} --cpu=2 --memory=4Gi 'horovodrun python train.py'",
        (
            MPI_WORKER.request("cpu", "2"),
            MPI_WORKER.limit("cpu", "2"),
            MPI_WORKER.request("memory", "4Gi"),
            MPI_WORKER.limit("memory", "4Gi"),
        ),
    ),
    "the marks of the elastic supervisor, by hand": Row(
        f"{_ET} -a job-supervisor.kube-ai.io/spot-instance=true 'horovodrun python train.py'",
        ((_KIND, "metadata.annotations[job-supervisor.kube-ai.io/spot-instance]", "true"),),
    ),
    "no spot instances": Row(
        f"{_ET} --spot-instance=false 'horovodrun python train.py'",
        ((_KIND, "metadata.annotations[job-supervisor.kube-ai.io/spot-instance]", ABSENT),),
    ),
    "nodes of the launcher": Row(
        f"{_ET} --selector=gpu=v100 --launcher-selector=pool=cpu 'horovodrun python train.py'",
        (LAUNCHER.pod("nodeSelector.pool", "cpu"), MPI_WORKER.pod("nodeSelector", {"gpu": "v100"})),
    ),
    "restarts": Row(
        f"{_ET} --job-restart-policy=OnFailure --worker-restart-policy=ExitCode --job-backoff-limit=2 "
        "'horovodrun python train.py'",
        (
            LAUNCHER.has("restartPolicy", "OnFailure"),
            MPI_WORKER.has("restartPolicy", "ExitCode"),
            (_KIND, "spec.runPolicy.backoffLimit", 2),
        ),
    ),
    "workers that are always restarted": Row(
        f"{_ET} --job-restart-policy Never --worker-restart-policy Always 'horovodrun python train.py'",
        (LAUNCHER.has("restartPolicy", "Never"), MPI_WORKER.has("restartPolicy", "Always")),
    ),
    "a secret for ssh": Row(
        f"{_ET} --ssh-secret=keys 'horovodrun python train.py'",
        tuple(role.pod("volumes[secret.secretName=keys].secret.secretName", "keys") for role in _BOTH),
    ),
    "annotations of roles": Row(
        f"{_ET} --launcher-annotation=a=1 --worker-annotation b=2 --worker-annotation=c=3,4 'horovodrun python train.py'",
        (
            LAUNCHER.template("annotations.a", "1"),
            LAUNCHER.template("annotations.b", ABSENT),
            MPI_WORKER.template("annotations.b", "2"),
            MPI_WORKER.template("annotations.c", "3,4"),
            MPI_WORKER.template("annotations.a", ABSENT),
        ),
    ),
}

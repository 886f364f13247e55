"""`submit deepspeedjob`, which becomes a MPIJob: its own flags, which mean what they mean for `etjob`."""

from tests.submission.golden.facts import Row
from tests.submission.golden.job_types import LAUNCHER, MPI_WORKER

_KIND = "MPIJob"
_BOTH = (LAUNCHER, MPI_WORKER)
_DP = "arena submit deepspeedjob --name=e --image=ds:1 --workers=3"

ROWS: dict[str, Row] = {
    "a launcher and its workers": Row(
        "arena submit dp --name=e --image=ds:1 --workers=2 --gpus=1 'deepspeed train.py --deepspeed_config=ds.json'",
        (
            LAUNCHER.has("replicas", 1),
            MPI_WORKER.has("replicas", 2),
            LAUNCHER.box("command", ["sh", "-c", "deepspeed train.py --deepspeed_config=ds.json"]),
            MPI_WORKER.limit("nvidia.com/gpu", "1"),
            (_KIND, "spec.runPolicy.backoffLimit", 6),
        ),
    ),
    "processors and memory": Row(
        f"{_DP} --cpu=2 --memory=4Gi 'deepspeed train.py'",
        (MPI_WORKER.limit("cpu", "2"), MPI_WORKER.limit("memory", "4Gi")),
    ),
    "nodes of the launcher": Row(
        f"{_DP} --launcher-selector=pool=cpu 'deepspeed train.py'", (LAUNCHER.pod("nodeSelector.pool", "cpu"),)
    ),
    "restarts": Row(
        f"{_DP} --job-restart-policy=OnFailure --job-backoff-limit=2 'deepspeed train.py'",
        (LAUNCHER.has("restartPolicy", "OnFailure"), (_KIND, "spec.runPolicy.backoffLimit", 2)),
    ),
    "a secret for ssh": Row(
        f"{_DP} --ssh-secret=keys 'deepspeed train.py'",
        tuple(role.pod("volumes[secret.secretName=keys].secret.secretName", "keys") for role in _BOTH),
    ),
    "annotations of roles": Row(
        f"{_DP} --launcher-annotation=a=1 --worker-annotation=b=2 'deepspeed train.py'",
        (LAUNCHER.template("annotations.a", "1"), MPI_WORKER.template("annotations.b", "2")),
    ),
}

"""TensorBoard beside a job: a Deployment and a Service that go when the job goes.

It listens on the port of its own address. On a cluster that is the port of the Service; on one machine the node replaces the
address in the variable by a loopback one, so that many can run side by side, and none is seen from outside.
"""

from typing import Final

from corral.kinds.objects import Object
from corral.kinds.submission.job_type import JobType
from corral.kinds.submission.scheduling import beside
from corral.kinds.submission.submission import Submission
from corral.kinds.submission.volumes import (
    claim_volumes,
    directory_volumes,
    is_below,
    logs_volume,
    shares_node_directory,
)
from corral.kinds.training.label_names import TENSORBOARD

PORT: Final = 6006
ADDRESS: Final = "CORRAL_ADDRESS"

# Fixed, and told its directory as an argument: nothing that somebody typed becomes part of a script.
_SCRIPT: Final = (
    'case "$CORRAL_ADDRESS" in 127.*) host=127.0.0.1 ;; *) host=0.0.0.0 ;; esac; '
    'exec tensorboard --logdir "$1" --host "$host" --port "${CORRAL_ADDRESS##*:}"'
)


def board_name(name: str) -> str:
    """Returns the name of the Deployment and the Service."""
    return f"{name}-tensorboard"


def board_objects(submission: Submission, job_type: JobType) -> list[Object]:
    """Returns the Service and then the Deployment, whose pods look for it; nothing when none is asked for."""
    if not submission.tensorboard.enabled:
        return []
    labels = {TENSORBOARD: submission.name}
    metadata = {"name": board_name(submission.name), "labels": {**submission.labels, **labels}}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"selector": labels, "ports": [{"name": "http", "port": PORT, "targetPort": PORT}]},
    }
    template = {"metadata": {"labels": {**submission.labels, **labels}}, "spec": _pod(submission, job_type)}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "strategy": {"type": "Recreate"},
            "template": template,
        },
    }
    return [service, deployment]


def _pod(submission: Submission, job_type: JobType) -> Object:
    board = submission.tensorboard
    volumes, mounts = _seen(submission)
    container = {
        "name": "tensorboard",
        "image": board.image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", _SCRIPT, "tensorboard", board.logdir],
        "env": [{"name": ADDRESS, "value": f"{board_name(submission.name)}:{PORT}"}],
        "ports": [{"name": "http", "containerPort": PORT}],
        "volumeMounts": mounts,
    }
    pod: Object = {"containers": [container], "volumes": volumes}
    if shares_node_directory(submission):
        pod["affinity"] = beside(submission, job_type.rank_zero(submission))
    if submission.image_pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in submission.image_pull_secrets]
    return pod


def _seen(submission: Submission) -> tuple[list[Object], list[Object]]:
    """Returns the volumes from which the events are read, and their mounts: the same as those of the training."""
    logdir = submission.tensorboard.logdir
    if shares_node_directory(submission):
        volume = logs_volume(submission)
        return [volume], [_mount(volume, logdir)]
    claims = claim_volumes(submission)
    found = [(claims[one.claim], one.path) for one in submission.claims]
    found += zip(directory_volumes(submission), (one.path for one in submission.directories), strict=True)
    holding = [(volume, path) for volume, path in found if is_below(logdir, path)]
    return [volume for volume, _ in holding], [_mount(volume, path) for volume, path in holding]


def _mount(volume: Object, path: str) -> Object:
    return {"name": volume["name"], "mountPath": path}

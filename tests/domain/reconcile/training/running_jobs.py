"""Jobs that run, hang and fail: only what failures, progress and hangs read, with sane defaults."""

from collections.abc import Sequence
from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.reading import read_job
from corral.kinds.training.status import Condition, Failure, JobStatus
from corral.reconcile.moments import stamp_of
from corral.reconcile.training.world import World

NOW = 1_800_000_000.0


def job_object(progress: Object | None = None, attempt: int = 0) -> Object:
    template = {"spec": {"containers": [{"name": "pytorch", "image": "any"}]}}
    policy = {} if progress is None else {"progress": progress}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "train", "namespace": "ns", "uid": "uid-train"},
        "spec": {
            "runPolicy": policy,
            "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "template": template},
                "Worker": {"replicas": 2, "template": template},
            },
        },
        "status": {"attempt": attempt},
    }


def job(progress: Object | None = None) -> TrainingJob:
    return read_job(job_object(progress))


def ended(code: int, reason: str = "Error", message: str = "", name: str = "pytorch") -> Object:
    return {"name": name, "state": {"terminated": {"exitCode": code, "reason": reason, "message": message}}}


def disruption(reason: str, message: str = "") -> Object:
    return {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}


def pod(name: str = "train-worker-1", phase: str = "Failed", **options: Any) -> PodView:
    """Returns a pod; options: containers, init, conditions, reason, message, node, annotations, deleting, labels, created."""
    metadata: Object = {"name": name, "namespace": "ns", "uid": options.get("uid", f"uid-{name}")}
    metadata["creationTimestamp"] = stamp_of(options.get("created", NOW - 10_000))
    metadata["annotations"] = options.get("annotations", {})
    role, _, index = name.removeprefix("train-").rpartition("-")
    metadata["labels"] = options.get(
        "labels", {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": index}
    )
    if options.get("deleting"):
        metadata["deletionTimestamp"] = stamp_of(NOW)
    status: Object = {"phase": phase, "reason": options.get("reason", ""), "message": options.get("message", "")}
    status["conditions"] = options.get("conditions", [])
    status["containerStatuses"] = options.get("containers", [])
    status["initContainerStatuses"] = options.get("init", [])
    spec = {"nodeName": options.get("node", "node-a")}
    return msgspec.convert({"metadata": metadata, "spec": spec, "status": status}, PodView)


def world(pods: Sequence[PodView] = (), **options: Any) -> World:
    return World(job=options.pop("job", job_object()), pods=pods, **options)


def running_status(since: float, failures: Sequence[Failure] = (), attempt: int = 0) -> JobStatus:
    stamp = stamp_of(since)
    running = Condition(type="Running", status="True", last_update_time=stamp, last_transition_time=stamp)
    return JobStatus(conditions=[running], failures=list(failures), attempt=attempt)

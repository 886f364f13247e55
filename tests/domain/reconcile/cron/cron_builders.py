"""Crons and their jobs as a server would hold them, for tests of decisions."""

from datetime import datetime
from typing import Any

from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of

UID = "cron-uid"


def at(text: str) -> float:
    """Returns a moment of one day in November, UTC: `10:30`, or `20T10:30` for another day."""
    day, _, time = text.rpartition("T")
    return datetime.fromisoformat(f"2026-11-{day or '18'}T{time}+00:00").timestamp()


def template(kind: str = "JAXJob") -> Object:
    """Returns a job to be made again and again."""
    container = {"name": "jax", "image": "train", "command": ["train"]}
    roles = {"Worker": {"replicas": 1, "template": {"spec": {"containers": [container]}}}}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "spec": {"jaxReplicaSpecs": roles}}


def cron(schedule: str = "@hourly", *, created: str = "09:30", status: Object | None = None, **spec: Any) -> Object:
    """Returns a cron; fields of its spec by their names."""
    metadata = {
        "name": "nightly",
        "namespace": "team",
        "uid": UID,
        "resourceVersion": "7",
        "creationTimestamp": stamp_of(at(created)),
    }
    return {
        "apiVersion": "corral.dev/v1alpha1",
        "kind": "Cron",
        "metadata": metadata,
        "spec": {"schedule": schedule, "template": template(), **spec},
        **({"status": status} if status is not None else {}),
    }


def job(scheduled: str, end: str = "", *, is_deleting: bool = False) -> Object:
    """Returns a job of the cron, made for a time; `end` is Succeeded or Failed, nothing while it goes on."""
    moment = at(scheduled)
    name = f"nightly-{int(moment // 60)}"
    conditions = [{"type": "Created", "status": "True"}]
    if end:
        conditions.append({"type": end, "status": "True", "lastTransitionTime": stamp_of(moment + 60)})
    owner = {"apiVersion": "corral.dev/v1alpha1", "kind": "Cron", "name": "nightly", "uid": UID, "controller": True}
    metadata = {
        "name": name,
        "namespace": "team",
        "uid": f"uid-of-{name}",
        "creationTimestamp": stamp_of(moment + 1),
        "annotations": {"corral.dev/scheduled-at": stamp_of(moment)},
        "ownerReferences": [owner],
        **({"deletionTimestamp": stamp_of(moment + 90)} if is_deleting else {}),
    }
    return {**template(), "metadata": metadata, "status": {"conditions": conditions}}


def name_at(scheduled: str) -> str:
    """Returns the name of the job of a time."""
    return f"nightly-{int(at(scheduled) // 60)}"

"""Objects for tests of decisions: only what the decision reads, with sane defaults."""

from collections.abc import Sequence
from typing import Any

from corral.kinds.objects import Object

NOW = 1_800_000_000.0
"""A moment of the test, 2027-01-15T08:00:00Z."""
STAMP = "2027-01-15T08:00:00Z"


def owner_of(owner: Object, kind: str, api_version: str) -> Object:
    metadata = owner["metadata"]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def pod(name: str, phase: str = "Pending", **options: Any) -> Object:
    """Returns a pod; options: ready, node, labels, owner, created, ready_since, restarts, cost, deleting, finalizers."""
    metadata: Object = {"name": name, "namespace": "ns", "uid": f"uid-{name}", "resourceVersion": "1"}
    metadata["creationTimestamp"] = options.get("created", STAMP)
    metadata["labels"] = options.get("labels", {"app": "web"})
    if options.get("owner"):
        metadata["ownerReferences"] = [options["owner"]]
    if options.get("deleting"):
        metadata["deletionTimestamp"] = STAMP
    if options.get("finalizers"):
        metadata["finalizers"] = list(options["finalizers"])
    annotations = dict(options.get("annotations") or {})
    if "cost" in options:
        annotations["controller.kubernetes.io/pod-deletion-cost"] = str(options["cost"])
    if annotations:
        metadata["annotations"] = annotations
    status: Object = {"phase": phase}
    if options.get("ready"):
        since = options.get("ready_since", STAMP)
        status["conditions"] = [{"type": "Ready", "status": "True", "lastTransitionTime": since}]
    if "restarts" in options or "finished" in options:
        state = {"terminated": {"finishedAt": options["finished"]}} if "finished" in options else {}
        status["containerStatuses"] = [{"restartCount": options.get("restarts", 0), "state": state}]
    spec: Object = {"containers": [{"name": "main"}]}
    if options.get("node"):
        spec["nodeName"] = options["node"]
    return {"metadata": metadata, "spec": spec, "status": status}


def template(image: str = "any", **labels: str) -> Object:
    return {
        "metadata": {"labels": {"app": "web", **labels}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }


def deployment(replicas: int, image: str = "any", status: Object | None = None, **spec: Any) -> Object:
    return {
        "metadata": {"name": "web", "namespace": "ns", "uid": "uid-web", "generation": 1, "resourceVersion": "7"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template(image),
            "progressDeadlineSeconds": 600,
            **spec,
        },
        "status": status or {},
    }


def replica_set(name: str, replicas: int, available: int = 0, **options: Any) -> Object:
    """Returns a ReplicaSet of the Deployment `web`; options: image, revision, desired, most, created, pods."""
    annotations = {"deployment.kubernetes.io/revision": str(options.get("revision", 1))}
    for field, note in (("desired", "desired-replicas"), ("most", "max-replicas")):
        if field in options:
            annotations[f"deployment.kubernetes.io/{note}"] = str(options[field])
    pods = options.get("pods", replicas)
    return {
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": f"uid-{name}",
            "generation": 1,
            "resourceVersion": "3",
            "creationTimestamp": options.get("created", STAMP),
            "annotations": annotations,
        },
        "spec": {
            "replicas": replicas,
            "template": template(options.get("image", "any"), **{"pod-template-hash": name}),
        },
        "status": {
            "observedGeneration": 1,
            "replicas": pods,
            "readyReplicas": available,
            "availableReplicas": available,
        },
    }


def job(status: Object | None = None, **spec: Any) -> Object:
    return {
        "metadata": {"name": "work", "namespace": "ns", "uid": "uid-work", "generation": 1, "resourceVersion": "5"},
        "spec": {"parallelism": 1, "template": {"spec": {"restartPolicy": "Never", "containers": []}}, **spec},
        "status": status or {},
    }


def job_pod(name: str, phase: str = "Pending", index: int | None = None, **options: Any) -> Object:
    """Returns a pod that is held until counted."""
    annotations = {} if index is None else {"batch.kubernetes.io/job-completion-index": str(index)}
    options.setdefault("finalizers", ["batch.kubernetes.io/job-tracking"])
    return pod(name, phase, annotations=annotations, **options)


def names(objects: Sequence[Object]) -> list[str]:
    return [one["metadata"]["name"] for one in objects]

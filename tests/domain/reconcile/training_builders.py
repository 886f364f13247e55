"""Training jobs and their pods for tests, as short as the sentence that describes them.

`job("PyTorchJob", Master=1, Worker=2, nprocPerNode="4")`: a capital letter begins a role, a small one a field of spec. A role
is a number of replicas, or a replica spec of which everything left out is filled in.
"""

from typing import Any

import msgspec

from corral.kinds.objects import Metadata, MetadataOnly, Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.reading import read_job
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.frameworks.framework import RoleTally
from corral.reconcile.moments import stamp_of

NOW = 1_800_000_000.0
UID = "11111111-2222-3333-4444-555555555555"


def job(kind: str, *, name: str = "job", namespace: str = "ml", **given: Any) -> TrainingJob:
    """Returns a job as the reconciler reads it."""
    return read_job(manifest(kind, name=name, namespace=namespace, **given))


def manifest(
    kind: str, *, name: str = "job", namespace: str = "ml", annotations: dict[str, str] | None = None, **given: Any
) -> Object:
    """Returns a job as the server stores it."""
    facts = facts_of({"kind": kind})
    spec = {key: value for key, value in given.items() if key[0].islower()}
    if kind == "MXJob":
        spec.setdefault("jobMode", "MXTrain")
    spec[facts.map_field] = {key: replicas(facts, value) for key, value in given.items() if key[0].isupper()}
    metadata: Object = {"name": name, "namespace": namespace, "uid": UID, "creationTimestamp": "2026-01-01T00:00:00Z"}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata, "spec": spec}


def replicas(facts: KindFacts, given: int | Object) -> Object:
    """Returns a replica spec with a training container, unless it has a template of its own."""
    written: Object = {"replicas": given} if isinstance(given, int) else dict(given)
    written.setdefault("template", template(facts.container))
    return written


def template(container: str, **more: Any) -> Object:
    """Returns a pod template with one container; further fields are those of the container."""
    return {"spec": {"containers": [{"name": container, "image": "train:1", **more}]}}


def pod(
    of: TrainingJob, role: str, index: int, phase: str = "Running", *, exit_code: int | None = None, **more: Any
) -> PodView:
    """Returns a pod of a job; with an exit code, its training container has ended with it.

    More: node, tolerations, deleting, deletion_grace, restarts, uid, annotations, labels, waiting, and any field of the pod's status.
    """
    name = framework_of(of.facts).pod_name(of, Place(role, index))
    labels = {
        "training.kubeflow.org/operator-name": of.facts.controller_name,
        "training.kubeflow.org/job-name": of.name,
        "training.kubeflow.org/replica-type": role.lower(),
        "training.kubeflow.org/replica-index": str(index),
    }
    state: Object = {} if exit_code is None else {"terminated": {"exitCode": exit_code}}
    if waiting := more.pop("waiting", None):
        state = {"waiting": waiting}
    container = {"name": of.facts.container, "state": state, "restartCount": more.pop("restarts", 0)}
    metadata: Object = {
        "name": name,
        "namespace": of.namespace,
        "uid": more.pop("uid", f"uid-of-{name}"),
        "labels": more.pop("labels", labels),
        "annotations": more.pop("annotations", {}),
    }
    if more.pop("deleting", False):
        metadata["deletionTimestamp"] = stamp_of(NOW)
    if (grace := more.pop("deletion_grace", None)) is not None:
        metadata["deletionGracePeriodSeconds"] = grace
    spec = {"nodeName": more.pop("node", ""), "tolerations": more.pop("tolerations", [])}
    status = {"phase": phase, "containerStatuses": [container], **more}
    return msgspec.convert({"metadata": metadata, "spec": spec, "status": status}, PodView)


def every_pod(of: TrainingJob, phase: str = "Running", **more: Any) -> list[PodView]:
    """Returns all pods that a job asks for, all alike."""
    return [pod(of, place.role, place.index, phase, **more) for place in of.places()]


def every_service(of: TrainingJob) -> list[MetadataOnly]:
    """Returns all services that a job asks for."""
    return [service(of, place.role, place.index) for place in of.places()]


def service(of: TrainingJob, role: str, index: int) -> MetadataOnly:
    """Returns the service of one place."""
    name = of.child_name(role, index)
    return MetadataOnly(metadata=Metadata(name=name, namespace=of.namespace, uid=f"uid-of-service-{name}"))


def with_status(obj: Object, *states: str, **fields: Any) -> Object:
    """Returns a job with a status: conditions as `Created` or `Running=False`, said a minute ago, and further fields."""
    said = [_condition(obj["kind"], *state.partition("=")[::2]) for state in states]
    return {**obj, "status": {"conditions": said, **fields}}


def _condition(kind: str, type_: str, status: str) -> Object:
    stamp = stamp_of(NOW - 60)
    times = {"lastUpdateTime": stamp, "lastTransitionTime": stamp}
    return {"type": type_, "status": status or "True", "reason": f"{kind}{type_}", "message": "said before", **times}


def tally(of: TrainingJob, **counts: dict[str, Any]) -> dict[str, RoleTally]:
    """Returns how the pods of each role are: none is there but those counted here, by role."""
    return {role: RoleTally(one.count, **counts.get(role, {})) for role, one in of.roles.items()}

"""Training jobs and their pods for tests, as short as the sentence that describes them.

`job("PyTorchJob", Master=1, Worker=2, nprocPerNode="4")`: a capital letter begins a role, a small one a field of spec. A role
is a number of replicas, or a replica spec of which everything left out is filled in.
"""

from typing import Any

import msgspec

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.reading import read_job
from corral.reconcile.frameworks.framework import RoleTally

UID = "11111111-2222-3333-4444-555555555555"


def job(kind: str, *, name: str = "job", namespace: str = "ml", **given: Any) -> TrainingJob:
    """Returns a job as the reconciler reads it."""
    return read_job(manifest(kind, name=name, namespace=namespace, **given))


def manifest(kind: str, *, name: str = "job", namespace: str = "ml", **given: Any) -> Object:
    """Returns a job as the server stores it."""
    facts = facts_of({"kind": kind})
    spec = {key: value for key, value in given.items() if key[0].islower()}
    if kind == "MXJob":
        spec.setdefault("jobMode", "MXTrain")
    spec[facts.map_field] = {key: replicas(facts, value) for key, value in given.items() if key[0].isupper()}
    metadata = {"name": name, "namespace": namespace, "uid": UID, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": metadata, "spec": spec}


def replicas(facts: KindFacts, given: int | Object) -> Object:
    """Returns a replica spec with a training container, unless it has a template of its own."""
    written: Object = {"replicas": given} if isinstance(given, int) else dict(given)
    written.setdefault("template", template(facts.container))
    return written


def template(container: str, **more: Any) -> Object:
    """Returns a pod template with one container; further fields are those of the container."""
    return {"spec": {"containers": [{"name": container, "image": "train:1", **more}]}}


def pod(of: TrainingJob, role: str, index: int, phase: str = "Running", *, exit_code: int | None = None) -> PodView:
    """Returns a pod of a job; with an exit code, its training container has ended with it."""
    name = of.child_name(role, index)
    labels = {
        "training.kubeflow.org/operator-name": of.facts.controller_name,
        "training.kubeflow.org/job-name": of.name,
        "training.kubeflow.org/replica-type": role.lower(),
        "training.kubeflow.org/replica-index": str(index),
    }
    state = {} if exit_code is None else {"terminated": {"exitCode": exit_code}}
    return msgspec.convert(
        {
            "metadata": {"name": name, "namespace": of.namespace, "uid": f"uid-of-{name}", "labels": labels},
            "status": {"phase": phase, "containerStatuses": [{"name": of.facts.container, "state": state}]},
        },
        PodView,
    )


def tally(of: TrainingJob, **counts: dict[str, Any]) -> dict[str, RoleTally]:
    """Returns how the pods of each role are: none is there but those counted here, by role."""
    return {role: RoleTally(one.count, **counts.get(role, {})) for role, one in of.roles.items()}

"""The autoscaler of an elastic job: it moves the number of workers through the scale subresource."""

import hashlib
import json

from corral.kinds.objects import Object, is_deleting, owner_reference
from corral.kinds.references import ObjectKey
from corral.kinds.training.job import TrainingJob
from corral.kinds.well_known import HORIZONTAL_POD_AUTOSCALER
from corral.reconcile.frameworks.pytorch import worker_limits
from corral.reconcile.plan import Action, Create, Delete, Told, Update
from corral.reconcile.training.companions import name_taken
from corral.reconcile.training.labels import job_labels
from corral.reconcile.training.world import World

_WANTED = "corral.dev/wanted"
"""A digest of the spec as we asked for it: the server fills in and rewrites, so the specs themselves cannot be compared."""


def autoscaler_actions(world: World, job: TrainingJob) -> list[Action]:
    """Returns what makes the autoscaler as the job wants it."""
    held = world.autoscaler
    if not asks_for_autoscaler(job):
        return autoscaler_removal(world)
    wanted = _autoscaler(job)
    if held is None:
        taken = name_taken(job.facts.resource, job.object, wanted)
        return [Create(HORIZONTAL_POD_AUTOSCALER, wanted, told=Told(taken=taken))]
    limits = ("minReplicas", "maxReplicas")
    if _digest(held) == _digest(wanted) and all(held["spec"].get(one) == wanted["spec"][one] for one in limits):
        return []
    metadata = held["metadata"]
    annotations = {**(metadata.get("annotations") or {}), **wanted["metadata"]["annotations"]}
    spec = {**held["spec"], **wanted["spec"]}
    return [
        Update(HORIZONTAL_POD_AUTOSCALER, {**held, "metadata": {**metadata, "annotations": annotations}, "spec": spec})
    ]


def autoscaler_removal(world: World) -> list[Action]:
    """Returns what removes the autoscaler of a job that no longer needs it."""
    held = world.autoscaler
    if held is None or is_deleting(held):
        return []
    from_key = (held["metadata"]["namespace"], held["metadata"]["name"])
    return [Delete(HORIZONTAL_POD_AUTOSCALER, ObjectKey(*from_key), held["metadata"]["uid"])]


def asks_for_autoscaler(job: TrainingJob) -> bool:
    """Whether the job gives metrics to scale by."""
    policy = getattr(job.spec, "elastic_policy", None)
    return job.facts.autoscales and policy is not None and bool(policy.metrics)


def _autoscaler(job: TrainingJob) -> Object:
    least, most = worker_limits(job)
    spec = {
        "scaleTargetRef": {"apiVersion": job.facts.resource.api_version, "kind": job.kind, "name": job.name},
        "minReplicas": least,
        "maxReplicas": most,
        "metrics": job.spec.elastic_policy.metrics,
    }
    digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    return {
        "apiVersion": HORIZONTAL_POD_AUTOSCALER.api_version,
        "kind": HORIZONTAL_POD_AUTOSCALER.kind,
        "metadata": {
            "name": job.name,
            "namespace": job.namespace,
            "labels": job_labels(job),
            "annotations": {_WANTED: digest},
            "ownerReferences": [owner_reference(job.facts.resource, job.object)],
        },
        "spec": spec,
    }


def _digest(obj: Object) -> str | None:
    found = (obj["metadata"].get("annotations") or {}).get(_WANTED)
    return found if isinstance(found, str) else None

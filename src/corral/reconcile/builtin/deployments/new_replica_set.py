"""The ReplicaSet of a template: its name, labels, selector and notes."""

from collections.abc import Container

from corral.kinds.objects import Object, owner_reference
from corral.kinds.well_known import DEPLOYMENT, REPLICA_SET
from corral.reconcile.builtin.deployments import revisions
from corral.reconcile.builtin.deployments.limits import limits_of
from corral.reconcile.builtin.deployments.template import HASH_LABEL, template_hash


def free_name(deployment: Object, taken: Container[str]) -> tuple[str, int]:
    """Returns a name made of the template's hash, and how often such a name was taken by another template."""
    collisions = int((deployment.get("status") or {}).get("collisionCount") or 0)
    template = deployment["spec"]["template"]
    while (name := f"{deployment['metadata']['name']}-{template_hash(template, collisions)}") in taken:
        collisions += 1
    return name, collisions


def new_replica_set(deployment: Object, name: str, revision: int, replicas: int) -> Object:
    """Returns the ReplicaSet; the hash in its name keeps its pods apart from those of other templates."""
    template, selector = deployment["spec"]["template"], deployment["spec"]["selector"]
    label = {HASH_LABEL: name.rpartition("-")[2]}
    labels = {**((template.get("metadata") or {}).get("labels") or {}), **label}
    annotations = {
        **revisions.copied_annotations(deployment),
        revisions.REVISION: str(revision),
        **revisions.size_annotations(limits_of(deployment)),
    }
    metadata: Object = {"name": name, "namespace": deployment["metadata"]["namespace"], "labels": labels}
    metadata |= {"annotations": annotations, "ownerReferences": [owner_reference(DEPLOYMENT, deployment)]}
    spec: Object = {
        "replicas": replicas,
        "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), **label}},
        "template": {**template, "metadata": {**(template.get("metadata") or {}), "labels": labels}},
    }
    if deployment["spec"].get("minReadySeconds"):
        spec["minReadySeconds"] = deployment["spec"]["minReadySeconds"]
    return {"apiVersion": REPLICA_SET.api_version, "kind": REPLICA_SET.kind, "metadata": metadata, "spec": spec}

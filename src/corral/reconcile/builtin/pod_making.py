"""A pod from a template, for the owner that manages it."""

from corral.kinds.objects import Object, owner_reference
from corral.kinds.references import ApiResource


def pod_from(template: Object, owner_kind: ApiResource, owner: Object, name: str, prefix: str) -> Object:
    """Returns the pod under a fixed name; `prefix` is kept as generateName, where readers expect it."""
    given = template.get("metadata") or {}
    metadata: Object = {
        "name": name,
        "generateName": prefix,
        "namespace": owner["metadata"]["namespace"],
        "ownerReferences": [owner_reference(owner_kind, owner)],
    }
    for field in ("labels", "annotations", "finalizers"):
        if given.get(field):
            metadata[field] = dict(given[field]) if isinstance(given[field], dict) else list(given[field])
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}

"""Which template a ReplicaSet stands for."""

import json
from collections.abc import Sequence

from corral.kinds.objects import Object
from corral.reconcile.builtin.child_names import scrambled

HASH_LABEL = "pod-template-hash"


def template_hash(template: Object, collisions: int) -> str:
    """Returns ten signs that stand for a template; `collisions` gives another set when the first is taken."""
    canonical = json.dumps(template, sort_keys=True, separators=(",", ":"))
    return scrambled(f"{canonical}/{collisions}", 10)


def is_same_template(one: Object, other: Object) -> bool:
    """Whether pods of both would be the same; the hash label is ours and does not count."""
    return _bare(one) == _bare(other)


def _bare(template: Object) -> Object:
    metadata = dict(template.get("metadata") or {})
    labels = {name: value for name, value in (metadata.get("labels") or {}).items() if name != HASH_LABEL}
    metadata["labels"] = labels
    kept = {name: value for name, value in metadata.items() if value and name != "creationTimestamp"}
    return {**template, "metadata": kept}


def of_present_template(deployment: Object, replica_sets: Sequence[Object]) -> Object | None:
    """Returns the ReplicaSet of the present template, the oldest if there are several."""
    wanted = deployment["spec"]["template"]
    found = [one for one in replica_sets if is_same_template(one["spec"]["template"], wanted)]
    return min(found, key=age_order, default=None)


def age_order(replica_set: Object) -> tuple[str, str]:
    """Sorts ReplicaSets by age, oldest first."""
    metadata = replica_set["metadata"]
    return str(metadata.get("creationTimestamp") or ""), str(metadata["name"])

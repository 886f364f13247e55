"""What happens to an object's metadata over its life: birth, change, and the long way to being gone. Pure functions."""

import operator
from typing import Any

import msgspec

from corral.engine.apiserver import field_errors
from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.http.options import DeleteOptions
from corral.engine.apiserver.resources.equality import is_same
from corral.engine.apiserver.resources.resource import Object, Resource, Strategy

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
_META_ORDER = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
)
_OWN = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")


def born(obj: Object, resource: Resource, namespace: str, uid: str, timestamp: str) -> Object:
    """Returns a new object with the metadata that the server decides, in the order in which clients like to read it."""
    meta = dict(obj.get("metadata") or {})
    for name in ("selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "uid", "resourceVersion"):
        meta.pop(name, None)
    meta["uid"], meta["creationTimestamp"] = uid, timestamp
    meta["resourceVersion"] = ""  # keeps its place; the store fills it in
    if resource.strategy.generation:
        meta["generation"] = 1
    if namespace:
        meta["namespace"] = namespace
    return ordered(obj, meta)


def ordered(obj: Object, meta: dict[str, Any]) -> Object:
    """Returns the object with kind, apiVersion and metadata first, as stored bytes must begin."""
    arranged = {k: meta[k] for k in _META_ORDER if k in meta}
    arranged.update(meta)
    made: Object = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": arranged}
    for name, value in obj.items():
        if name not in made:
            made[name] = value
    return made


def deletion_errors(new: Object, old: Object) -> list[FieldError]:
    """Refuses a change that would begin a deletion; one that would end it is ignored."""
    wanted = (new.get("metadata") or {}).get("deletionTimestamp")
    if not wanted or old["metadata"].get("deletionTimestamp"):
        return []
    return [field_errors.invalid("metadata.deletionTimestamp", wanted, "field is immutable")]


def carried_over(new: Object, old: Object) -> Object:
    """Returns the changed object with the metadata that no client may change taken from the old one."""
    was = old["metadata"]
    meta = dict(new.get("metadata") or {})
    meta.pop("selfLink", None)
    for name in _OWN:
        if was.get(name) is not None:
            meta[name] = was[name]
        else:
            meta.pop(name, None)
    meta["resourceVersion"] = was.get("resourceVersion", "")
    return ordered(new, meta)


def with_generation(new: Object, old: Object, resource: Resource) -> None:
    """Raises the generation when anything but metadata and status differs; in built-in kinds empty means absent."""
    same = operator.eq if resource.structural else is_same
    if not all(same(new.get(k), old.get(k)) for k in new.keys() | old.keys() if k not in ("metadata", "status")):
        new["metadata"]["generation"] = int(old["metadata"].get("generation", 0)) + 1


def is_finished(obj: Object, resource: Resource) -> bool:
    """Says whether an object that is being deleted has nothing left to wait for."""
    meta = obj["metadata"]
    if not meta.get("deletionTimestamp") or meta.get("finalizers"):
        return False
    return not meta.get("deletionGracePeriodSeconds") and not resource.strategy.is_held(obj)


class Deletion(msgspec.Struct, frozen=True):
    """What a delete does: `obj` is the state to store, or the last state when it is `gone`."""

    obj: Object
    gone: bool
    changed: bool


def deleted(obj: Object, resource: Resource, options: DeleteOptions, moments: tuple[str, str], grace: int) -> Deletion:
    """Decides a delete: at once, after a grace period, or when the finalizers are gone.

    `grace` is what the strategy asks for; `moments` are now and that many seconds later, as timestamps. A second delete
    can only shorten the wait. What goes at once goes as it is, without a trace of the deletion (pods excepted).
    """
    strategy = resource.strategy
    begun = obj if obj["metadata"].get("deletionTimestamp") else strategy.begin_deletion(obj, moments[0])
    meta = dict(begun["metadata"])
    finalizers = _finalizers(meta.get("finalizers") or [], _propagation(options, strategy))
    waits = bool(grace or finalizers or strategy.is_held(obj))
    if not waits and not strategy.graceful:
        return Deletion(obj, gone=True, changed=True)
    if finalizers:
        meta["finalizers"] = finalizers
    else:
        meta.pop("finalizers", None)
    if not meta.get("deletionTimestamp"):
        meta["deletionTimestamp"] = moments[1]
        if not strategy.begins_deletion:
            meta["deletionGracePeriodSeconds"] = grace
            if meta.get("generation"):
                meta["generation"] = int(meta["generation"]) + 1
    elif strategy.graceful and grace < int(meta.get("deletionGracePeriodSeconds") or 0):
        meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = moments[1], grace
    made = ordered(begun, meta)
    gone = is_finished(made, resource)
    return Deletion(made, gone, gone or made != obj)


def _propagation(options: DeleteOptions, strategy: Strategy) -> str:
    return "" if strategy.never_owns else options.propagation or strategy.default_propagation


def _finalizers(present: list[str], propagation: str) -> list[str]:
    kept = [f for f in present if f not in (ORPHAN, FOREGROUND)] if propagation else list(present)
    if propagation == "Orphan":
        kept.append(ORPHAN)
    elif propagation == "Foreground":
        kept.append(FOREGROUND)
    return kept

"""Whose a child is: adopting those that match and belong to nobody, releasing those that match no more."""

from collections.abc import Iterable
from dataclasses import dataclass

from corral.kinds.objects import Object, controller_of, is_deleting, key_of, labels_of, owner_reference, uid_of
from corral.kinds.references import ApiResource
from corral.reconcile.builtin.label_selectors import matches
from corral.reconcile.plan import Patch


@dataclass(frozen=True, slots=True)
class Claim:
    """The children of an owner, as they are once the patches are done."""

    ours: tuple[Object, ...]
    patches: tuple[Patch, ...] = ()
    adopts: bool = False
    """Whether something is adopted; then the owner must be read once more, since a deleted one may not adopt."""


def claimed(
    owner_kind: ApiResource,
    owner: Object,
    child_kind: ApiResource,
    children: Iterable[Object],
    *,
    finalizer: str = "",
) -> Claim:
    """Returns the children of `owner` among all objects of its namespace; `finalizer` comes and goes with adoption."""
    selector = (owner.get("spec") or {}).get("selector")
    ours: list[Object] = []
    patches: list[Patch] = []
    adopts = False
    for child in children:
        controller, fits = controller_of(child), matches(selector, labels_of(child))
        if controller is not None:
            if controller.get("uid") != uid_of(owner):
                continue
            if fits:
                ours.append(child)
            elif not is_deleting(owner):
                patches.append(_release(child_kind, child, uid_of(owner), finalizer))
        elif fits and not is_deleting(owner) and not is_deleting(child):
            ours.append(child)
            patches.append(_adoption(child_kind, child, owner_reference(owner_kind, owner), finalizer))
            adopts = True
    return Claim(tuple(ours), tuple(patches), adopts)


def _adoption(kind: ApiResource, child: Object, reference: Object, finalizer: str) -> Patch:
    metadata: Object = {"uid": uid_of(child), "ownerReferences": [reference]}
    if finalizer:
        metadata["finalizers"] = [finalizer]
    return Patch(kind, key_of(child), {"metadata": metadata}, form="strategic")


def _release(kind: ApiResource, child: Object, owner: str, finalizer: str) -> Patch:
    metadata: Object = {"uid": uid_of(child), "ownerReferences": [{"$patch": "delete", "uid": owner}]}
    if finalizer:
        metadata["$deleteFromPrimitiveList/finalizers"] = [finalizer]
    return Patch(kind, key_of(child), {"metadata": metadata}, form="strategic")

"""What becomes of one object, given what was just read about it and about each of its owners.

some owner stays            the references to owners that are gone or going are taken away
all are gone                the object is deleted, as its own finalizers say: orphaning, foreground or background
some wait for dependents    and nobody stays: it is deleted, in the foreground if it has dependents itself
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Literal

from corral.reconcile.builtin.garbage.graph import FOREGROUND, ORPHAN, Graph, Misplaced, Node
from corral.reconcile.builtin.list_edits import without_finalizer, without_owners
from corral.reconcile.plan import NOTHING_TO_DO, Action, Delete, EmitEvent, Patch, Plan


class OwnerState(Enum):
    """What a live read says about an owner."""

    SOLID = "exists and stays"
    ABSENT = "does not exist under this uid"
    WAITING = "is being deleted and waits for its dependents"


def verdict(item: Node, version: str, owners: Mapping[str, OwnerState], dependents: Sequence[Node]) -> Plan:
    """Decides about an object that was just read (`item`, in this version), with the states of its owners by uid."""
    states = set(owners.values())
    if not owners or states == {OwnerState.SOLID}:
        return NOTHING_TO_DO
    uids = [owner.uid for owner in item.owners]
    if OwnerState.SOLID in states:
        return Plan.of(
            without_owners(item.resource, item.key, item.uid, uids, lambda uid: owners[uid] is not OwnerState.SOLID)
        )
    if OwnerState.WAITING in states and dependents:
        plan = Plan()
        if any(dependent.waits_for_dependents for dependent in dependents):
            # Perhaps a circle, in which everybody waits for somebody: this one holds nobody up any more.
            return plan.then(_unblocking(item)).then(Delete(item.resource, item.key, item.uid, "Foreground"))
        return plan.then(Delete(item.resource, item.key, item.uid, "Foreground", version=version))
    return Plan.of(Delete(item.resource, item.key, item.uid, _own_way(item), version=version))


def _own_way(item: Node) -> Literal["Orphan", "Foreground", "Background"]:
    if ORPHAN in item.finalizers:
        return "Orphan"
    return "Foreground" if FOREGROUND in item.finalizers else "Background"


def _unblocking(item: Node) -> Patch:
    body = [{"op": "test", "path": "/metadata/uid", "value": item.uid}]
    for index, owner in enumerate(item.owners):
        path = f"/metadata/ownerReferences/{index}"
        body.append({"op": "test", "path": f"{path}/uid", "value": owner.uid})
        body.append({"op": "add", "path": f"{path}/blockOwnerDeletion", "value": False})  # type: ignore[dict-item]
    return Patch(item.resource, item.key, body, form="json")


def foreground_step(item: Node, dependents: Sequence[Node]) -> Plan:
    """Lets an object go that waits for its dependents, once none is left that holds it up."""
    if any(dependent.blocks(item.uid) for dependent in dependents) or FOREGROUND not in item.finalizers:
        return NOTHING_TO_DO
    return Plan.of(without_finalizer(item.resource, item.key, item.uid, item.finalizers, FOREGROUND))


def orphan_step(item: Node, dependents: Sequence[Node]) -> Plan:
    """Frees the dependents of an object, then lets it go."""
    freed: list[Action] = [
        without_owners(one.resource, one.key, one.uid, [owner.uid for owner in one.owners], lambda uid: uid == item.uid)
        for one in dependents
        if any(owner.uid == item.uid for owner in one.owners)
    ]
    return Plan().then(*freed).then(without_finalizer(item.resource, item.key, item.uid, item.finalizers, ORPHAN))


def complaint(wrong: Misplaced) -> EmitEvent:
    """Says that a reference crosses namespaces."""
    dependent, owner = wrong
    metadata = {"name": dependent.key.name, "namespace": dependent.key.namespace, "uid": dependent.uid}
    reference = f"[{owner.api_version}/{owner.kind}, namespace: {dependent.key.namespace}, name: {owner.name}, uid: {owner.uid}]"
    message = f'ownerRef {reference} does not exist in namespace "{dependent.key.namespace}"'
    return EmitEvent(dependent.resource, {"metadata": metadata}, "OwnerRefInvalidNamespace", message, "Warning")


__all__ = ["Graph", "Node", "OwnerState", "complaint", "foreground_step", "orphan_step", "verdict"]

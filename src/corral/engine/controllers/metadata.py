"""The trimmed form in which controllers of all kinds hold objects: what ownership and deletion need, nothing else."""

from contextlib import aclosing

import msgspec

from corral.control.mirror import Delta
from corral.kinds.objects import Object, OwnerReference
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.object_store import ObjectWatcher, Scope
from corral.reconcile.builtin.garbage.graph import Node, Owner


class OwnedMetadata(msgspec.Struct, rename="camel", kw_only=True):
    """Identity, owners, and how far the deletion is."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []


class Owned(msgspec.Struct):
    """An object of any kind."""

    metadata: OwnedMetadata


METADATA = Scope(metadata_only=True)

OwnedDelta = Delta[Owned]


def node_of(resource: ApiResource, held: Owned) -> Node:
    """Returns the object as the owner graph sees it."""
    metadata = held.metadata
    owners = tuple(
        Owner(one.api_version, one.kind, one.name, one.uid, one.block_owner_deletion)
        for one in metadata.owner_references
    )
    return Node(
        resource,
        ObjectKey(metadata.namespace, metadata.name),
        metadata.uid,
        owners,
        metadata.deletion_timestamp is not None,
        tuple(metadata.finalizers),
    )


def node_of_object(resource: ApiResource, obj: Object) -> Node:
    """Returns a whole object as the owner graph sees it."""
    return node_of(resource, msgspec.convert({"metadata": obj["metadata"]}, Owned))


async def listed(store: ObjectWatcher, resource: ApiResource, namespace: str) -> list[Owned]:
    """Returns the objects of a kind that the server has now, in one namespace or ("") everywhere."""
    found: list[Owned] = []
    async with aclosing(store.pages(resource, Scope(namespace, metadata_only=True), Owned)) as pages:
        async for page in pages:
            if page.is_first:
                found.clear()
            found += page.items
    return found

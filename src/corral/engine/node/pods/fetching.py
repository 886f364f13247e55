"""Fetches the objects that variables and volumes of a pod are made of; what is not there is simply not found."""

import asyncio
from collections.abc import Iterable

from corral.engine.node.fetched import Fetched, Reference
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP, PERSISTENT_VOLUME_CLAIM, SECRET
from corral.ports.object_store import ObjectStore
from corral.ports.refusals import NotFoundError

PERSISTENT_VOLUME = ApiResource("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False)
_RESOURCES = {one.kind: one for one in (CONFIG_MAP, SECRET, PERSISTENT_VOLUME_CLAIM)}


async def fetch(store: ObjectStore, namespace: str, references: Iterable[Reference]) -> Fetched:
    """Returns everything of a namespace that is referred to, and the volumes that claims are bound to."""
    wanted = sorted({(one.kind, one.name) for one in references})
    found = await asyncio.gather(
        *(_found(store, _RESOURCES[kind], ObjectKey(namespace, name)) for kind, name in wanted)
    )
    kinds: dict[str, dict[str, Object]] = {kind: {} for kind in _RESOURCES}
    for (kind, name), obj in zip(wanted, found, strict=True):
        if obj is not None:
            kinds[kind][name] = obj
    claims = kinds[PERSISTENT_VOLUME_CLAIM.kind]
    volumes = await _volumes(store, claims.values())
    return Fetched(kinds[CONFIG_MAP.kind], kinds[SECRET.kind], claims, volumes)


async def _volumes(store: ObjectStore, claims: Iterable[Object]) -> dict[str, Object]:
    names = sorted({str(name) for one in claims if (name := (one.get("spec") or {}).get("volumeName"))})
    found = await asyncio.gather(*(_found(store, PERSISTENT_VOLUME, ObjectKey("", name)) for name in names))
    return {name: obj for name, obj in zip(names, found, strict=True) if obj is not None}


async def _found(store: ObjectStore, resource: ApiResource, key: ObjectKey) -> Object | None:
    try:
        return await store.get(resource, key)
    except NotFoundError:
        return None

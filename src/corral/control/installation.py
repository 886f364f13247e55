"""Putting Corral's definitions and policies on a server: applied, so that a second time changes nothing.

Definitions come first, and each is waited for until the server serves it: a job may be sent right afterwards.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from corral.errors import PermanentError, RetryError
from corral.kinds.catalogue import Catalogue
from corral.kinds.objects import Object, key_of
from corral.kinds.references import ApiResource
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.clock import Clock
from corral.ports.discovery import Discovery
from corral.ports.object_store import ObjectStore, Patch, WriteOptions
from corral.ports.refusals import NotFoundError

MANAGER = "corral-install"
SERVED_WITHIN = 15.0

Change = Literal["created", "configured", "unchanged", "left out"]


class Installed(NamedTuple):
    """One object, and what was done about it."""

    what: str
    change: Change
    note: str = ""


async def install(
    store: ObjectStore, discovery: Discovery, clock: Clock, manifests: Iterable[Object], *, optional: Sequence[str] = ()
) -> list[Installed]:
    """Applies all objects in order; kinds named as `optional` are left out on a server that does not know them."""
    catalogue = await discovery.catalogue(refresh=True)
    done: list[Installed] = []
    awaited: list[Object] = []
    for manifest in manifests:
        resource = _resource_of(catalogue, manifest, optional)
        if resource is None:
            told = "this server does not know the kind"
            done.append(Installed(f"{manifest['kind'].lower()}/{manifest['metadata']['name']}", "left out", told))
            continue
        done.append(await _apply(store, resource, manifest))
        if resource == CUSTOM_RESOURCE_DEFINITION:
            awaited.append(manifest)
    for definition in awaited:
        await _wait_served(store, clock, definition)
    return done


async def _apply(store: ObjectStore, resource: ApiResource, manifest: Object) -> Installed:
    key = key_of(manifest)
    try:
        before: Object | None = await store.get(resource, key)
    except NotFoundError:
        before = None
    options = WriteOptions(manager=MANAGER, force=True)
    stored = await store.patch(resource, key, Patch("apply", manifest), options=options)
    change: Change = "created" if before is None else "configured"
    if before is not None and _content(stored) == _content(before):
        change = "unchanged"
    return Installed(f"{resource.qualified}/{key}", change)


def _content(obj: Object) -> Object:
    """Returns what somebody asked for; servers write about themselves in status and metadata at any time."""
    metadata = {field: obj["metadata"].get(field) for field in ("labels", "annotations")}
    return {field: value for field, value in obj.items() if field != "status"} | {"metadata": metadata}


async def _wait_served(store: ObjectStore, clock: Clock, definition: Object) -> None:
    """Returns when the server has taken the names of a definition."""
    try:
        async with asyncio.timeout(SERVED_WITHIN):
            while True:
                found = await store.get(CUSTOM_RESOURCE_DEFINITION, key_of(definition))
                conditions = (found.get("status") or {}).get("conditions") or []
                if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
                    return
                await clock.sleep(0.1)
    except TimeoutError as error:
        name = definition["metadata"]["name"]
        message = f"the server took the definition {name} but does not serve it after {SERVED_WITHIN:g} s"
        raise RetryError("not-served", message, hint=f"kubectl describe crd {name} tells why") from error


def _resource_of(catalogue: Catalogue, manifest: Object, optional: Sequence[str]) -> ApiResource | None:
    try:
        return catalogue.for_kind(manifest["apiVersion"], manifest["kind"])
    except PermanentError:
        if manifest["kind"] in optional:
            return None
        raise

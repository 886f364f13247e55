"""Putting Corral's definitions and policies on a server: applied, so that a second time changes nothing.

Definitions come first, and each is waited for until the server serves it: a job may be sent right afterwards. Objects of
one kind are applied at the same time, since each takes a server a good part of a second.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
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
_AT_ONCE = 8

Change = Literal["created", "configured", "unchanged", "left out"]


class Installed(NamedTuple):
    """One object, or all that were left out, and what was done about it."""

    change: Change
    what: str
    note: str = ""


class Optional(NamedTuple):
    """Kinds that a server may lack, and why that is no loss."""

    kinds: Sequence[str] = ()
    reason: str = "this server does not know the kinds"


NOTHING_OPTIONAL = Optional()


async def install(
    store: ObjectStore,
    discovery: Discovery,
    clock: Clock,
    manifests: Iterable[Object],
    *,
    optional: Optional = NOTHING_OPTIONAL,
    on_done: Callable[[Installed], None] = lambda _: None,
) -> list[Installed]:
    """Applies all objects, kind by kind; `on_done` hears of each as soon as it is so.

    When one fails, those of the same kind still end, and the failure is raised.
    """
    catalogue = await discovery.catalogue(refresh=True)
    kinds: dict[ApiResource, list[Object]] = {}
    left_out: list[Object] = []
    for manifest in manifests:
        resource = _resource_of(catalogue, manifest, optional.kinds)
        if resource is None:
            left_out.append(manifest)
        else:
            kinds.setdefault(resource, []).append(manifest)
    gate, done = asyncio.Semaphore(_AT_ONCE), []

    async def put(resource: ApiResource, manifest: Object) -> None:
        async with gate:
            one = await _apply(store, resource, manifest)
            if resource == CUSTOM_RESOURCE_DEFINITION:
                await _wait_served(store, clock, manifest)
        done.append(one)
        on_done(one)

    for resource in sorted(kinds, key=lambda resource: resource != CUSTOM_RESOURCE_DEFINITION):
        ends = await asyncio.gather(*(put(resource, one) for one in kinds[resource]), return_exceptions=True)
        for failure in (end for end in ends if end is not None):
            raise failure
    if left_out:
        done.append(_left_out(left_out, optional.reason))
        on_done(done[-1])
    return done


def _left_out(manifests: Sequence[Object], reason: str) -> Installed:
    names = " and ".join(dict.fromkeys(manifest["kind"] for manifest in manifests))
    return Installed("left out", f"{len(manifests)} of {names}", reason)


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
    return Installed(change, f"{resource.qualified}/{key}")


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

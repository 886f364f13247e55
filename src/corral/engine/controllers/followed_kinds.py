"""Every kind that the server has, followed as metadata, custom kinds included as they come and go.

Garbage collection and namespace deletion share it. Discovery is read at the start and again whenever a
CustomResourceDefinition changes, until what is served agrees with what is defined: servers publish a new kind with a
little delay.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial

from corral.control.backoff import Backoff
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.engine.controllers.metadata import METADATA, Owned, OwnedDelta, listed, node_of
from corral.errors import CorralError
from corral.kinds.catalogue import Catalogue
from corral.kinds.references import ApiResource, split_api_version
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.discovery import Discovery
from corral.reconcile.builtin.garbage.graph import Node

_log = logging.getLogger("corral.engine.controllers.kinds")

_BACKOFF = Backoff(0.2, 10.0)
_PATIENCE = 8
"""How often discovery is read again because it does not agree with the definitions yet."""

Listener = Callable[[ApiResource, Sequence[OwnedDelta]], None]
GoneListener = Callable[[ApiResource, bool], None]


class FollowedKinds:
    """The caches of all kinds; `listen` before `run`."""

    def __init__(self, runtime: Runtime, discovery: Discovery) -> None:
        self.catalogue = Catalogue(())
        self._runtime = runtime
        self._discovery = discovery
        self._caches: dict[ApiResource, ObjectCache[Owned]] = {}
        self._listeners: list[Listener] = []
        self._gone_listeners: list[GoneListener] = []
        self._refreshing = asyncio.Lock()
        self._stale = asyncio.Event()
        self._known = asyncio.Event()

    def listen(self, listener: Listener, gone: GoneListener | None = None) -> None:
        """Calls `listener` with the differences of every kind, and `gone` when a kind is no longer served.

        The second argument of `gone` is whether the definition of the kind was seen to go, with all its objects.
        """
        self._listeners.append(listener)
        if gone is not None:
            self._gone_listeners.append(gone)

    async def run(self) -> None:
        """Follows until cancelled."""
        failures = 0
        self._stale.set()
        while True:
            await self._stale.wait()
            self._stale.clear()
            try:
                await self._refresh()
                failures = 0 if self._agrees() else failures + 1
            except CorralError as error:
                failures += 1
                self._stale.set()
                _log.warning("discovery failed", extra={"reason": error.message})
            if failures:
                await self._pause(failures)

    async def wait_known(self, seconds: float) -> None:
        """Returns when every kind has its first complete list, or after so many seconds without the missing ones."""
        try:
            async with asyncio.timeout(seconds):
                await self._known.wait()
                await asyncio.gather(*(cache.wait_synced() for cache in list(self._caches.values())))
        except TimeoutError:
            unknown = [str(resource) for resource, cache in self._caches.items() if not cache.has_synced]
            _log.warning("kinds not listed yet", extra={"kinds": ", ".join(unknown) or "all"})

    def all_synced(self) -> bool:
        """Whether the objects of all kinds are known, so that an absent dependent really is absent."""
        return self._known.is_set() and all(cache.has_synced for cache in self._caches.values())

    async def refreshed(self) -> Catalogue:
        """Returns what the server serves now."""
        await self._refresh()
        return self.catalogue

    def resource_of(self, api_version: str, kind: str) -> ApiResource | None:
        """Returns the resource that an owner reference means, in any version that is served."""
        group, version = split_api_version(api_version)
        found = [
            one.resource for one in self.catalogue.served if (one.resource.group, one.resource.kind) == (group, kind)
        ]
        return next((one for one in found if one.version == version), found[0] if found else None)

    async def _pause(self, failures: int) -> None:
        if failures > _PATIENCE and not self._stale.is_set():
            return
        await self._runtime.clock.sleep(_BACKOFF.wait(failures, self._runtime.randomness.fraction()))
        self._stale.set()

    async def dependents_of(self, uid: str, namespace: str) -> list[Node]:
        """Asks the server, kind by kind, for objects that name an owner; those of a cluster-wide owner are anywhere."""
        found: list[Node] = []
        for resource in [one for one in self._caches if one.namespaced or not namespace]:
            held = await listed(self._runtime.store, resource, namespace)
            nodes = (node_of(resource, one) for one in held if one.metadata.owner_references)
            found += [node for node in nodes if any(owner.uid == uid for owner in node.owners)]
        return found

    async def _refresh(self) -> None:
        async with self._refreshing:
            await self._take_catalogue()

    async def _take_catalogue(self) -> None:
        self.catalogue = await self._discovery.catalogue(refresh=True)
        wanted = {resource for resource in self.catalogue.watchable() if resource.plural != "events"}
        down = {split_api_version(name) for name in self.catalogue.unavailable}
        for resource in [one for one in self._caches if one not in wanted]:
            if (resource.group, resource.version) not in down:
                await self._drop(resource)
        for resource in wanted - self._caches.keys():
            self._follow(resource)
        self._known.set()

    def _follow(self, resource: ApiResource) -> None:
        cache = self._runtime.caches.shaped(resource, Owned, METADATA)
        self._caches[resource] = cache
        cache.subscribe(partial(self._tell, resource))

    async def _drop(self, resource: ApiResource) -> None:
        del self._caches[resource]
        await self._runtime.caches.drop(resource)
        was_seen = self._is_undefined(resource)
        _log.info("kind no longer served", extra={"kind": str(resource)})
        for listener in self._gone_listeners:
            listener(resource, was_seen)

    def _is_undefined(self, resource: ApiResource) -> bool:
        """Whether the definition of a custom kind is gone, which happens only after all of its objects."""
        definitions = self._caches.get(CUSTOM_RESOURCE_DEFINITION)
        if definitions is None or not definitions.has_synced or "." not in resource.group:
            return False
        return resource.qualified not in {one.metadata.name for one in definitions.objects()}

    def _tell(self, resource: ApiResource, deltas: Sequence[OwnedDelta]) -> None:
        if resource == CUSTOM_RESOURCE_DEFINITION:
            self._stale.set()
        for listener in self._listeners:
            listener(resource, deltas)

    def _agrees(self) -> bool:
        """Whether every definition that is not being deleted is served, and no served one has lost its definition."""
        definitions = self._caches.get(CUSTOM_RESOURCE_DEFINITION)
        if definitions is None or not definitions.has_synced:
            return True
        served = {resource.qualified for resource in self._caches}
        return all(one.metadata.name in served for one in definitions.objects() if not one.metadata.deletion_timestamp)

"""Kinds that a cluster may have or not, such as PodGroups and queues: followed as soon as they are installed, until they go."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.kinds.objects import key_of
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.group_view import DefinitionView
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.clock import Clock
from corral.ports.refusals import ForbiddenError, NotFoundError

_GLANCE: Final = 0.05


class Listener(NamedTuple):
    """Who hears of a kind."""

    shape: type[Any]
    take: Callable[[Sequence[Delta[Any]]], None]
    """Told of every change; when the kind goes, that all its objects are gone."""


class InstalledKinds:
    """The caches of such kinds, as long as there are such kinds."""

    def __init__(self, runtime: Runtime, listeners: Mapping[ApiResource, Listener]) -> None:
        self._clock = runtime.clock
        self._caches = runtime.caches
        self._listeners = listeners
        self._names = {resource.qualified for resource in listeners}
        self._definitions: ObjectCache[DefinitionView] = runtime.caches.shaped(
            CUSTOM_RESOURCE_DEFINITION, DefinitionView
        )
        self._followed: dict[ApiResource, ObjectCache[Any]] = {}
        self._changed = asyncio.Event()

    def get(self, resource: ApiResource) -> ObjectCache[Any] | None:
        """Returns the cache of a kind, None while it is not installed."""
        return self._followed.get(resource)

    async def follow(self) -> None:
        """Returns when all objects there are now are known; kinds that come later are followed as they come."""
        self._definitions.subscribe(self._take_definitions)
        await known(self._definitions, self._clock)
        self._follow_installed()
        for cache in list(self._followed.values()):
            await known(cache, self._clock)

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            for resource in self._follow_installed():
                cache = self._followed.pop(resource)
                gone = [Delta(key_of(one), one, None) for one in cache.objects()]
                await self._caches.drop(resource)
                self._listeners[resource].take(gone)

    def _take_definitions(self, deltas: Sequence[Delta[DefinitionView]]) -> None:
        if any(delta.key.name in self._names for delta in deltas):
            self._changed.set()

    def _follow_installed(self) -> list[ApiResource]:
        """Begins to follow kinds that came, and returns those that went."""
        there = {one.metadata.name for one in self._definitions.objects()}
        for resource, listener in self._listeners.items():
            if resource.qualified in there and resource not in self._followed:
                cache = self._caches.shaped(resource, listener.shape)
                self._followed[resource] = cache
                cache.subscribe(listener.take)
        return [resource for resource in self._followed if resource.qualified not in there]


async def known(cache: ObjectCache[Any], clock: Clock) -> None:
    """Returns when a cache has its first list, or may not have one."""
    while not cache.has_synced and not isinstance(cache.failure, ForbiddenError | NotFoundError):
        await clock.sleep(_GLANCE)

"""All caches of a process: one per resource and scope, shared by everybody who reads it, started on first use."""

import asyncio
from collections.abc import Iterator
from typing import Any, TypeVar

from corral.control import heap
from corral.control.health import Verdict
from corral.control.object_cache import CacheSettings, ObjectCache
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.ports.clock import Clock
from corral.ports.identity import Randomness
from corral.ports.object_store import EVERYTHING, ObjectWatcher, Scope

T = TypeVar("T")

_Name = tuple[ApiResource, Scope, Any]

DEFAULT_SETTINGS = CacheSettings()


class Caches:
    """Hands out caches and keeps them running; kinds may be added and dropped at any time, as custom kinds are."""

    def __init__(
        self,
        watcher: ObjectWatcher,
        *,
        clock: Clock,
        randomness: Randomness,
        settings: CacheSettings = DEFAULT_SETTINGS,
    ) -> None:
        self._watcher = watcher
        self._clock = clock
        self._randomness = randomness
        self._settings = settings
        self._caches: dict[_Name, ObjectCache[Any]] = {}
        self._tasks: dict[_Name, asyncio.Task[None]] = {}
        self._running = False

    def of(self, resource: ApiResource, scope: Scope = EVERYTHING) -> ObjectCache[Object]:
        """Returns the cache of whole objects; the same one for the same resource and scope."""
        return self.shaped(resource, dict[str, Any], scope)

    def shaped(self, resource: ApiResource, shape: type[T], scope: Scope = EVERYTHING) -> ObjectCache[T]:
        """Returns the cache of trimmed objects, for resources with very many of them."""
        name = (resource, scope, shape)
        if name not in self._caches:
            self._caches[name] = ObjectCache(
                self._watcher,
                resource,
                shape,
                clock=self._clock,
                randomness=self._randomness,
                scope=scope,
                settings=self._settings,
            )
            self._tell_apart(resource)
            if self._running:
                self._start(name)
        return self._caches[name]

    def find(self, resource: ApiResource) -> Iterator[ObjectCache[Any]]:
        """Yields the caches of a resource that there are, in whichever version: all versions have one revision."""
        wanted = (resource.group, resource.plural)
        caches = list(self._caches.items())
        return (cache for (held, _, _), cache in caches if (held.group, held.plural) == wanted)

    async def drop(self, resource: ApiResource) -> None:
        """Stops following a resource and forgets what was known about it."""
        for name in [name for name in self._caches if name[0] == resource]:
            del self._caches[name]
            task = self._tasks.pop(name, None)
            if task is not None:
                task.cancel()
                await asyncio.wait([task])

    async def run(self) -> None:
        """Runs all caches, also those that are asked for later, until cancelled."""
        self._running = True
        heap.tune()
        try:
            for name in list(self._caches):
                self._start(name)
            await asyncio.Event().wait()
        finally:
            self._running = False
            tasks = list(self._tasks.values())
            self._tasks.clear()
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def wait_synced(self) -> None:
        """Returns when every cache there is now has its first complete list."""
        await asyncio.gather(*(cache.wait_synced() for cache in list(self._caches.values())))

    def verdicts(self) -> list[Verdict]:
        """Returns each cache's judgement of itself."""
        return [cache.verdict() for cache in self._caches.values()]

    def _tell_apart(self, resource: ApiResource) -> None:
        """Names the scopes of a resource's caches when there are several of it."""
        caches = list(self.find(resource))
        for cache in caches if len(caches) > 1 else ():
            cache.title = f"{resource.qualified} ({_words(cache.scope)})"

    def _start(self, name: _Name) -> None:
        if name not in self._tasks:
            self._tasks[name] = asyncio.create_task(self._caches[name].run(), name=f"cache-{name[0]}")


def _words(scope: Scope) -> str:
    namespace = f"namespace {scope.namespace}" if scope.namespace else ""
    return " ".join(part for part in (namespace, scope.labels, scope.fields) if part) or "all"

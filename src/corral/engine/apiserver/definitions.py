"""Custom resource definitions at work: what is served follows what is committed.

A listener on the store keeps the catalog in step, so a definition is served from the moment its writer hears of it.
Deleting one deletes its objects first; a finalizer of the server's own holds the definition until they are gone.
"""

import asyncio

from corral.engine.apiserver import failures
from corral.engine.apiserver.custom.definition_strategy import CustomResourceDefinitionStrategy
from corral.engine.apiserver.custom.naming import CLEANUP_FINALIZER, is_established
from corral.engine.apiserver.custom.resources import resources_of
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions, ListOptions, WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.deleting import delete_collection
from corral.engine.apiserver.rest.patching import fresh
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import Maker, Write, change
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.storage.entry import Change, Entry
from corral.engine.apiserver.world import World

GROUP = "apiextensions.k8s.io"
PLURAL = "customresourcedefinitions"
COLLECTION = f"{GROUP}/{PLURAL}"


def definition_resource() -> Resource:
    """Returns the kind CustomResourceDefinition itself."""
    return Resource(
        group=GROUP,
        version="v1",
        kind="CustomResourceDefinition",
        plural=PLURAL,
        singular="customresourcedefinition",
        namespaced=False,
        schema=builtin_schema(GROUP, "v1", "CustomResourceDefinition"),
        strategy=CustomResourceDefinitionStrategy(),
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        subresources=("status",),
    )


class Definitions:
    """Listens to definitions and serves, or stops serving, what they define."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cleanups: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Future[None]] = set()

    def begin(self) -> None:
        """Serves what is defined already, goes on with deletions that were under way, and listens from now on."""
        for entry in list(self._world.store.collection(COLLECTION).scan()):
            self._follow(entry)
        self._world.store.listen(COLLECTION, self)

    def changed(self, change: Change) -> None:
        """Follows one committed change of a definition."""
        if change.new is None:
            self._world.catalog.forget(change.entry.name)
            self._track(asyncio.ensure_future(self._reconsidered(change.entry)))
        else:
            self._follow(change.new)

    def _follow(self, entry: Entry) -> None:
        definition = entry.decoded()
        if is_established(definition):
            self._world.catalog.define(entry.name, resources_of(definition))
        meta = definition["metadata"]
        if meta.get("deletionTimestamp") and CLEANUP_FINALIZER in (meta.get("finalizers") or ()):
            self._clean_up(entry.name)

    def _clean_up(self, name: str) -> None:
        running = self._cleanups.get(name)
        if running is None or running.done():
            self._cleanups[name] = asyncio.ensure_future(self._emptied(name))

    def _track(self, task: "asyncio.Future[None]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reconsidered(self, gone: Entry) -> None:
        """Lets definitions of the same group have the names that a deleted one has given up."""
        group = gone.decoded()["spec"]["group"]
        for entry in list(self._world.store.collection(COLLECTION).scan()):
            if entry.decoded()["spec"]["group"] == group:
                await self._rewritten(entry.name, fresh)

    async def _emptied(self, name: str) -> None:
        """Deletes all objects of a definition, waits until they are gone, and lets the definition go."""
        for resource in [r for r in self._world.catalog if f"{r.plural}.{r.group}" == name][:1]:
            view = View(resource, JSON)
            target = Target(resource.group, resource.version, resource.plural)
            while len(self._world.store.collection(resource.storage_key)):
                await delete_collection(self._world, view, target, ListOptions(), DeleteOptions())
                await asyncio.sleep(0.1)  # objects with finalizers take their time
        await self._rewritten(name, _released)

    async def _rewritten(self, name: str, make: Maker) -> None:
        definition = self._world.catalog.find(GROUP, "v1", PLURAL)
        assert definition is not None
        options = WriteOptions(field_manager="kube-apiserver")
        target = Target(GROUP, "v1", PLURAL, name=name)
        try:
            await change(Write(self._world, View(definition, JSON), target, options, ""), make)
        except failures.ApiFailure as failure:
            if failure.code != 404:
                raise


def _released(definition: Object) -> Object:
    new: Object = fresh(definition)
    new["metadata"]["finalizers"] = [f for f in new["metadata"].get("finalizers") or () if f != CLEANUP_FINALIZER]
    return new

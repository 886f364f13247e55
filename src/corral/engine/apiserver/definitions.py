"""Custom resource definitions at work: what is served follows what is committed.

A listener on the store keeps the catalog in step, so a definition is served from the moment its writer hears of it.
Deleting one deletes its objects first; a finalizer of the server's own holds the definition until they are gone.
"""

import asyncio

from corral.engine.apiserver import failures
from corral.engine.apiserver.custom.definition_strategy import CustomResourceDefinitionStrategy
from corral.engine.apiserver.custom.naming import CLEANUP_FINALIZER, is_established
from corral.engine.apiserver.custom.resources import resources_of, stored_resource_of
from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions, WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object, Resource
from corral.engine.apiserver.rest.admission import DEFINITIONS as COLLECTION
from corral.engine.apiserver.rest.deleting import delete_entries
from corral.engine.apiserver.rest.identity import key_for
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.rest.writing import Maker, Write, change
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.defaulting import copied
from corral.engine.apiserver.storage.entry import Change, Entry
from corral.engine.apiserver.trying import Work, keep_trying
from corral.engine.apiserver.world import World

GROUP = "apiextensions.k8s.io"
PLURAL = "customresourcedefinitions"


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
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Serves what is defined already, goes on with deletions that were under way, and listens from now on."""
        for entry in list(self._world.store.collection(COLLECTION).scan()):
            self._follow(entry)
        self._world.store.listen(COLLECTION, self)

    def changed(self, change: Change) -> None:
        """Follows one committed change of a definition."""
        if change.new is None:
            self._world.catalog.forget(change.entry.name)
            gone = change.entry.decoded()
            self._run(f"names given up by {change.entry.name}", lambda: self._reconsidered(gone["spec"]["group"]))
        else:
            self._follow(change.new)

    def _follow(self, entry: Entry) -> None:
        definition = entry.decoded()
        if is_established(definition):
            self._world.catalog.define(entry.name, resources_of(definition))
        meta = definition["metadata"]
        if meta.get("deletionTimestamp") and CLEANUP_FINALIZER in (meta.get("finalizers") or ()):
            running = self._cleanups.get(entry.name)
            if running is None or running.done():
                task = self._run(f"deleting {entry.name}", lambda: self._emptied(definition))
                self._cleanups[entry.name] = task

    def _run(self, what: str, work: Work) -> "asyncio.Task[None]":
        task = asyncio.ensure_future(keep_trying(what, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _reconsidered(self, group: str) -> None:
        """Lets definitions of the same group have the names that a deleted one has given up."""
        for entry in list(self._world.store.collection(COLLECTION).scan()):
            if entry.decoded()["spec"]["group"] == group:
                await self._rewritten(entry.name, copied)

    async def _emptied(self, definition: Object) -> None:
        """Deletes all objects of a definition, waits until they are gone, and lets the definition go.

        Nothing new comes since the deletion of the definition was committed, so what is empty stays empty.
        """
        resource = stored_resource_of(definition)
        emptying = _Emptying()
        end = self._world.store.listen(resource.storage_key, emptying)
        try:
            objects = self._world.store.collection(resource.storage_key)
            while len(objects) and self._is_going(definition):
                emptying.moved.clear()
                left = [entry for entry in objects.scan() if not entry.is_terminating()]
                await delete_entries(self._world, View(resource, JSON), left, DeleteOptions())
                if len(objects):  # held by finalizers
                    await emptying.moved.wait()
        finally:
            end()
        await self._rewritten(definition["metadata"]["name"], _released)

    def _is_going(self, definition: Object) -> bool:
        """Says whether this very definition is still being deleted: somebody may have let it go by force."""
        meta = definition["metadata"]
        entry = self._world.store.collection(COLLECTION).get(key_for("", meta["name"]))
        return entry is not None and entry.is_terminating() and entry.decoded()["metadata"]["uid"] == meta["uid"]

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


class _Emptying:
    """Tells a clean-up that there is something new to see."""

    def __init__(self) -> None:
        self.moved = asyncio.Event()

    def changed(self, change: Change) -> None:
        """Wakes the clean-up when an object is gone; its own marks wake nobody."""
        if change.new is None:
            self.moved.set()


def _released(definition: Object) -> Object:
    new: Object = copied(definition)
    new["metadata"]["finalizers"] = [f for f in new["metadata"].get("finalizers") or () if f != CLEANUP_FINALIZER]
    return new

"""The verbs of the API on a world of its own, without HTTP between: what races is seen to race."""

import asyncio
from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.http.negotiation import JSON
from corral.engine.apiserver.http.options import DeleteOptions, ListOptions, WriteOptions
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.rest import deleting, writing
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.schema.defaulting import copied
from corral.engine.apiserver.storage.entry import Change, Entry
from corral.engine.apiserver.world import World

CRDS = "apiextensions.k8s.io/v1/customresourcedefinitions"


class Verbs:
    """Writes to one resource, named like `apps/v1/deployments`, in one namespace."""

    def __init__(self, world: World, path: str, namespace: str = "") -> None:
        *group, version, plural = path.split("/")
        resource = world.catalog.find("".join(group), version, plural)
        assert resource is not None, path
        self.world = world
        self.resource = resource
        self.view = View(resource, JSON)
        self.namespace = namespace

    async def create(self, name: str = "", *, dry_run: bool = False, **fields: Any) -> Object:
        meta = {"name": name} if name else {}
        meta |= fields.pop("metadata", {})
        obj = {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": meta, **fields}
        write = writing.Write(self.world, self.view, self._target(""), WriteOptions(dry_run=dry_run), "test")
        return (await writing.create(write, copied(obj))).obj

    async def change(self, name: str, touch: Callable[[Object], Any]) -> Object:
        def make(old: Object) -> Object:
            new: Object = copied(old)
            touch(new)
            return new

        write = writing.Write(self.world, self.view, self._target(name), WriteOptions(), "test")
        return (await writing.change(write, make)).obj

    async def delete(self, name: str) -> None:
        await deleting.delete(self.world, self.view, self._target(name), DeleteOptions())

    async def delete_all(self) -> None:
        await deleting.delete_collection(self.world, self.view, self._target(""), ListOptions(), DeleteOptions())

    def entries(self) -> list[Entry]:
        return list(self.world.store.collection(self.resource.storage_key).scan(self.namespace))

    def get(self, name: str) -> Object:
        entry = self.world.store.collection(self.resource.storage_key).get(f"{self.namespace}/{name}")
        assert entry is not None, name
        return self.view.decoded(entry)

    async def gone(self, name: str) -> None:
        """Waits until an object is no longer there."""
        waiting = _Gone(name)
        end = self.world.store.listen(self.resource.storage_key, waiting)
        try:
            if any(entry.name == name for entry in self.entries()):
                await asyncio.wait_for(waiting.happened.wait(), 10)
        finally:
            end()

    def _target(self, name: str) -> Target:
        resource = self.resource
        return Target(resource.group, resource.version, resource.plural, self.namespace, name)


class _Gone:
    def __init__(self, name: str) -> None:
        self._name = name
        self.happened = asyncio.Event()

    def changed(self, change: Change) -> None:
        if change.new is None and change.entry.name == self._name:
            self.happened.set()


def definition(plural: str, kind: str, *, served: bool = True) -> dict[str, Any]:
    """Returns the fields of a definition of `plural`.example.com."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": served, "storage": True, "schema": schema}],
        }
    }

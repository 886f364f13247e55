"""Emptying terminating namespaces: the loop around `corral.reconcile.builtin.namespaces`."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence

from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.followed_kinds import FollowedKinds
from corral.engine.controllers.metadata import Owned, OwnedDelta, listed
from corral.errors import CorralError
from corral.kinds.catalogue import Served
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.ports.object_store import DeleteOptions, Scope
from corral.ports.refusals import NotFoundError
from corral.reconcile.builtin.namespaces import Survey, decide, is_ours
from corral.reconcile.plan import Update

_log = logging.getLogger("corral.engine.controllers.namespaces")

_AT_A_TIME = 8


class NamespaceDeletion:
    """Deletes all content of namespaces that are being deleted, then lets them go."""

    def __init__(self, runtime: Runtime, kinds: FollowedKinds, executor: PlanExecutor) -> None:
        self._runtime = runtime
        self._kinds = kinds
        self._executor = executor
        self._emptying: set[str] = set()
        self._gate = asyncio.Semaphore(_AT_A_TIME)
        self.controller = Controller("namespace-deletion", self._reconcile, [Watch(NAMESPACE)], runtime, workers=4)
        kinds.listen(self._take)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    def _take(self, resource: ApiResource, deltas: Sequence[OwnedDelta]) -> None:
        """Looks at a namespace again as soon as something in it has gone."""
        for delta in deltas:
            if delta.new is None and delta.key.namespace in self._emptying:
                self.controller.enqueue(ObjectKey("", delta.key.namespace))

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        self._executor.expectations.forget(key)  # decisions are made from live reads
        namespace = self._runtime.caches.of(NAMESPACE).get(key)
        if namespace is None or not is_ours(namespace):
            self._emptying.discard(key.name)
            return DONE
        self._emptying.add(key.name)
        namespace = await self._fresh(key)
        if namespace is None or not is_ours(namespace):
            return DONE
        plan = decide(await self._survey(namespace), self._runtime.clock.now())
        outcome = await self._executor.run(key, plan)
        if any(isinstance(action, Update) for action in plan):
            _log.info("namespace emptied", extra={"namespace": key.name})
        return outcome

    async def _fresh(self, key: ObjectKey) -> Object | None:
        try:
            return await self._runtime.store.get(NAMESPACE, key)
        except NotFoundError:
            return None

    async def _survey(self, namespace: Object) -> Survey:
        """Asks everything to go and counts what stays."""
        catalogue = await self._kinds.refreshed()
        name = namespace["metadata"]["name"]
        kinds = list(_deletable(catalogue.served))
        found = await asyncio.gather(*(self._emptied(served, name) for served in kinds))
        failures = [
            f"{served.resource.qualified}: {left}"
            for served, left in zip(kinds, found, strict=True)
            if isinstance(left, str)
        ]
        remaining = {
            served.resource: left
            for served, left in zip(kinds, found, strict=True)
            if left and not isinstance(left, str)
        }
        everything = [one for left in remaining.values() for one in left]
        return Survey(
            namespace,
            catalogue.unavailable,
            failures,
            {resource: len(left) for resource, left in remaining.items()},
            Counter(finalizer for one in everything for finalizer in one.metadata.finalizers),
            max((one.metadata.deletion_grace_period_seconds or 0 for one in everything), default=0),
        )

    async def _emptied(self, served: Served, namespace: str) -> list[Owned] | str:
        """Deletes all objects of one kind; returns those that stay for now, or why it could not."""
        async with self._gate:
            try:
                present = await listed(self._runtime.store, served.resource, namespace)
                if not present:
                    return []
                await self._delete(served, namespace, present)
                return await listed(self._runtime.store, served.resource, namespace)
            except NotFoundError:
                return []  # the kind went with its definition
            except CorralError as error:
                return error.message

    async def _delete(self, served: Served, namespace: str, present: Sequence[Owned]) -> None:
        store = self._runtime.store
        if "deletecollection" in served.verbs:
            await store.delete_collection(served.resource, Scope(namespace), DeleteOptions("Background"))
            return
        for one in present:
            try:
                key = ObjectKey(namespace, one.metadata.name)
                await store.delete(served.resource, key, DeleteOptions("Background", uid=one.metadata.uid))
            except NotFoundError:
                continue


def _deletable(served: Iterable[Served]) -> Iterable[Served]:
    """Yields every kind that lives in namespaces and can be listed and deleted, once."""
    seen: set[tuple[str, str]] = set()
    for one in served:
        name = (one.resource.group, one.resource.plural)
        if one.resource.namespaced and {"list", "delete"} <= set(one.verbs) and name not in seen:
            seen.add(name)
            yield one

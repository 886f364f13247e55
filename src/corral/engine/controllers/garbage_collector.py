"""Owner-reference garbage collection: the loop around `corral.reconcile.builtin.garbage`.

Changes of all kinds feed the graph; what it points to is read live, with its owners, before anything is deleted. A read
that is refused or fails decides nothing: the object is looked at again later.
"""

import logging
from collections.abc import Sequence

from corral.control.controller import Controller
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.followed_kinds import FollowedKinds
from corral.engine.controllers.metadata import OwnedDelta, node_of, node_of_object
from corral.errors import PermanentError
from corral.kinds.objects import Object, uid_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.refusals import NotFoundError
from corral.reconcile.builtin.garbage.graph import Consequences, Graph, Node, Owner
from corral.reconcile.builtin.garbage.verdict import OwnerState, complaint, foreground_step, orphan_step, verdict
from corral.reconcile.plan import Delete, Plan

_log = logging.getLogger("corral.engine.controllers.garbage")

_FIRST_SIGHT = 30.0
"""How long the first lists of all kinds may take before work begins without the missing ones."""
_UNSEEN_AGAIN = 30.0
"""An owner that exists but is not in the graph is asked for again after this."""


class GarbageCollector:
    """Deletes what nobody owns any more, and serves foreground and orphaning deletions."""

    def __init__(self, runtime: Runtime, kinds: FollowedKinds, executor: PlanExecutor) -> None:
        self.graph = Graph()
        self._store = runtime.store
        self._events = runtime.events
        self._kinds = kinds
        self._executor = executor
        self.controller = Controller("garbage-collector", self._look, (), runtime, workers=8)
        kinds.listen(self._take, self._take_gone_kind)

    async def run(self) -> None:
        """Works until cancelled, after all kinds are known: until then most owners would look absent."""
        await self._kinds.wait_known(_FIRST_SIGHT)
        await self.controller.run()

    # --- what changes ask for ---

    def _take(self, resource: ApiResource, deltas: Sequence[OwnedDelta]) -> None:
        for delta in deltas:
            old, new = delta.old, delta.new
            if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
                self._follow_up(self.graph.remove(old.metadata.uid))
            if new is not None:
                self._follow_up(self.graph.put(node_of(resource, new)))

    def _take_gone_kind(self, resource: ApiResource, with_all_objects: bool) -> None:
        if with_all_objects:
            for uid in self.graph.of(resource):
                self._follow_up(self.graph.remove(uid))
        else:
            self._follow_up(self.graph.forget(resource))

    def _follow_up(self, consequences: Consequences) -> None:
        for wrong in consequences.misplaced:
            self._events.emit(complaint(wrong))
        for uid in consequences.look_at:
            self.controller.enqueue(ObjectKey("", uid))

    # --- looking at one object ---

    async def _look(self, key: ObjectKey) -> Outcome:
        self._executor.expectations.forget(key)  # decisions are made from live reads
        node = self.graph.nodes.get(key.name)
        if node is None:
            return DONE
        if node.orphans_dependents:
            return await self._orphan(node)
        if node.deleting and not node.waits_for_dependents:
            return DONE
        if not node.waits_for_dependents and self.graph.is_settled(node):
            return DONE
        return await self._judge(node)

    async def _orphan(self, node: Node) -> Outcome:
        """Frees the dependents that the server has now: one that the graph has not seen yet would be lost for good."""
        if not self._kinds.all_synced():
            return RetryAfter(1.0)
        namespace = node.key.namespace if node.resource.namespaced else ""
        dependents = await self._kinds.dependents_of(node.uid, namespace)
        return await self._executor.run(_key(node), orphan_step(node, dependents))

    async def _judge(self, node: Node) -> Outcome:
        latest = await self._read(node.resource, node.key, node.uid)
        if latest is None:
            return DONE  # the cache will tell
        item = node_of_object(node.resource, latest)
        dependents = self.graph.dependents(node.uid)
        if item.waits_for_dependents:
            for one in dependents:
                if not one.deleting:
                    self.controller.enqueue(_key(one))
            return await self._executor.run(_key(node), foreground_step(item, dependents))
        if item.deleting:
            return DONE
        states = {owner.uid: await self._state_of(owner, item) for owner in item.owners}
        plan = verdict(item, latest["metadata"]["resourceVersion"], states, dependents)
        self._tell(item, plan)
        outcome = await self._executor.run(_key(node), plan)
        unseen = [uid for uid, state in states.items() if state is OwnerState.SOLID and uid not in self.graph.nodes]
        return RetryAfter(_UNSEEN_AGAIN) if unseen and not plan else outcome

    async def _state_of(self, owner: Owner, item: Node) -> OwnerState:
        """Asks the server for an owner; raises when it cannot be known."""
        resource = self._kinds.resource_of(owner.api_version, owner.kind)
        if resource is None:
            if self.graph.was_seen_deleted(owner.uid):
                return OwnerState.ABSENT  # the kind went after its objects, which were seen to go
            raise PermanentError("unknown-owner-kind", f"the server does not serve {owner.kind} in {owner.api_version}")
        if resource.namespaced and not item.key.namespace:
            message = f"{item.resource.qualified} {item.key} is cluster-wide and names an owner that is not"
            raise PermanentError("misplaced-owner", message)
        namespace = item.key.namespace if resource.namespaced else ""
        found = await self._read(resource, ObjectKey(namespace, owner.name), owner.uid)
        if found is None:
            return OwnerState.ABSENT
        return OwnerState.WAITING if node_of_object(resource, found).waits_for_dependents else OwnerState.SOLID

    async def _read(self, resource: ApiResource, key: ObjectKey, uid: str) -> Object | None:
        """Returns the object with this uid, None when the server says that there is none."""
        try:
            found = await self._store.get(resource, key)
        except NotFoundError as error:
            if error.kind_is_missing:
                raise
            return None
        return found if uid_of(found) == uid else None

    def _tell(self, item: Node, plan: Plan) -> None:
        for action in plan:
            if isinstance(action, Delete):
                _log.info("deleting garbage", extra={"kind": str(item.resource), "object": str(item.key)})


def _key(node: Node) -> ObjectKey:
    return ObjectKey("", node.uid)

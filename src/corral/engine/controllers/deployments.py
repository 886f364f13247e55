"""Deployments: the loop around `corral.reconcile.builtin.deployments`."""

from collections.abc import Iterable

from corral.control.controller import Controller, Watch, controller_keys
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.children import (
    candidates,
    confirm_owner,
    either,
    free_child_keys,
    index_children,
    managed_by,
)
from corral.engine.controllers.replica_sets import GLANCE
from corral.kinds.objects import Object, controller_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import DEPLOYMENT, POD, REPLICA_SET
from corral.reconcile.builtin.claiming import claimed
from corral.reconcile.builtin.deployments.decision import Observed, decide
from corral.reconcile.builtin.deployments.limits import is_rolling
from corral.reconcile.builtin.label_selectors import is_empty
from corral.reconcile.plan import EmitEvent, Plan


class Deployments:
    """Brings the pods of a Deployment to its present template."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._runtime = runtime
        self._executor = executor
        self._deployments = runtime.caches.of(DEPLOYMENT)
        self._sets = runtime.caches.of(REPLICA_SET)
        self._pods = runtime.caches.of(POD)
        index_children(self._sets)
        index_children(self._pods)
        set_keys = either(controller_keys(DEPLOYMENT.kind, DEPLOYMENT.group), free_child_keys(self._deployments))
        watches = [Watch(DEPLOYMENT), Watch(REPLICA_SET, set_keys), Watch(POD, self._recreating)]
        self.controller = Controller("deployments", self._reconcile, watches, runtime, workers=8)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    def _recreating(self, pod: Object) -> Iterable[ObjectKey]:
        """Maps a pod to its Deployment if that waits for the last old pod to go."""
        manager = controller_of(pod)
        if manager is None or manager.get("kind") != REPLICA_SET.kind:
            return ()
        namespace = pod["metadata"]["namespace"]
        replica_set = self._sets.get(ObjectKey(namespace, manager["name"]))
        owner = controller_of(replica_set) if replica_set is not None else None
        if owner is None or owner.get("kind") != DEPLOYMENT.kind:
            return ()
        deployment = self._deployments.get(key := ObjectKey(namespace, owner["name"]))
        return (key,) if deployment is not None and not is_rolling(deployment) else ()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        deployment = self._deployments.get(key)
        if deployment is None:
            self._executor.expectations.forget(key)
            return DONE
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        if is_empty(deployment["spec"].get("selector")):
            message = "This deployment is selecting all pods. A non-empty selector is required."
            told = EmitEvent(DEPLOYMENT, deployment, "SelectingAll", message, "Warning")
            return await self._executor.run(key, Plan.of(told))
        claim = claimed(DEPLOYMENT, deployment, REPLICA_SET, candidates(self._sets, deployment))
        if claim.patches:
            if claim.adopts:
                await confirm_owner(self._runtime.store, DEPLOYMENT, deployment)
            return await self._executor.run(key, Plan.of(*claim.patches))
        plan = decide(self._observed(deployment, claim.ours), self._runtime.clock.now())
        return await self._executor.run(key, plan)

    def _observed(self, deployment: Object, ours: tuple[Object, ...]) -> Observed:
        mine = {uid_of(one) for one in ours}
        foreign = [
            one["metadata"]["name"]
            for one in self._sets.objects(deployment["metadata"]["namespace"])
            if uid_of(one) not in mine
        ]
        pods = {uid: managed_by(self._pods, uid) for uid in mine} if not is_rolling(deployment) else {}
        return Observed(deployment, ours, pods, foreign)

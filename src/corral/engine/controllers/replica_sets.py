"""ReplicaSets: the loop around `corral.reconcile.builtin.replica_sets`."""

from corral.control.controller import Controller, Watch, controller_keys
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.children import (
    UsedNames,
    attempt,
    candidates,
    confirm_owner,
    either,
    free_child_keys,
    index_children,
    managed_by,
)
from corral.kinds.objects import Object, controller_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD, REPLICA_SET
from corral.reconcile.builtin.pods import is_active
from corral.reconcile.builtin.replica_sets.decision import Observed, claim, next_pods, wanted_replicas
from corral.reconcile.builtin.replica_sets.status import report
from corral.reconcile.plan import Plan

GLANCE = 0.05
"""How soon a key comes again whose own writes are not visible yet."""


class ReplicaSets:
    """Keeps so many pods of a template running."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._runtime = runtime
        self._executor = executor
        self._sets = runtime.caches.of(REPLICA_SET)
        self._pods = runtime.caches.of(POD)
        self._used = UsedNames()
        index_children(self._sets)
        index_children(self._pods)
        self._pods.subscribe(self._used.take)
        pod_keys = either(controller_keys(REPLICA_SET.kind, REPLICA_SET.group), free_child_keys(self._sets))
        watches = [Watch(REPLICA_SET), Watch(POD, pod_keys)]
        self.controller = Controller("replica-sets", self._reconcile, watches, runtime, workers=8)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        replica_set = self._sets.get(key)
        if replica_set is None:
            self._executor.expectations.forget(key)
            return DONE
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        observed = self._observed(replica_set)
        ours = await self._claimed(key, observed)
        now = self._runtime.clock.now()
        plan = next_pods(observed, ours, now)
        failure = await attempt(self._executor, key, (REPLICA_SET, replica_set), plan)
        if plan and failure is None:
            return DONE  # the pods themselves will call again, and then the status tells of them
        outcome = await self._executor.run(key, report(replica_set, ours, failure.message if failure else None, now))
        if failure is not None:
            raise failure
        return outcome

    def _observed(self, replica_set: Object) -> Observed:
        pods = candidates(self._pods, replica_set)
        active = sum(1 for pod in pods if is_active(pod))
        lacks, has_surplus = active < wanted_replicas(replica_set), active > wanted_replicas(replica_set)
        taken = self._taken(replica_set["metadata"]["namespace"]) if lacks else set()
        return Observed(replica_set, pods, taken, self._relatives(replica_set) if has_surplus else ())

    def _taken(self, namespace: str) -> set[str]:
        return {*self._used.of(namespace), *(pod["metadata"]["name"] for pod in self._pods.objects(namespace))}

    def _relatives(self, replica_set: Object) -> list[Object]:
        """Returns the pods of all ReplicaSets of the same Deployment."""
        owner = controller_of(replica_set)
        siblings = managed_by(self._sets, owner["uid"]) if owner is not None else [replica_set]
        return [pod for sibling in siblings for pod in managed_by(self._pods, uid_of(sibling))]

    async def _claimed(self, key: ObjectKey, observed: Observed) -> tuple[Object, ...]:
        found = claim(observed)
        if found.adopts:
            await confirm_owner(self._runtime.store, REPLICA_SET, observed.replica_set)
        await self._executor.run(key, Plan.of(*found.patches))
        return found.ours

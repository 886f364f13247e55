"""Jobs: the loop around `corral.reconcile.builtin.jobs`."""

from collections.abc import Iterable, Sequence

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
)
from corral.engine.controllers.replica_sets import GLANCE
from corral.kinds.objects import Object, controller_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import JOB, POD
from corral.ports.refusals import NotFoundError
from corral.reconcile.builtin.claiming import claimed
from corral.reconcile.builtin.jobs.decision import Observed, decide, ended
from corral.reconcile.builtin.jobs.job import TRACKING, ended_with, is_ours, is_tracked
from corral.reconcile.builtin.jobs.pods_of_job import released
from corral.reconcile.builtin.jobs.status import report
from corral.reconcile.plan import Plan

_HELD = "held for job"


class Jobs:
    """Runs pods to their end and counts them."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._runtime = runtime
        self._executor = executor
        self._jobs = runtime.caches.of(JOB)
        self._pods = runtime.caches.of(POD)
        self._used = UsedNames()
        index_children(self._pods)
        self._pods.add_indexes({_HELD: _held_for})
        self._pods.subscribe(self._used.take)
        pod_keys = either(controller_keys(JOB.kind, JOB.group), free_child_keys(self._jobs))
        self.controller = Controller("jobs", self._reconcile, [Watch(JOB), Watch(POD, pod_keys)], runtime, workers=8)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        job = self._jobs.get(key)
        strays = [pod for pod in self._pods.by_index(_HELD, str(key)) if not _is_of(pod, job)]
        if strays:
            await self._let_go(key, strays)
        if job is None:
            self._executor.expectations.forget(key)
            return DONE
        return await self._look_after(key, job) if is_ours(job) else DONE

    async def _look_after(self, key: ObjectKey, job: Object) -> Outcome:
        claim = claimed(JOB, job, POD, candidates(self._pods, job), finalizer=TRACKING)
        if claim.patches:
            if claim.adopts:
                await confirm_owner(self._runtime.store, JOB, job)
            return await self._executor.run(key, Plan.of(*claim.patches))
        now = self._runtime.clock.now()
        observed = Observed(job, claim.ours, self._used.of(key.namespace))
        if ended_with(job) is not None:
            return await self._executor.run(key, ended(observed, now))
        step = decide(observed, now)
        failure = await attempt(self._executor, key, (JOB, job), step.pods)
        outcome = await self._executor.run(key, report(step, now, has_happened=failure is None))
        if failure is not None:
            raise failure
        return outcome

    async def _let_go(self, key: ObjectKey, strays: Sequence[Object]) -> None:
        """Releases pods that wait to be counted by a Job that is no more, after asking the server for it."""
        try:
            found: Object | None = await self._runtime.store.get(JOB, key)
        except NotFoundError:
            found = None
        gone = [pod for pod in strays if not _is_of(pod, found)]
        await self._executor.run(key, Plan.of(*(released(pod) for pod in gone)))


def _held_for(pod: Object) -> Iterable[str]:
    controller = controller_of(pod)
    if controller is None or controller.get("kind") != JOB.kind or not is_tracked(pod):
        return ()
    return (f"{pod['metadata']['namespace']}/{controller['name']}",)


def _is_of(pod: Object, job: Object | None) -> bool:
    controller = controller_of(pod)
    return job is not None and controller is not None and controller["uid"] == uid_of(job)

"""PersistentVolumeClaims: the loop around `corral.reconcile.builtin.volume_claims`."""

from corral.control.controller import Controller, Watch
from corral.control.outcome import DONE, Outcome, RetryAfter
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime
from corral.engine.controllers.replica_sets import GLANCE
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM
from corral.reconcile.builtin.volume_claims import decide


class VolumeClaims:
    """Binds claims as soon as they exist."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._claims = runtime.caches.of(PERSISTENT_VOLUME_CLAIM)
        self._executor = executor
        self.controller = Controller("claims", self._reconcile, [Watch(PERSISTENT_VOLUME_CLAIM)], runtime, workers=2)

    async def run(self) -> None:
        """Works until cancelled."""
        await self.controller.run()

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        claim = self._claims.get(key)
        if claim is None:
            self._executor.expectations.forget(key)
            return DONE
        if not self._executor.expectations.are_met(key):
            return RetryAfter(GLANCE)
        return await self._executor.run(key, decide(claim))

"""Training jobs and crons on one machine: the same operator as on a cluster, beside the built-in controllers.

Jobs are gangs here, for the scheduler beside it: their pods start together or wait together. It has caches of its own: they hold
only what belongs to training jobs, trimmed, and a kind that goes must not take them along. There is no port for probes and metrics here; a part that is not well is told in the log.
"""

import asyncio
import logging

from corral.control.health import Verdict
from corral.control.object_cache import CacheSettings
from corral.control.operator import Operator
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime, runtime_of
from corral.control.training.operator import Means, component_of
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry
from corral.reconcile.training.gangs import gangs_for
from corral.reconcile.training.world import Settings

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)
_ASKED_EVERY = 15.0
"""How often the parts are asked how they are, in seconds."""

_log = logging.getLogger("corral.engine.controllers.training")


class Training:
    """Looks after the jobs of all training kinds, and the crons that make them."""

    def __init__(self, runtime: Runtime, means: Means, fence: Fence) -> None:
        self._own = runtime_of(
            runtime.store,
            clock=runtime.clock,
            randomness=runtime.randomness,
            component=component_of,
            settings=_SETTINGS,
        )
        orders = Orders(settings=Settings(gangs=gangs_for("corral-scheduler")))
        self._operator = Operator(self._own, orders, Telemetry(runtime.clock), means, fence=fence)

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._own.caches.run(), name="training-caches")
            group.create_task(self._own.events.run(), name="training-events")
            group.create_task(self._operator.run(), name="training")
            group.create_task(self._tell_health(), name="training-health")

    async def _tell_health(self) -> None:
        unwell: dict[str, Verdict] = {}
        while True:
            await self._own.clock.sleep(_ASKED_EVERY)
            found = {one.part: one for one in self._operator.verdicts() if not one.is_well}
            for part in found.keys() - unwell.keys():
                _log.warning("not well", extra={"part": part, "detail": found[part].detail})
            for part in unwell.keys() - found.keys():
                _log.info("well again", extra={"part": part})
            unwell = found

"""The scheduler on one machine: the same loop as on a cluster, beside the built-in controllers.

It has caches of its own, which hold pods and nodes as it reads them and begin anew with each reign. Nobody else schedules here, so it
serves the usual name and those of gang schedulers as well.
"""

import logging

from corral.control.backoff import Backoff
from corral.control.leadership import LeadershipLostError
from corral.control.object_cache import CacheSettings
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime, runtime_of
from corral.control.scheduling.orders import COMPONENT, Orders, names_of_one_machine, without_departed
from corral.control.scheduling.scheduler import Scheduler

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)
_BACKOFF = Backoff(0.2, 30.0)
_LONG = 60.0
"""A reign of so many seconds was one; a shorter one says that two schedulers take the ledger from each other."""

_log = logging.getLogger("corral.engine.controllers.scheduling")


class Scheduling:
    """Binds pods to nodes; `fake_nodes` are the names of the fake nodes that may be used."""

    def __init__(self, runtime: Runtime, fence: Fence, fake_nodes: frozenset[str]) -> None:
        self._around = runtime
        self._fence = fence
        self._orders = Orders(names_of_one_machine(), without_departed(fake_nodes))

    async def run(self) -> None:
        """Works until cancelled."""
        losses = 0
        while True:
            began = self._around.clock.monotonic()
            try:
                await Scheduler(self._own_runtime(), self._orders, self._fence).run()
            except LeadershipLostError as lost:
                _log.warning("beginning anew", extra={"reason": lost.message})
                losses = 1 if self._around.clock.monotonic() - began > _LONG else losses + 1
                await self._around.clock.sleep(_BACKOFF.wait(losses, self._around.randomness.fraction()))

    def _own_runtime(self) -> Runtime:
        around = self._around
        return runtime_of(
            around.store, clock=around.clock, randomness=around.randomness, component=COMPONENT, settings=_SETTINGS
        )

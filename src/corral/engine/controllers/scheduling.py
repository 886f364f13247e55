"""The scheduler on one machine: the same loop as on a cluster, beside the built-in controllers.

It has caches of its own, which hold pods and nodes as it reads them and begin anew with each reign. Nobody else schedules here, so it
serves the usual name and those of gang schedulers as well. Whose turn it is the process decides, for all of its controllers.
"""

from corral.control.object_cache import CacheSettings
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime, runtime_of
from corral.control.scheduling.orders import COMPONENT, Orders, names_of_one_machine, without_departed
from corral.control.scheduling.process import SchedulerProcess

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)


class Scheduling:
    """Binds pods to nodes; `fake_nodes` are the names of the fake nodes that may be used."""

    def __init__(self, runtime: Runtime, fence: Fence, fake_nodes: frozenset[str]) -> None:
        self._around = runtime
        self._fence = fence
        orders = Orders(names_of_one_machine(), without_departed(fake_nodes))
        self._process = SchedulerProcess(self._own_runtime, orders)

    async def run(self) -> None:
        """Works until cancelled."""
        await self._process.run(self._fence)

    def _own_runtime(self) -> Runtime:
        around = self._around
        return runtime_of(
            around.store, clock=around.clock, randomness=around.randomness, component=COMPONENT, settings=_SETTINGS
        )

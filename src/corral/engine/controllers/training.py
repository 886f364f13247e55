"""Training jobs on one machine: the same operator as on a cluster, beside the built-in controllers.

It has caches of its own: they hold only what belongs to training jobs, trimmed, and a kind that goes must not take them along.
"""

import asyncio

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.pod_logs import PodLogs
from corral.adapters.ssh_keys.key_pairs import fill_ssh_keys
from corral.control.object_cache import CacheSettings
from corral.control.plan_executor import PlanExecutor
from corral.control.runtime import Runtime, runtime_of
from corral.control.training.operator import Means, TrainingOperator, component_of
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry
from corral.reconcile.training.mpi_v2.surroundings import SSH_KEY_PAIR

_SETTINGS = CacheSettings(watch_seconds=1800, relist_every=3600.0)


class Training:
    """Looks after the jobs of all training kinds."""

    def __init__(self, runtime: Runtime, executor: PlanExecutor) -> None:
        self._own = runtime_of(
            runtime.store,
            clock=runtime.clock,
            randomness=runtime.randomness,
            component=component_of,
            settings=_SETTINGS,
        )
        logs = PodLogs(runtime.store) if isinstance(runtime.store, AsyncClient) else None
        means = Means({SSH_KEY_PAIR: fill_ssh_keys}, logs)
        self._operator = TrainingOperator(self._own, Orders(), Telemetry(runtime.clock), means, fence=executor.fence)

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._own.caches.run(), name="training-caches")
            group.create_task(self._own.events.run(), name="training-events")
            group.create_task(self._operator.run(), name="training")

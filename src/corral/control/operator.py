"""The operator: training jobs, and the crons that make them, on one set of caches."""

import asyncio

from corral.control.cron.operator import CronOperator
from corral.control.health import Verdict
from corral.control.metrics import Reading
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.training.operator import Means, TrainingOperator
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry


class Operator:
    """Looks after both; the caches and the events of `runtime` are run by whoever made them."""

    def __init__(self, runtime: Runtime, orders: Orders, telemetry: Telemetry, means: Means, *, fence: Fence) -> None:
        self.training = TrainingOperator(runtime, orders, telemetry, means, fence=fence)
        self.crons = CronOperator(runtime, orders, telemetry, means.zones, fence=fence)

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.training.run(), name="training")
            group.create_task(self.crons.run(), name="crons")

    def verdicts(self) -> list[Verdict]:
        """Returns how every part is."""
        return [*self.training.verdicts(), *self.crons.verdicts()]

    def readings(self) -> list[Reading]:
        """Returns the numbers that are kept by queues, caches and events."""
        return self.training.readings({self.crons.controller.name: self.crons.controller}, self.crons.ages)

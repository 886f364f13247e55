"""The operator as a process that may have siblings: waits for its turn, works, and tells how it is at any time.

The caches begin when the turn has come, so that they hold what the one before has written last.
"""

import asyncio
import logging
from collections.abc import Callable

from corral.control.health import Verdict
from corral.control.leadership import Leadership, Term
from corral.control.metrics import Family, Reading
from corral.control.operator import Operator
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.training.operator import Means
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry

_log = logging.getLogger("corral.control.training")


class OperatorProcess:
    """Runs `Operator`, under a lease when there is one."""

    def __init__(
        self,
        surroundings: Callable[[], Runtime],
        orders: Orders,
        telemetry: Telemetry,
        means: Means,
        *,
        leadership: Leadership | None = None,
    ) -> None:
        self._surroundings = surroundings
        self._orders = orders
        self._telemetry = telemetry
        self._leadership = leadership
        self._means = means
        self._operator: Operator | None = None

    async def run(self) -> None:
        """Works, whenever it is this process's turn, until cancelled."""
        if self._leadership is None:
            await self._work(_no_fence)
        else:
            await self._leadership.lead(self._reign)

    def liveness(self) -> list[Verdict]:
        """Returns how every part is."""
        lease = self._leadership.verdicts() if self._leadership else []
        return [*lease, *(self._operator.verdicts() if self._operator else [])]

    def readiness(self) -> list[Verdict]:
        """Returns the same, and what keeps it from working; one that waits for its turn is ready if it sees the lease."""
        lease = self._leadership.readiness() if self._leadership else []
        if self._operator is None:
            return lease or [Verdict("operator", False, "not started yet")]
        seen = self._operator.training.observation
        lacking = [*seen.unsynced(), *seen.without_kinds()]
        named = {verdict.part for verdict in lacking}
        return [*lease, *lacking, *(one for one in self._operator.verdicts() if one.part not in named)]

    def metrics(self) -> str:
        """Returns all numbers in the text form of Prometheus."""
        families: list[Family] = [Reading("corral_operator_is_leader", "1 while this process acts.", self._leading)]
        families += self._operator.readings() if self._operator else []
        told = "".join(f"{line}\n" for family in families for line in family.lines())
        return self._telemetry.metrics.text() + told

    def _leading(self) -> list[tuple[tuple[str, ...], float]]:
        return [((), float(self._operator is not None))]

    async def _reign(self, term: Term) -> None:
        await self._work(term.check)

    async def _work(self, fence: Fence) -> None:
        runtime = self._surroundings()
        operator = Operator(runtime, self._orders, self._telemetry, self._means, fence=fence)
        self._operator = operator
        kinds = ",".join(facts.kind for facts in self._orders.kinds)
        _log.info("looking after jobs", extra={"kinds": kinds, "namespace": self._orders.namespace or "(all)"})
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(runtime.caches.run(), name="caches")
                group.create_task(runtime.events.run(), name="events")
                group.create_task(operator.run(), name="operator")
        finally:
            self._operator = None


def _no_fence() -> None:
    """Lets every write pass: without a lease there is nothing to lose."""

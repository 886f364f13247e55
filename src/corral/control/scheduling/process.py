"""The scheduler as a process that may have siblings: waits for its turn, reigns, and tells how it is at any time.

Each reign has a runtime of its own, whose caches begin when the epoch was raised. A lease keeps two schedulers from taking the ledger
from each other all the time; without one that is what they would do, safely and slowly.
"""

import logging
from collections.abc import Callable

from corral.control.backoff import Backoff
from corral.control.health import Verdict
from corral.control.leadership import Leadership, LeadershipLostError, Term
from corral.control.metrics import Reading, Samples
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.measures import Measures
from corral.control.scheduling.orders import Orders
from corral.control.scheduling.queueing.readings import readings_of
from corral.control.scheduling.scheduler import Scheduler

_log = logging.getLogger("corral.control.scheduling")

_BACKOFF = Backoff(0.2, 30.0)
_LONG = 60.0
"""A reign of so many seconds was one; a shorter one says that two schedulers take the ledger from each other."""


class SchedulerProcess:
    """Runs `Scheduler` again and again, under a lease when there is one."""

    def __init__(
        self, surroundings: Callable[[], Runtime], orders: Orders, *, leadership: Leadership | None = None
    ) -> None:
        self._surroundings = surroundings
        self._orders = orders
        self._leadership = leadership
        self._measures = Measures()
        self._scheduler: Scheduler | None = None
        self._epoch = 0
        """The highest of all reigns so far."""

    async def run(self, fence: Fence = lambda: None) -> None:
        """Works, whenever it is this process's turn, until cancelled."""
        if self._leadership is not None:
            await self._leadership.lead(self._lead)
        else:
            await self._reign_ever_again(fence)

    async def _lead(self, term: Term) -> None:
        await self._reign(self._surroundings(), term.check)

    async def _reign_ever_again(self, fence: Fence) -> None:
        losses = 0
        while True:
            runtime = self._surroundings()
            began = runtime.clock.monotonic()
            try:
                await self._reign(runtime, fence)
            except LeadershipLostError as lost:
                _log.warning("beginning anew", extra={"reason": lost.message})
                losses = 1 if runtime.clock.monotonic() - began > _LONG else losses + 1
                await runtime.clock.sleep(_BACKOFF.wait(losses, runtime.randomness.fraction()))

    async def _reign(self, runtime: Runtime, fence: Fence) -> None:
        self._scheduler = Scheduler(runtime, self._orders, self._measures, fence)
        self._scheduler.follow_epoch(self._epoch)
        try:
            await self._scheduler.run()
        finally:
            self._epoch = max(self._epoch, self._scheduler.epoch)
            self._scheduler = None

    def liveness(self) -> list[Verdict]:
        """Returns how every part is."""
        lease = self._leadership.verdicts() if self._leadership else []
        return [*lease, *(self._scheduler.verdicts() if self._scheduler else [])]

    def readiness(self) -> list[Verdict]:
        """Returns the same, and what keeps it from working; one that waits for its turn is ready if it sees the lease."""
        lease = self._leadership.readiness() if self._leadership else []
        if self._scheduler is None:
            return lease or [Verdict("scheduler", False, "not started yet")]
        lacking = self._scheduler.unsynced()
        named = {verdict.part for verdict in lacking}
        return [*lease, *lacking, *(one for one in self._scheduler.verdicts() if one.part not in named)]

    def metrics(self) -> str:
        """Returns all numbers in the text form of Prometheus."""
        found = self._scheduler
        board = found.board if found else None
        gauges = [
            ("corral_scheduler_is_leader", "1 while this process schedules.", float(found is not None)),
            ("corral_scheduler_epoch", "The epoch of this reign.", found.epoch if found else 0),
            ("corral_scheduler_waiting_pods", "Pods that wait.", len(list(board.waiting())) if board else 0),
            ("corral_scheduler_promised_pods", "Pods in the ledger.", len(board.promises) if board else 0),
            ("corral_scheduler_nodes", "Nodes that are seen.", len(board.places) if board else 0),
        ]
        lines = [line for name, meaning, value in gauges for line in Reading(name, meaning, _always(value)).lines()]
        codes = found.explaining.codes() if found else {}
        meaning = "Gangs that wait, by what is in their way."
        by_code = Reading(
            "corral_scheduler_waiting_gangs",
            meaning,
            lambda: [((code,), float(count)) for code, count in codes.items()],
            ("code",),
        )
        expected = found.explaining.expected() if found else {}
        by_queue = Reading(
            "corral_scheduler_expected_wait_seconds",
            "The longest time to a start that a waiting gang was told, by queue.",
            lambda: [((queue,), seconds) for queue, seconds in expected.items()],
            ("queue",),
        )
        others = (by_code, by_queue, *(readings_of(found.desk) if found else ()))
        lines += [line for one in others for line in one.lines()]
        return self._measures.text() + "".join(f"{line}\n" for line in lines)


def _always(value: float) -> Callable[[], Samples]:
    return lambda: [((), value)]

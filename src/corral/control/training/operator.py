"""The training operator: one controller per kind around one decision, on shared caches.

A change of a job is looked at at once; changes of its children come in swarms, so they are looked at together a moment
later. A kind whose definition is not installed waits for it without holding up the others.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from corral.control.backoff import Backoff
from corral.control.controller import Controller, Reconcile, Watch
from corral.control.health import Verdict
from corral.control.metrics import Reading
from corral.control.outcome import Outcome
from corral.control.plan_executor import Fence, Filler, PlanExecutor, planned
from corral.control.runtime import Runtime
from corral.control.training.confirmation import Confirmations
from corral.control.training.examinations import Examinations
from corral.control.training.families import Parent
from corral.control.training.observation import Observation
from corral.control.training.orders import Orders
from corral.control.training.progress_watch import ProgressWatch
from corral.control.training.telemetry import Telemetry, by_one_label
from corral.control.training.troubles import Troubles
from corral.kinds.cron.cron import CRON
from corral.kinds.objects import uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.training.facts import GROUP, KindFacts
from corral.ports.log_source import LogSource
from corral.ports.object_store import Scope
from corral.ports.time_zones import TimeZones, only_utc
from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World

SETTLE = 0.03
"""How long changes of children are gathered before their job is looked at."""
_BACKOFF = Backoff(0.2, 60.0)


def component_of(event: EmitEvent) -> str:
    """Returns in whose name an event about a training job or a cron is told."""
    is_ours = event.resource.group in (GROUP, CRON.group)
    return f"{event.resource.kind.lower()}-controller" if is_ours else "corral"


def _no_fence() -> None:
    """Lets every write pass."""


class Means(NamedTuple):
    """What the operator needs from the world beside the API."""

    fillers: Mapping[str, Filler] = MappingProxyType({})
    logs: LogSource | None = None
    zones: TimeZones = only_utc


class TrainingOperator:
    """Looks after all training jobs; the caches and the events of `runtime` are run by whoever made them."""

    def __init__(
        self, runtime: Runtime, orders: Orders, telemetry: Telemetry, means: Means, *, fence: Fence = _no_fence
    ) -> None:
        self._runtime = runtime
        self._orders = orders
        self._telemetry = telemetry
        self.controllers: dict[str, Controller] = {}
        self.observation = Observation(runtime, orders, self._look)
        self._progress = ProgressWatch(
            self.observation.all_jobs,
            self.observation.pods_of,
            means.logs,
            lambda job: self._look(Parent(job.kind, job.key)),
            runtime.clock,
            runtime.randomness,
        )
        for facts in orders.kinds:
            executor = PlanExecutor(runtime, parallel=orders.parallel, fence=fence, fillers=means.fillers)
            self.controllers[facts.kind] = self._controller(facts, executor)

    async def run(self) -> None:
        """Works until cancelled."""
        for facts in self._orders.kinds:
            self.observation.jobs[facts.kind].subscribe(partial(self._telemetry.take, facts))
        await self.observation.wait_synced()
        async with asyncio.TaskGroup() as group:
            for kind, controller in self.controllers.items():
                group.create_task(controller.run(), name=kind)
            group.create_task(self._progress.run(), name="progress")

    def verdicts(self) -> list[Verdict]:
        """Returns how caches and controllers are."""
        found = [verdict for controller in self.controllers.values() for verdict in controller.verdicts()]
        return [*self.observation.verdicts(), *found]

    def readings(
        self, beside: Mapping[str, Controller], ages: Callable[[], Sequence[tuple[str, float]]]
    ) -> list[Reading]:
        """Returns the numbers that are kept by queues, caches and events, also of what runs beside."""
        controllers, events = {**self.controllers, **beside}, self._runtime.events.counts

        def depths() -> list[tuple[str, float]]:
            return [(kind, len(one.queue)) for kind, one in controllers.items()]

        def failures() -> list[tuple[str, float]]:
            return [(kind, one.counts.failures) for kind, one in controllers.items()]

        return [
            Reading("corral_operator_queue_depth", "Jobs in line.", lambda: by_one_label(depths()), ("kind",)),
            Reading(
                "corral_operator_reconcile_failures_total",
                "Looks at a job that failed and come again.",
                lambda: by_one_label(failures()),
                ("kind",),
                "counter",
            ),
            Reading(
                "corral_operator_watch_age_seconds",
                "Time since the server was last heard.",
                lambda: by_one_label([*self.observation.ages(), *ages()]),
                ("resource",),
            ),
            Reading("corral_operator_events_sent_total", "Events sent.", lambda: [((), events.sent)], (), "counter"),
            Reading(
                "corral_operator_events_dropped_total", "Events lost.", lambda: [((), events.dropped)], (), "counter"
            ),
        ]

    def _look(self, parent: Parent) -> None:
        controller = self.controllers.get(parent.kind)
        if controller is not None:
            controller.queue.add_after(parent.key, SETTLE)

    def _controller(self, facts: KindFacts, executor: PlanExecutor) -> Controller:
        examinations = Examinations()
        confirmations = Confirmations(self._runtime.store, facts.resource)

        async def observe(key: ObjectKey) -> World | None:
            world = self.observation.world(facts, key)
            if world is not None and await self.observation.confirm_losses(world):
                world = self.observation.world(facts, key)
            if world is None:
                executor.expectations.forget(key)
                examinations.forget(key)
                confirmations.forget(key)
                return None
            self._telemetry.saw_pods(facts, world.job, len(world.pods))
            await self._progress.hear_out(world.job)
            report = self._progress.get(uid_of(world.job))
            return world if report is None else replace(world, report=report)

        choose = partial(decide, examine=examinations.of)
        reconcile = planned(observe, choose, executor, self._runtime.clock.now, confirmations.allow)
        watch = Watch(facts.resource, scope=Scope(self._orders.namespace))
        troubles = Troubles(facts.resource, self.observation.jobs[facts.kind].get, self._runtime.events.emit)
        timed = self._timed(facts.kind, troubles.heard(reconcile), self._runtime.clock.monotonic)
        return Controller(facts.kind, timed, [watch], self._runtime, workers=self._orders.workers, backoff=_BACKOFF)

    def _timed(self, kind: str, reconcile: Reconcile, monotonic: Callable[[], float]) -> Reconcile:
        async def timed(key: ObjectKey) -> Outcome:
            began = monotonic()
            try:
                return await reconcile(key)
            finally:
                self._telemetry.reconcile_seconds.observe(monotonic() - began, kind)

        return timed

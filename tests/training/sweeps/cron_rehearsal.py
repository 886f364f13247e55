"""Plays some minutes of a cron with an operator that has troubles, in time that passes as fast as there is nothing to do."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from corral.control.cron.operator import CronOperator
from corral.control.runtime import runtime_of
from corral.control.training.operator import component_of
from corral.control.training.telemetry import Telemetry
from corral.kinds.cron.cron import CRON, SCHEDULED_AT
from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NAMESPACE
from corral.ports.object_store import AT_ONCE, Patch, Scope
from corral.ports.refusals import AlreadyExistsError, NotFoundError
from corral.ports.time_zones import only_utc
from corral.reconcile.cron.jobs import is_over
from corral.reconcile.moments import seconds_of
from corral.testing.manual_clock import FixedRandomness, ManualClock
from tests.training.manifests import manifest
from tests.training.stage import job_resource
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.rehearsal import orders_for
from tests.training.sweeps.troubled_store import Trouble, TroubledStore

KIND = "JAXJob"
JOBS = job_resource(KIND)
MINUTES = 4
NAMESPACE_OF_RUNS = "cron-sweep"
NAME = "every-minute"


@dataclass(frozen=True)
class CronEnd:
    """What came of a run."""

    made: tuple[float, ...]
    """The scheduled times of all jobs that were ever there, in minutes from the first."""
    uids: int
    most_at_once: int
    missed: int
    left: int
    history: int
    calls: tuple[str, ...]
    writes_at_rest: int


class _Life:
    """One operator from its start to its sudden end."""

    def __init__(self, api: InProcessApi, clock: ManualClock, trouble: Trouble) -> None:
        self.trouble = trouble
        store = TroubledStore(api.client("corral-operator"), clock, trouble)
        runtime = runtime_of(store, clock=clock, randomness=FixedRandomness(), component=component_of)
        orders = orders_for(KIND, NAMESPACE_OF_RUNS)
        operator = CronOperator(runtime, orders, Telemetry(clock), only_utc, fence=lambda: None)
        parts = (runtime.caches.run(), runtime.events.run(), operator.run())
        self._tasks = [asyncio.create_task(part) for part in parts]

    async def end(self) -> None:
        """Ends it wherever it is; what it has sent is still done by the server."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task


class CronRehearsal:
    """One cron over a few minutes, with jobs that last so many seconds.

    `away` is how many minutes pass before another operator comes after a crash.
    """

    def __init__(
        self, api: InProcessApi, spec: Object, troubles: Callable[[int], Trouble], *, away: int = 0, lasting: int = 90
    ) -> None:
        self._api = api
        self._client = api.client("player")
        self._spec = spec
        self._troubles = troubles
        self._away = away
        self._lasting = lasting
        self._start = float(int(time.time()) // 60 * 60)
        self._clock = ManualClock(self._start + 70.0)  # a server stamps the creation with a clock of its own
        self._lives: list[_Life] = []
        self._seen: dict[str, float] = {}
        self._most_at_once = 0

    async def run(self) -> CronEnd:
        """Plays until the last minute has passed and everything rests."""
        with suppress(AlreadyExistsError):
            await self._client.create(NAMESPACE, {"metadata": {"name": NAMESPACE_OF_RUNS}})
        template = {field: value for field, value in manifest(KIND, "job").items() if field != "metadata"}
        spec = {"schedule": "* * * * *", "template": template, **self._spec}
        metadata = {"name": NAME, "namespace": NAMESPACE_OF_RUNS}
        cron = {"apiVersion": CRON.api_version, "kind": CRON.kind, "metadata": metadata, "spec": spec}
        await self._client.create(CRON, cron)
        await self._begin_now()
        self._begin_life()
        try:
            await self._play(self._clock.now() + MINUTES * 60)
            before = self._lives[-1].trouble.writes
            await self._play(self._clock.now() + 25)
            return await self._end(self._lives[-1].trouble.writes - before)
        finally:
            await self._lives[-1].end()
            await self._clear()

    async def _begin_now(self) -> None:
        """Lets the timetable begin by the clock of the test."""
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock.now()))
        status = {"inForce": {"schedule": "* * * * *", "since": since}}
        key = ObjectKey(NAMESPACE_OF_RUNS, NAME)
        await self._client.patch(CRON, key, Patch("merge", {"status": status}), subresource="status")

    def _begin_life(self) -> None:
        self._lives.append(_Life(self._api, self._clock, self._troubles(len(self._lives))))

    async def _play(self, until: float) -> None:
        while True:
            await self._api.calm()
            await self._look()
            if self._lives[-1].trouble.is_fatal:
                await self._lives[-1].end()
                await self._clock.jump(self._away * 60)
                self._begin_life()
                continue
            if await self._act():
                continue
            due = self._clock.next_due
            if due is None or due > until:
                return
            await self._clock.advance(due - self._clock.now())

    async def _look(self) -> None:
        jobs = await self._jobs()
        for job in jobs:
            self._seen[uid_of(job)] = seconds_of(job["metadata"]["annotations"][SCHEDULED_AT]) or 0.0
        self._most_at_once = max(self._most_at_once, sum(not is_over(job) for job in jobs))

    async def _act(self) -> bool:
        """Plays what others would do: a job ends so long after its time, and one that is deleted goes with its pods."""
        for job in await self._jobs():
            if is_deleting(job):
                await self._client.patch(JOBS, key_of(job), Patch("merge", {"metadata": {"finalizers": None}}))
                return True
            if not is_over(job) and self._clock.now() - self._seen[uid_of(job)] >= self._lasting:
                condition = {"type": "Succeeded", "status": "True", "reason": "Played", "message": ""}
                body = {"status": {"conditions": [condition]}}
                await self._client.patch(JOBS, key_of(job), Patch("merge", body), subresource="status")
                return True
        return False

    async def _jobs(self) -> list[Object]:
        return await self._client.list(JOBS, Scope(NAMESPACE_OF_RUNS))

    async def _end(self, writes: int) -> CronEnd:
        status: Any = (await self._client.get(CRON, ObjectKey(NAMESPACE_OF_RUNS, NAME)))["status"]
        made = tuple(sorted((moment - self._start) / 60 for moment in self._seen.values()))
        return CronEnd(
            made=made,
            uids=len(self._seen),
            most_at_once=self._most_at_once,
            missed=status.get("missed", 0),
            left=len(await self._jobs()),
            history=len(status.get("history", [])),
            calls=tuple(call for life in self._lives for call in life.trouble.calls),
            writes_at_rest=writes,
        )

    async def _clear(self) -> None:
        with suppress(NotFoundError):
            await self._client.delete(CRON, ObjectKey(NAMESPACE_OF_RUNS, NAME), AT_ONCE)
        for job in await self._jobs():
            with suppress(NotFoundError):
                await self._client.patch(JOBS, key_of(job), Patch("merge", {"metadata": {"finalizers": None}}))
                await self._client.delete(JOBS, key_of(job), AT_ONCE)
        await self._api.calm()

"""Plays a scenario with an operator that has troubles, in time that passes as fast as there is nothing to do."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from corral.control.object_cache import CacheSettings
from corral.control.runtime import runtime_of
from corral.control.training.operator import Means, TrainingOperator, component_of
from corral.control.training.orders import Orders
from corral.control.training.telemetry import Telemetry
from corral.kinds.well_known import NAMESPACE
from corral.ports.refusals import AlreadyExistsError
from corral.testing.manual_clock import FixedRandomness, ManualClock
from tests.training.manifests import FACTS
from tests.training.stage import job_resource
from tests.training.sweeps.end_state import End, end_of, state_of
from tests.training.sweeps.in_process_api import InProcessApi
from tests.training.sweeps.player import Player
from tests.training.sweeps.record import Record
from tests.training.sweeps.scenarios import Scenario
from tests.training.sweeps.troubled_store import Trouble, TroubledStore

LONGEST = 400.0
"""Seconds of the test's clock in which every scenario must have come to its end."""
REST = 60.0
"""Seconds of the test's clock in which nothing may be written afterwards."""

NAMESPACE_OF_RUNS = "sweep"
"""The same for all runs, one after the other, since messages name it."""


def orders_for(kind: str, namespace: str) -> Orders:
    """Returns the orders of an operator that looks after one kind in one namespace."""
    return Orders(kinds=(FACTS[kind],), namespace=namespace, workers=4)


class OperatorLife:
    """One operator from its start to its sudden end."""

    def __init__(self, api: InProcessApi, clock: ManualClock, orders: Orders, trouble: Trouble, relist: float) -> None:
        self.trouble = trouble
        store = TroubledStore(api.client("corral-operator"), clock, trouble)
        settings = CacheSettings(relist_every=relist)
        runtime = runtime_of(
            store, clock=clock, randomness=FixedRandomness(), component=component_of, settings=settings
        )
        operator = TrainingOperator(runtime, orders, Telemetry(clock), Means())
        parts = (runtime.caches.run(), runtime.events.run(), operator.run())
        self._tasks = [asyncio.create_task(part) for part in parts]

    async def end(self) -> None:
        """Ends it wherever it is; what it has sent is still done by the server."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task


class Rehearsal:
    """One run of a scenario; `troubles` gives the trouble of the first operator, of the second and so on."""

    def __init__(
        self, api: InProcessApi, scenario: Scenario, troubles: Callable[[int], Trouble], *, relist: float = 600.0
    ) -> None:
        self._api = api
        self._scenario = scenario
        self.troubles = troubles
        self._relist = relist
        self.clock = ManualClock(float(int(time.time())))
        self.namespace = NAMESPACE_OF_RUNS
        self._orders = orders_for(scenario.kind, self.namespace)
        self._lives: list[OperatorLife] = []
        self._player = Player(api.client("player"), self.namespace, scenario)

    async def run(self) -> End:
        """Plays the scenario to its end and lets everything rest."""
        with suppress(AlreadyExistsError):
            await self._api.client().create(NAMESPACE, {"metadata": {"name": self.namespace}})
        record = Record(self._api.client(), self.namespace, job_resource(self._scenario.kind))
        await record.begin()
        self._start_operator()
        await self._player.begin()
        try:
            await self._play()
            writes = await self._rest()
            state = await state_of(self._player, record)
        except TimeoutError as error:
            raise AssertionError(await self._story(record)) from error
        finally:
            await self._lives[-1].end()
            await record.end()
            await self._player.clear()
        calls = [call for life in self._lives for call in life.trouble.calls]
        return end_of(state, record, calls, writes)

    def _start_operator(self) -> None:
        trouble = self.troubles(len(self._lives))
        self._lives.append(OperatorLife(self._api, self.clock, self._orders, trouble, self._relist))

    async def _play(self) -> None:
        limit = self.clock.now() + LONGEST
        while True:
            await self._api.calm()
            trouble = self._lives[-1].trouble
            if not trouble.is_followed_at_once and await self._player.act():
                continue
            if trouble.is_fatal:
                await self._lives[-1].end()
                self._start_operator()
                continue
            if trouble.is_followed_at_once and await self._player.act():
                continue
            if await self._player.is_over():
                return
            await self._pass_time(limit)

    async def _pass_time(self, limit: float) -> None:
        """Moves the clock to where something happens next."""
        due = self.clock.next_due
        if due is None or due > limit:
            raise TimeoutError
        await self.clock.advance(due - self.clock.now())

    async def _rest(self) -> int:
        """Returns how much is still written when a scenario is over and everybody had time to see it (T7)."""
        for _ in range(2):
            before = self._lives[-1].trouble.writes
            end = self.clock.now() + REST
            while (due := self.clock.next_due) is not None and due <= end:
                await self.clock.advance(due - self.clock.now())
                await self._api.calm()
                if self._lives[-1].trouble.is_fatal:
                    await self._lives[-1].end()
                    self._start_operator()
                    before = 0
        return self._lives[-1].trouble.writes - before

    async def _story(self, record: Record) -> str:
        state = await state_of(self._player, record)
        calls = [call for life in self._lives for call in life.trouble.calls]
        return f"{self._scenario.name} does not end: {state}\nmade {record.made()}\ncalls {calls}"

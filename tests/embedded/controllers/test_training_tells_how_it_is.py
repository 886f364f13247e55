"""The operator of one machine has no port for probes: what is not well stands in the log, once, and when it is over."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from corral.control.runtime import runtime_of
from corral.control.training.operator import Means
from corral.engine.controllers.training import Training
from corral.kinds.references import ApiResource
from corral.kinds.well_known import POD
from corral.ports.object_store import Page, Scope, Start
from corral.ports.refusals import UnreachableError
from corral.testing.manual_clock import FixedRandomness, ManualClock

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class EmptyStore:
    """Holds nothing; about pods it says even less while `is_silent`."""

    def __init__(self, clock: ManualClock) -> None:
        self.is_silent = True
        self._clock = clock

    async def pages(
        self, resource: ApiResource, scope: Scope, shape: type[Any], *, page_size: int = 500
    ) -> AsyncGenerator[Page[Any], None]:
        if self.is_silent and resource == POD:
            raise UnreachableError("nobody there", delivered=False)
        yield Page([], "1")

    async def watch(
        self, resource: ApiResource, scope: Scope, start: Start, shape: type[Any]
    ) -> AsyncGenerator[list[Any], None]:
        while True:
            yield []
            await self._clock.sleep(30)


async def test_an_unwell_part_is_told_once_and_its_recovery_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "corral.engine.controllers")
    clock = ManualClock()
    store = EmptyStore(clock)
    runtime = runtime_of(store, clock=clock, randomness=FixedRandomness())  # type: ignore[arg-type]
    task = asyncio.create_task(Training(runtime, Means(), lambda: None).run())
    try:
        await clock.advance(80)
        assert told(caplog) == []
        await clock.advance(200)
        assert told(caplog) == ["not well: cache of pods"]
        store.is_silent = False
        await clock.advance(30)
        assert told(caplog) == ["not well: cache of pods", "well again: cache of pods"]
    finally:
        task.cancel()
        await asyncio.wait([task])


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [one for one in caplog.records if one.name == "corral.engine.controllers.training"]
    return [f"{one.getMessage()}: {vars(one)['part']}" for one in lines]

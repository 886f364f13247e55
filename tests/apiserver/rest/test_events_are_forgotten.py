"""Events live for an hour after they were last seen."""

import asyncio
from pathlib import Path

import pytest

from corral.engine.apiserver.bootstrap import started_world
from corral.engine.apiserver.upkeep import forget_events
from tests.apiserver.rest.in_process import Verbs

pytestmark = pytest.mark.anyio


async def test_old_events_go_and_new_ones_stay(tmp_path: Path) -> None:
    world = await started_world(tmp_path)
    events = Verbs(world, "v1/events", "default")
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    await asyncio.gather(*(events.create(f"e-{n}", involvedObject=about) for n in range(40)))
    await events.create("seen", involvedObject=about, lastTimestamp=world.timestamp(7000))

    assert await forget_events(world, world.now()) == 0
    assert await forget_events(world, world.now() + 7200) == 40
    assert [entry.name for entry in events.entries()] == ["seen"]
    await world.store.close()

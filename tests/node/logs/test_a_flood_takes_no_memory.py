"""A gigabyte is said as fast as the disk allows: the disk keeps the end of it, readers stay small, the end is found at once."""

import asyncio
import os
import time

import pytest

from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.keeping import KEEP_BYTES, LiveLogs
from corral.engine.node.logs.reading import read
from corral.engine.supervisor.host import resident_bytes
from corral.testing.waiting import eventually
from tests.node.logs.run_of_lines import RunOfLines

pytestmark = pytest.mark.anyio
GIGABYTE = 1 << 30
MEGABYTE = 1 << 20
LINE = "x" * 99


def _resident() -> int:
    return resident_bytes(os.getpid())


async def test_a_gigabyte_is_followed_and_kept_short(run_on: RunOfLines) -> None:
    live = LiveLogs()
    live.begin(run_on.log)
    before = _resident()
    flood = run_on.flood(GIGABYTE, LINE)
    most, seen = 0, 0

    async def follow(asked: Asked) -> None:
        nonlocal most, seen
        async for piece in read(run_on.log, asked, lambda: run_on.is_over):
            assert b"\0" not in piece
            seen += len(piece)
            most = max(most, _resident())

    following = asyncio.ensure_future(follow(Asked(follow=True)))
    await eventually(lambda: flood.poll() is not None, within=60)
    await live.end(run_on.log)
    run_on.is_over = True
    await following
    assert flood.returncode == 0
    assert seen > KEEP_BYTES // 2
    assert most - before < 24 * MEGABYTE
    assert run_on.taken_bytes() <= KEEP_BYTES * 9 // 8 + MEGABYTE
    await live.close()


async def test_the_end_of_a_gigabyte_is_found_at_once(run_on: RunOfLines) -> None:
    flood = run_on.flood(GIGABYTE, LINE)
    await eventually(lambda: flood.poll() is not None, within=60)
    run_on.say(b"the last word\n")
    before, began = _resident(), time.monotonic()
    shown = await run_on.shown(Asked(tail=100))
    assert time.monotonic() - began < 1.0
    assert shown.count(b"\n") == 100
    assert shown.endswith(b"the last word\n")
    assert _resident() - before < 8 * MEGABYTE

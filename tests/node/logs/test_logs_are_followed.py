"""Who follows sees every byte soon, sees the end when the run is over, and leaves nothing behind when it goes."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator

import pytest

from corral.engine.node.logs.asked import Asked
from corral.engine.node.logs.reading import LATEST_SECONDS, read
from tests.node.logs.run_of_lines import RunOfLines

pytestmark = pytest.mark.anyio
FOLLOW = Asked(follow=True)


def _followed(run: RunOfLines, asked: Asked = FOLLOW) -> AsyncGenerator[bytes, None]:
    return read(run.log, asked, lambda: run.is_over)


async def _next(stream: AsyncGenerator[bytes, None]) -> bytes:
    async with asyncio.timeout(10):
        return await anext(stream)


async def test_what_is_said_later_is_shown_and_the_end_ends_it(run: RunOfLines) -> None:
    run.say(b"one\n")
    stream = _followed(run)
    assert await _next(stream) == b"one\n"
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0)
    run.say(b"tw")
    assert await waiting == b"tw"
    run.say(b"o\n")
    run.is_over = True
    assert await _next(stream) == b"o\n"
    with pytest.raises(StopAsyncIteration):
        await _next(stream)


async def test_news_are_shown_within_the_longest_wait(run: RunOfLines) -> None:
    stream = _followed(run)
    waiting = asyncio.ensure_future(_next(stream))
    done, _ = await asyncio.wait([waiting], timeout=LATEST_SECONDS * 4)
    assert not done
    run.say(b"at last\n")
    began = time.monotonic()
    assert await waiting == b"at last\n"
    assert time.monotonic() - began < LATEST_SECONDS * 2
    await stream.aclose()


async def test_with_times_a_line_is_shown_when_it_is_whole(run: RunOfLines) -> None:
    stream = _followed(run, Asked(follow=True, timestamps=True))
    run.say(b"one\ntw")
    assert (await _next(stream)).endswith(b"Z one\n")
    waiting = asyncio.ensure_future(_next(stream))
    done, _ = await asyncio.wait([waiting], timeout=0.1)
    assert not done
    run.say(b"o\nhalf")
    assert (await waiting).endswith(b"Z two\n")
    run.is_over = True
    assert (await _next(stream)).endswith(b"Z half")


async def test_following_from_the_end_shows_only_what_comes(run: RunOfLines) -> None:
    run.say(b"old\n")
    stream = _followed(run, Asked(follow=True, tail=0))
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0)
    run.say(b"new\n")
    assert await waiting == b"new\n"
    await stream.aclose()


async def test_a_log_that_its_container_emptied_is_followed_from_its_beginning(run: RunOfLines) -> None:
    run.say(b"a long beginning\n")
    stream = _followed(run)
    assert await _next(stream) == b"a long beginning\n"
    os.truncate(run.log.path, 0)
    run.say(b"anew\n")
    assert await _next(stream) == b"anew\n"
    await stream.aclose()


async def test_many_follow_one_log_and_files_are_closed_when_they_go(run: RunOfLines) -> None:
    before = len(os.listdir("/proc/self/fd"))
    streams = [_followed(run) for _ in range(100)]
    waiting = [asyncio.ensure_future(_next(stream)) for stream in streams]
    await asyncio.sleep(0)
    run.say(b"for all\n")
    assert set(await asyncio.gather(*waiting)) == {b"for all\n"}
    assert len(os.listdir("/proc/self/fd")) >= before + 100
    for stream in streams:
        await stream.aclose()
    assert len(os.listdir("/proc/self/fd")) == before

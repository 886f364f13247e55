"""What only the asynchronous client promises: the loop goes on, and what is cancelled ends."""

import asyncio
import threading
from pathlib import Path

import pytest

from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.sdk import AsyncClient, JobFailedError
from corral.surfaces.sdk.client import opened
from corral.surfaces.sdk.sessions import Place, Sessions
from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, until

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def no_more_threads(before: set[threading.Thread]) -> None:
    until(lambda: set(threading.enumerate()) <= before, "the end of the threads", lambda: str(threading.enumerate()))


async def test_a_cancelled_wait_ends_its_thread(home: Path, stage: HollowStage) -> None:
    stage.submit("cancelled", workers=0, master=Part(seconds=None))
    before = set(threading.enumerate())
    async with AsyncClient() as client:
        job = await client.wait("cancelled", "running", timeout=60)
        waiting = asyncio.create_task(job.wait())
        await asyncio.sleep(0.2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        no_more_threads(before)
        assert (await job.refresh()).state == "Running"
        await job.delete()


async def test_a_cancelled_reader_leaves_nothing_behind(home: Path, stage: HollowStage) -> None:
    stage.submit("unread", workers=0, master=Part(seconds=None, lines=("here",)))
    before = set(threading.enumerate())
    heard = asyncio.Event()

    async def read(client: AsyncClient) -> None:
        async for _ in client.logs("unread", follow=True):
            heard.set()

    async with AsyncClient() as client:
        reading = asyncio.create_task(read(client))
        await asyncio.wait_for(heard.wait(), 60)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        no_more_threads(before)
        await client.delete("unread")


async def test_many_jobs_are_waited_for_at_once(home: Path, stage: HollowStage) -> None:
    names = [f"crowd-{number}" for number in range(6)]
    for name in names:
        stage.submit(name, workers=0, master=Part(exit_codes=(1 if name.endswith("5") else 0,)))
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.005)

    counting = asyncio.create_task(count())
    async with AsyncClient() as client:
        ends = await asyncio.gather(*(client.wait(name, timeout=60) for name in names), return_exceptions=True)
    counting.cancel()
    assert [type(one).__name__ for one in ends] == ["AsyncJob"] * 5 + [JobFailedError.__name__]
    assert turns > 10


async def test_an_error_of_the_first_call_is_raised_where_it_is_awaited(home: Path) -> None:
    client = AsyncClient(context="nowhere")
    with pytest.raises(Exception, match='there is no context "nowhere"'):
        await client.list()


async def test_a_client_that_still_opens_is_closed_at_once(home: Path) -> None:
    """To open it may take seconds, when Corral has to be started."""
    begun, may_end = threading.Event(), threading.Event()

    def open_late() -> Session:
        begun.set()
        assert may_end.wait(20)
        return opened(Place(), print)

    client = AsyncClient()
    client._sessions = Sessions(open_late)
    jobs = asyncio.create_task(client.list())
    assert await asyncio.to_thread(begun.wait, 20)
    await client.close()
    may_end.set()
    with pytest.raises(PermanentError, match="the client is closed"):
        await jobs

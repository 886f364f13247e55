"""A kubelet's door for logs: the parts that can be asked for, its words for refusals, and readers that come and go."""

import asyncio
import errno
import os

import aiohttp
import pytest

from corral.adapters.kubelet_api.server import KubeletServer
from corral.testing.waiting import eventually
from tests.node.endpoint.one_container import Client, OneContainer, stays_small

pytestmark = pytest.mark.anyio
LOG = "/containerLogs/team/talker/main"


async def test_all_of_it_and_parts(client: Client, household: OneContainer) -> None:
    household.say(b"two\nthree\n")
    assert await client.get(LOG) == (200, b"begun\ntwo\nthree\n")
    assert await client.get(f"{LOG}?tailLines=1") == (200, b"three\n")
    assert await client.get(f"{LOG}?limitBytes=8") == (200, b"begun\ntw")
    assert await client.get(f"{LOG}?sinceSeconds=600") == (200, b"begun\ntwo\nthree\n")
    assert await client.get(f"{LOG}?sinceTime=2999-01-01T00:00:00Z") == (200, b"")
    assert (await client.get(f"{LOG}?timestamps=true&tailLines=1"))[1].endswith(b"Z three\n")


async def test_refusals_have_a_kubelet_s_words(client: Client) -> None:
    assert await client.get("/containerLogs/team/nobody/main") == (404, b'pod "nobody" does not exist')
    wanted = b'container "nope" not found in pod "talker"'
    assert await client.get("/containerLogs/team/talker/nope") == (404, wanted)
    wanted = b'container "late" in pod "talker" is waiting to start: PodInitializing'
    assert await client.get("/containerLogs/team/talker/late") == (400, wanted)
    wanted = b'previous terminated container "main" in pod "talker" not found'
    assert await client.get(f"{LOG}?previous=true") == (400, wanted)
    assert (await client.get(f"{LOG}?tailLines=-1"))[0] == 400


@pytest.mark.timeout(30)
async def test_a_pipe_in_place_of_the_log_holds_up_nobody(client: Client, household: OneContainer) -> None:
    """Nobody writes to it, so whoever opened it would wait for ever, and the whole node in its event loop."""
    os.unlink(household.log_of_run.path)
    os.mkfifo(household.log_of_run.path)
    status, told = await client.get(f"{LOG}?follow=true")
    assert (status, told.partition(b" cannot be read")[0]) == (
        400,
        b'the log of run 0 of container "main" in pod "talker"',
    )
    assert (await client.get("/healthz"))[0] == 200


async def test_a_followed_log_goes_on_until_the_end(client: Client, household: OneContainer) -> None:
    answer = await client.stream(f"{LOG}?follow=true")
    assert await answer.content.readline() == b"begun\n"
    household.say(b"more\n")
    assert await answer.content.readline() == b"more\n"
    household.is_over = True
    assert await answer.content.read() == b""


async def test_a_log_that_breaks_off_is_no_complete_answer(
    client: Client, household: OneContainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await client.stream(f"{LOG}?follow=true")
    assert await answer.content.readline() == b"begun\n"

    def fail(descriptor: int, most: int, place: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "pread", fail)
    with pytest.raises(aiohttp.ClientPayloadError):
        await answer.content.read()


async def test_many_readers_come_and_go(client: Client, server: KubeletServer, household: OneContainer) -> None:
    answers = [await client.stream(f"{LOG}?follow=true") for _ in range(40)]
    for answer in answers:
        assert await answer.content.readline() == b"begun\n"
    assert server.open_streams == 40
    for answer in answers[:39]:
        answer.close()
    await eventually(lambda: server.open_streams == 1)
    household.say(b"for the last one\n")
    assert await answers[39].content.readline() == b"for the last one\n"
    answers[39].close()
    await eventually(lambda: server.open_streams == 0)


async def test_a_reader_that_does_not_read_costs_no_memory(client: Client, household: OneContainer) -> None:
    flood = b"x" * (1 << 20)
    for _ in range(200):
        household.say(flood)
    answer = await client.stream(LOG)
    await stays_small(24 << 20)
    answer.close()


async def test_the_server_leaves_although_somebody_follows(
    household: OneContainer, client: Client, server: KubeletServer
) -> None:
    answer = await client.stream(f"{LOG}?follow=true")
    async with asyncio.timeout(10):
        await server.__aexit__()
    with pytest.raises((aiohttp.ClientError, ConnectionError)):
        await answer.content.read()

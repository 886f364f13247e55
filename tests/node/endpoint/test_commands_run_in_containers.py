"""A command over a WebSocket: its input, its two outputs, its exit code, a terminal, and clients that go away."""

import asyncio
import os
from urllib.parse import quote

import aiohttp
import pytest

from corral.adapters.kubelet_api.server import KubeletServer
from corral.engine.node.containers.record import execs_path
from corral.testing.waiting import eventually
from tests.node.endpoint.one_container import Client, OneContainer, stays_small

pytestmark = pytest.mark.anyio


def _shell(script: str, *more: str) -> str:
    return "&".join(("command=sh", "command=-c", f"command={quote(script)}", "output=1", "error=1", *more))


@pytest.mark.parametrize("protocol", ["v4.channel.k8s.io", "v5.channel.k8s.io"])
async def test_outputs_and_the_exit_code_come_back(client: Client, protocol: str) -> None:
    conversation = await client.command(_shell("echo out; echo err >&2; exit 3"), protocol)
    assert await conversation.end() == 3
    assert conversation.said[1] == b"out\n"
    assert conversation.said[2] == b"err\n"
    assert conversation.socket.protocol == protocol


async def test_success_is_told_too(client: Client) -> None:
    conversation = await client.command(_shell("true"))
    assert await conversation.end() == 0
    assert conversation.said[3] == b'{"metadata":{},"status":"Success"}'


async def test_a_signal_is_told_as_shells_do(client: Client) -> None:
    assert await (await client.command(_shell("kill -TERM $$"))).end() == 143


async def test_a_command_is_inside_the_container(client: Client, household: OneContainer) -> None:
    conversation = await client.command(_shell("echo $CORRAL_CONTAINER"))
    assert await conversation.end() == 0
    assert conversation.said[1].decode().strip() == household.run.owner


async def test_input_goes_in_and_its_end_is_told(client: Client) -> None:
    conversation = await client.command("command=cat&input=1&output=1")
    data = os.urandom(3 << 20)

    async def type_all() -> None:
        for start in range(0, len(data), 50_000):
            await conversation.send(0, data[start : start + 50_000])
        await conversation.close_input()

    typing = asyncio.ensure_future(type_all())
    assert await conversation.end() == 0
    await typing
    assert conversation.said[1] == data


async def test_a_command_that_reads_nothing_is_not_disturbed(client: Client) -> None:
    conversation = await client.command(_shell("exec <&-; echo closed; sleep 0.2; exit 4", "input=1"))
    await conversation.until(1, b"closed")
    for _ in range(20):
        await conversation.send(0, b"x" * 10_000)
    assert await conversation.end() == 4


async def test_a_terminal_has_a_size_and_echoes(client: Client) -> None:
    conversation = await client.command("command=sh&input=1&output=1&error=1&tty=1")
    await conversation.send(4, b'{"Width":123,"Height":45}')
    await conversation.send(4, b"no size at all")
    await conversation.send(0, b"stty size; tty >/dev/null && echo is-a-$((1))-terminal; exit 5\n")
    assert await conversation.end() == 5
    assert b"45 123" in conversation.said[1]
    assert b"is-a-1-terminal" in conversation.said[1]


async def test_everything_that_was_said_arrives_before_the_end(client: Client) -> None:
    conversation = await client.command(_shell("head -c 5000000 /dev/zero"))
    assert await conversation.end() == 0
    assert len(conversation.said[1]) == 5_000_000


async def test_a_background_process_does_not_hold_up_the_end(client: Client) -> None:
    conversation = await client.command(_shell("sleep 60 & echo started"))
    async with asyncio.timeout(10):
        assert await conversation.end() == 0
    assert conversation.said[1] == b"started\n"


async def test_a_client_that_goes_is_told_to_the_command(
    client: Client, server: KubeletServer, household: OneContainer
) -> None:
    conversation = await client.command(_shell("trap 'exit 0' HUP; echo waiting; while :; do sleep 0.05; done"))
    await conversation.until(1, b"waiting")
    folder = execs_path(household.run.folder)
    assert len(os.listdir(folder)) == 1
    await conversation.socket.close()
    await eventually(lambda: server.open_streams == 0)
    await eventually(lambda: os.listdir(folder) == [])


async def test_a_connection_that_breaks_is_noticed_as_well(
    client: Client, server: KubeletServer, household: OneContainer
) -> None:
    conversation = await client.command(_shell("echo waiting; sleep 60"))
    await conversation.until(1, b"waiting")
    transport = conversation.socket.get_extra_info("socket")
    assert transport is not None
    conversation.socket._response.connection.transport.abort()  # type: ignore[union-attr]
    await eventually(lambda: server.open_streams == 0)
    await eventually(lambda: os.listdir(execs_path(household.run.folder)) == [])


async def test_a_client_that_does_not_read_holds_up_the_command(client: Client) -> None:
    """What is held on the way is bounded, so the command waits, and memory does not grow."""
    conversation = await client.command(_shell("yes | head -c 300000000; echo done >&2"))
    await stays_small(32 << 20)
    await conversation.socket.close()


async def test_a_missing_program_is_a_sentence(client: Client) -> None:
    conversation = await client.command("command=no-such-program&output=1")
    while await conversation.hear() >= 0:
        pass
    assert b'"status":"Failure"' in conversation.said[3]
    assert b"no-such-program" in conversation.said[3]


async def test_old_dialects_are_refused_in_a_sentence(
    client: Client, server: KubeletServer, session: aiohttp.ClientSession
) -> None:
    status, body = await client.get("/exec/team/talker/main?command=id&output=1")
    assert (status, b"a WebSocket or SPDY/3.1 is needed here" in body) == (400, True)
    assert await client.get("/exec/team/talker/main?output=1") == (
        400,
        b"you must specify at least 1 command for the container",
    )
    headers = {"Authorization": "Bearer a-token-for-tests", "Connection": "Upgrade", "Upgrade": "SPDY/3.1"}
    url = f"https://127.0.0.1:{server.port}/exec/team/talker/main?command=id&output=1"
    async with session.post(url, headers=headers, ssl=False) as answer:
        assert answer.status == 403
        assert "offer v4.channel.k8s.io" in await answer.text()
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await client.command("command=id&output=1", "channel.k8s.io")


async def test_attaching_shows_what_comes_and_the_end(client: Client, household: OneContainer) -> None:
    conversation = await client.attached()
    hearing = asyncio.ensure_future(conversation.until(1, b"while attached\n"))
    while not hearing.done():
        household.say(b"while attached\n")
        await asyncio.wait([hearing], timeout=0.1)
    await hearing
    household.is_over = True
    assert await conversation.end() == 0
    assert b"begun" not in conversation.said[1]

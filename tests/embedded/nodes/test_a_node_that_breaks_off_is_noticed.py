"""A node that goes in the midst of a log leaves an answer without an end: nobody takes it for the last word."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from corral.adapters.kubelet_api.admission import Admission, tls_of
from corral.adapters.kubelet_api.certificate import kept_certificate
from corral.engine.apiserver.http.request import Message
from corral.engine.apiserver.http.response import BrokenOffError, Stream
from corral.engine.apiserver.nodes.conversation import ask
from corral.engine.apiserver.nodes.location import Endpoint

pytestmark = pytest.mark.anyio
HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
SAID = b"5\r\nbegun\r\n"
ENDS = {"a node that goes": b"", "a node that ends": b"0\r\n\r\n"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def heard(folder: str, end: bytes) -> tuple[bytes, bool]:
    """Returns what is heard of a node that says a word, and an end or none, and whether it broke off."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + SAID + end)
        await writer.drain()
        writer.close()

    certificate = kept_certificate(folder, "node")
    context = tls_of(certificate, Admission().client_ca)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    said, broke_off = b"", False
    async with server:
        port = server.sockets[0].getsockname()[1]
        node = await ask(Endpoint("127.0.0.1", port, certificate.fingerprint), "/containerLogs/a/b/c")
        try:
            async for piece in node.pieces():
                said += piece
        except BrokenOffError:
            broke_off = True
    return said, broke_off


@pytest.mark.parametrize("case", ENDS)
async def test_only_a_node_that_ends_its_answer_has_said_everything(case: str, tmp_path: Path) -> None:
    assert await heard(str(tmp_path), ENDS[case]) == (b"begun", not ENDS[case])


async def test_the_client_gets_no_end_either() -> None:
    async def said() -> AsyncGenerator[bytes, None]:
        yield b"begun"
        raise BrokenOffError

    sent: list[Message] = []
    ended: list[bool] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await Stream(said(), b"text/plain", ended=lambda: ended.append(True)).send(send)
    assert [one.get("body") for one in sent[1:]] == [b"", b"begun"]
    assert all(one.get("more_body") for one in sent[1:])
    assert ended

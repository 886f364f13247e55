"""Commands over WebSockets: both versions of the protocol, refusals in the server's words, and connections that break."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.remote_commands import PROTOCOLS, WebSocketCommand
from corral.adapters.kubernetes.retrying import NEVER
from corral.errors import PermanentError
from corral.kinds.references import ObjectKey
from corral.ports.refusals import ForbiddenError, UnauthorizedError, UnreachableError, UnsupportedError
from corral.ports.remote_commands import RemoteCommand, Said

COMMAND = RemoteCommand(ObjectKey("team", "digits-master-0"), "pytorch", ("cat", "a b"), takes_input=True)
DONE = b'\x03{"metadata":{},"status":"Success"}'

Play = Callable[[web.WebSocketResponse], Awaitable[None]]
Answerer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """An API server that plays one part, in a thread of its own."""

    def __init__(self, answer: Answerer) -> None:
        self.requests: list[web.Request] = []
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    async def _take(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        return await self._answer(request)

    def __enter__(self) -> "Server":
        self._thread.start()
        self.address = asyncio.run_coroutine_threadsafe(self._begin(), self._loop).result()
        return self

    async def _begin(self) -> str:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._take)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def speaking(play: Play, *protocols: str) -> Answerer:
    """Returns a server that opens a WebSocket and plays."""

    async def answer(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=protocols or PROTOCOLS)
        await socket.prepare(request)
        await play(socket)
        return socket

    return answer


def refusing(status: int, message: str, reason: str) -> Answerer:
    """Returns a server that opens nothing."""

    async def answer(_: web.Request) -> web.StreamResponse:
        body = {"kind": "Status", "status": "Failure", "code": status, "message": message, "reason": reason}
        return web.json_response(body, status=status, headers={"Location": "/elsewhere"})

    return answer


@pytest.fixture
def opened() -> Iterator[list[WebSocketCommand]]:
    """Commands that are closed when the test has ended."""
    commands: list[WebSocketCommand] = []
    yield commands
    for command in commands:
        command.close()
        command.close()


def start(server: Server, opened: list[WebSocketCommand], command: RemoteCommand = COMMAND) -> WebSocketCommand:
    opened.append(WebSocketCommand(Access(server.address), NEVER, command))
    return opened[-1]


async def echoed(socket: web.WebSocketResponse) -> None:
    """Sends back what comes until the input ends, and then an exit code; the last words come behind it."""
    async for message in socket:
        if message.data in (b"\xff\x00", b"\x00end"):
            break
        await socket.send_bytes((b"\x02" if message.data[:1] == b"\x04" else b"\x01") + message.data[1:])
    cause = {"reason": "ExitCode", "message": "3"}
    await socket.send_bytes(b"\x03" + json.dumps({"status": "Failure", "details": {"causes": [cause]}}).encode())
    await socket.send_bytes(b"\x01")
    await socket.send_bytes(b"\x01last words")


def test_the_fifth_version_tells_the_end_of_input(opened: list[WebSocketCommand]) -> None:
    with Server(speaking(echoed)) as server:
        command = start(server, opened)
        command.send(b"x" * 40_000)
        command.resize(80, 24)
        assert command.end_input()
        said = list(command.pieces())
        request = server.requests[0]
    assert [len(one.data) for one in said] == [32768, 7232, 24, 10]
    assert said[-1] == Said(b"last words")
    assert json.loads(said[2].data) == {"Width": 80, "Height": 24}
    assert command.exit_code() == 3
    assert request.path == "/api/v1/namespaces/team/pods/digits-master-0/exec"
    assert (
        request.raw_path.partition("?")[2]
        == "container=pytorch&stdin=true&stdout=true&stderr=true&command=cat&command=a+b"
    )


def test_the_fourth_version_cannot_and_says_so(opened: list[WebSocketCommand]) -> None:
    with Server(speaking(echoed, PROTOCOLS[1])) as server:
        command = start(server, opened)
        assert not command.end_input()
        command.send(b"end")
        assert list(command.pieces()) == [Said(b"last words")]
        assert command.exit_code() == 3


def test_a_command_that_was_never_begun_says_why(opened: list[WebSocketCommand]) -> None:
    async def play(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(b'\x03{"status": "Failure", "message": "no such program"}')

    with Server(speaking(play)) as server:
        command = start(server, opened)
        assert list(command.pieces()) == []
        with pytest.raises(PermanentError, match="could not be run: no such program") as told:
            command.exit_code()
    assert told.value.code == "command-not-run"


@pytest.mark.parametrize("abruptly", [True, False])
def test_a_connection_that_ends_before_the_command_is_no_end(opened: list[WebSocketCommand], abruptly: bool) -> None:
    async def play(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(b"\x01half")
        transport = socket._req.transport if socket._req is not None else None
        if abruptly and transport is not None:
            await asyncio.sleep(0.05)  # what was sent before is lost with the connection, and is not what is looked at
            transport.abort()

    with Server(speaking(play)) as server:
        pieces = start(server, opened).pieces()
        assert next(pieces) == Said(b"half")
        with pytest.raises(UnreachableError, match=r"the stream from .* broke"):
            next(pieces)


def test_input_after_the_end_is_nobodys_trouble(opened: list[WebSocketCommand]) -> None:
    async def play(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(DONE)

    with Server(speaking(play)) as server:
        command = start(server, opened)
        assert list(command.pieces()) == []
        command.send(b"too late" * 100_000)
        assert command.exit_code() == 0


def test_a_command_that_reads_nothing_can_be_left(opened: list[WebSocketCommand]) -> None:
    """Whoever waits until more can be sent is set free when the command is closed."""
    left = asyncio.Event()

    async def play(_: web.WebSocketResponse) -> None:
        await left.wait()

    with Server(speaking(play)) as server:
        command = start(server, opened)
        ended = threading.Event()

        def send() -> None:
            try:
                command.send(b"x" * 50_000_000)
            finally:
                ended.set()

        threading.Thread(target=send, daemon=True).start()
        assert not ended.wait(0.3)
        command.close()
        assert ended.wait(10)
        server._loop.call_soon_threadsafe(left.set)


@pytest.mark.parametrize(
    ("status", "reason", "want"),
    [
        (403, "Forbidden", ForbiddenError),
        (401, "Unauthorized", UnauthorizedError),
        (404, "NotFound", PermanentError),
        (302, "", UnsupportedError),
        (200, "", UnsupportedError),
    ],
)
def test_a_refusal_keeps_its_words(status: int, reason: str, want: type[PermanentError]) -> None:
    with Server(refusing(status, "it is said here", reason)) as server:
        with pytest.raises(want, match="it is said here"):
            WebSocketCommand(Access(server.address), NEVER, COMMAND)
        assert len(server.requests) == 1


def test_credentials_that_were_refused_are_read_again(opened: list[WebSocketCommand], tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")

    async def play(socket: web.WebSocketResponse) -> None:
        await socket.send_bytes(DONE)

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers["Authorization"] == "Bearer new":
            return await speaking(play)(request)
        token.write_text("new")
        return await refusing(401, "Unauthorized", "Unauthorized")(request)

    with Server(answer) as server:
        access = Access(server.address, token_file=str(token))
        opened.append(WebSocketCommand(access, NEVER, COMMAND))
        assert list(opened[0].pieces()) == []


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(UnreachableError) as told:
        WebSocketCommand(Access("http://127.0.0.1:1"), NEVER, COMMAND)
    assert not told.value.delivered

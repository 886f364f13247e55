"""One command over one WebSocket: what is typed goes in, what is said comes out, and its end is told.

Buffers are bounded on both ways: a command that does not read holds up whoever types, and a client that does not read holds
up the command. A client that goes is told to the command as the hanging up of a terminal.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from corral.adapters.kubelet_api.channels import (
    CLOSE,
    ERROR,
    RESIZE,
    STDIN,
    STDOUT,
    V4,
    V5,
    Wanted,
    refusal_of,
    status_of,
    window_in,
)
from corral.adapters.kubelet_api.doors import Command, DoorClosedError, Streams
from corral.adapters.kubelet_api.plumbing import PIECE_BYTES, Plumbing
from corral.kinds.objects import Object

MOST_MESSAGE_BYTES = 1 << 20
QUIET_SECONDS = 0.5
"""How long a background process may keep an output open, and say nothing, after its command has ended."""

Start = Callable[[Streams], Awaitable[Command]]


async def opened(request: web.Request) -> web.WebSocketResponse:
    """Returns the WebSocket of a request; refuses, in a sentence, what is none or speaks another dialect."""
    upgrade = request.headers.get("Upgrade", "").lower()
    if upgrade != "websocket":
        told = (
            f"this node does not speak {upgrade.upper()}, only WebSockets" if upgrade else "a WebSocket is needed here"
        )
        raise DoorClosedError(
            400, f"{told}; through kube-apiserver, which speaks SPDY with nodes, this is not possible"
        )
    offered = request.headers.get("Sec-WebSocket-Protocol", "")
    if not {V4, V5} & {name.strip() for name in offered.split(",")}:
        raise DoorClosedError(400, f'none of the protocols "{offered}" is known; offer {V5} or {V4}')
    socket = web.WebSocketResponse(protocols=(V5, V4), max_msg_size=MOST_MESSAGE_BYTES, compress=False)
    await socket.prepare(request)
    return socket


async def run_command(socket: web.WebSocketResponse, wanted: Wanted, start: Start) -> None:
    """Runs a command to its end, or until the client goes."""
    plumbing = Plumbing(wanted)
    try:
        try:
            command = await start(plumbing.streams)
        except DoorClosedError as refusal:
            await _finish(socket, refusal_of(refusal.message))
            return
        try:
            await plumbing.connect()
            code = await _Session(socket, plumbing, wanted).until_ended(command)
        finally:
            command.hang_up()
    finally:
        plumbing.close()
    if code is not None:
        await _finish(socket, status_of(code))


async def run_attached(socket: web.WebSocketResponse, said: AsyncGenerator[bytes, None]) -> None:
    """Shows what a container says until it ends, or until the client goes."""
    async with aclosing(said) as pieces:
        showing = asyncio.create_task(_show(socket, pieces))
        leaving = asyncio.create_task(_until_gone(socket))
        try:
            await asyncio.wait((showing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _ended(showing, leaving)
    if showing.cancelled():
        return
    with suppress(ConnectionError):
        showing.result()
        await _finish(socket, status_of(0))


class _Session:
    """The three movements of a command: what comes from the client, what goes to it, and the end."""

    def __init__(self, socket: web.WebSocketResponse, plumbing: Plumbing, wanted: Wanted) -> None:
        self._socket = socket
        self._plumbing = plumbing
        self._stdin = plumbing.stdin if wanted.stdin else None
        self._pieces = 0
        self._sending = 0

    async def until_ended(self, command: Command) -> int | None:
        """Returns the exit code when everything was said; None when the client went before."""
        ending = asyncio.create_task(command.wait())
        listening = asyncio.create_task(self._listen())
        telling = [asyncio.create_task(self._tell(*each)) for each in self._plumbing.outputs.items()]
        try:
            await asyncio.wait((ending, listening), return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                return None
            await self._until_quiet(telling)
            return ending.result()
        finally:
            await _ended(ending, listening, *telling)

    async def _listen(self) -> None:
        """Returns when the client has gone."""
        while True:
            message = await self._socket.receive()
            if message.type is WSMsgType.BINARY and message.data:
                await self._take(message.data[0], message.data[1:])
            elif message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
                return

    async def _take(self, channel: int, data: bytes) -> None:
        if channel == STDIN and self._stdin is not None:
            # A command that reads no more is not disturbed by what it is sent.
            with suppress(ConnectionError):
                self._stdin.write(data)
                await self._stdin.drain()
        elif channel == CLOSE and data[:1] == bytes([STDIN]) and self._stdin is not None:
            if self._plumbing.streams.is_terminal:
                return
            self._stdin.close()
            self._stdin = None
        elif channel == RESIZE and (window := window_in(data)) is not None:
            self._plumbing.resize(window)

    async def _tell(self, channel: int, said: asyncio.StreamReader) -> None:
        with suppress(OSError):  # the end of a terminal is told as an error
            while data := await said.read(PIECE_BYTES):
                self._is_sending = True
                await self._send(channel, data)
                self._pieces += 1
                self._sending = 0

    async def _send(self, channel: int, data: bytes) -> None:
        await self._socket.send_bytes(bytes([channel]) + data)

    async def _until_quiet(self, telling: list[asyncio.Task[None]]) -> None:
        """Waits for the end of all outputs, or until they say nothing although the client would take it."""
        pieces, pending = -1, set(telling)
        while pending and (self._sending or pieces != self._pieces):
            pieces = self._pieces
            _, pending = await asyncio.wait(pending, timeout=QUIET_SECONDS)


async def _show(socket: web.WebSocketResponse, pieces: AsyncGenerator[bytes, None]) -> None:
    async for piece in pieces:
        await socket.send_bytes(bytes([STDOUT]) + piece)


async def _until_gone(socket: web.WebSocketResponse) -> None:
    while (await socket.receive()).type in (WSMsgType.BINARY, WSMsgType.TEXT):
        pass


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def _finish(socket: web.WebSocketResponse, status: Object) -> None:
    """Tells the end and closes; a client that has gone misses nothing."""
    with suppress(ConnectionError):
        await socket.send_bytes(bytes([ERROR]) + msgspec.json.encode(status))
        await socket.close()

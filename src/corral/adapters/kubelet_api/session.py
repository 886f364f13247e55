"""One command and one client: what is typed goes in, what is said comes out, and its end is told.

Buffers are bounded on both ways: a command that does not read holds up whoever types, and a client that does not read holds
up the command. A client that goes is told to the command as the hanging up of a terminal.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

from corral.adapters.kubelet_api.channels import (
    END_OF_INPUT,
    RESIZE,
    STDIN,
    STDOUT,
    Channels,
    Message,
    Wanted,
    refusal_of,
    status_of,
    window_in,
)
from corral.adapters.kubelet_api.doors import Command, DoorClosedError, Streams
from corral.adapters.kubelet_api.plumbing import PIECE_BYTES, Plumbing

QUIET_SECONDS = 0.5
"""How long a background process may keep an output open, and say nothing, after its command has ended."""

Start = Callable[[Streams], Awaitable[Command]]


async def run_command(channels: Channels, wanted: Wanted, start: Start) -> None:
    """Runs a command to its end, or until the client goes."""
    plumbing = Plumbing(wanted)
    try:
        try:
            command = await start(plumbing.streams)
        except DoorClosedError as refusal:
            await channels.finish(refusal_of(refusal.message))
            return
        try:
            await plumbing.connect()
            code = await _Session(channels, plumbing, wanted).until_ended(command)
        finally:
            command.hang_up()
    finally:
        plumbing.close()
    if code is not None:
        await channels.finish(status_of(code))


async def run_attached(channels: Channels, said: Callable[[], AsyncGenerator[bytes, None]]) -> None:
    """Shows what a container says until it ends, or until the client goes."""
    try:
        listened_to = said()
    except DoorClosedError as refusal:
        await channels.finish(refusal_of(refusal.message))
        return
    async with aclosing(listened_to) as pieces:
        showing = asyncio.create_task(_show(channels, pieces))
        leaving = asyncio.create_task(_until_gone(channels))
        try:
            await asyncio.wait((showing, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _ended(showing, leaving)
    if showing.cancelled():
        return
    with suppress(ConnectionError):
        showing.result()
        await channels.finish(status_of(0))


class _Session:
    """The three movements of a command: what comes from the client, what goes to it, and the end."""

    def __init__(self, channels: Channels, plumbing: Plumbing, wanted: Wanted) -> None:
        self._channels = channels
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
        while (message := await self._channels.receive()) is not None:
            await self._take(message)

    async def _take(self, message: Message) -> None:
        if message.channel == STDIN and self._stdin is not None:
            # A command that reads no more is not disturbed by what it is sent.
            with suppress(ConnectionError):
                self._stdin.write(message.data)
                await self._stdin.drain()
        elif message == END_OF_INPUT and self._stdin is not None and not self._plumbing.streams.is_terminal:
            self._stdin.close()
            self._stdin = None
        elif message.channel == RESIZE and (window := window_in(message.data)) is not None:
            self._plumbing.resize(window)

    async def _tell(self, channel: int, said: asyncio.StreamReader) -> None:
        with suppress(OSError):  # the end of a terminal is told as an error
            while data := await said.read(PIECE_BYTES):
                await self._send(channel, data)

    async def _send(self, channel: int, data: bytes) -> None:
        """Sends one piece; meanwhile the outputs are not quiet, however long the client takes."""
        self._sending += 1
        try:
            await self._channels.send(channel, data)
            self._pieces += 1
        finally:
            self._sending -= 1

    async def _until_quiet(self, telling: list[asyncio.Task[None]]) -> None:
        """Waits for the end of all outputs, or until they say nothing although the client would take it."""
        pieces, pending = -1, set(telling)
        while pending and (self._sending or pieces != self._pieces):
            pieces = self._pieces
            _, pending = await asyncio.wait(pending, timeout=QUIET_SECONDS)


async def _show(channels: Channels, pieces: AsyncGenerator[bytes, None]) -> None:
    async for piece in pieces:
        await channels.send(STDOUT, piece)


async def _until_gone(channels: Channels) -> None:
    while await channels.receive() is not None:
        pass


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)

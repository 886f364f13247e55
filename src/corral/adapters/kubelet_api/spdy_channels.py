"""Channels over SPDY/3.1, one stream each: how kube-apiserver and older clients run commands.

The connection is taken from the HTTP server after the head of the answer, and given back to nobody.
"""

import asyncio
from contextlib import suppress

import msgspec
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from corral.adapters.kubelet_api.channels import (
    END_OF_INPUT,
    ERROR,
    RESIZE,
    STDERR,
    STDIN,
    STDOUT,
    V4,
    Message,
    Wanted,
)
from corral.adapters.kubelet_api.doors import DoorClosedError
from corral.adapters.kubelet_api.spdy_frames import GoneAway, Opened, Pinged, SpdyError, SpdyReader, SpdyWriter, Told
from corral.kinds.objects import Object

PROTOCOL = "SPDY/3.1"
VERSIONS = "X-Stream-Protocol-Version"
BUFFER_BYTES = 64 << 10
OPEN_SECONDS = 30.0
"""How long a client may take to open its streams, as a kubelet has it."""
FAREWELL_SECONDS = 5.0
_NAMES = {"error": ERROR, "stdin": STDIN, "stdout": STDOUT, "stderr": STDERR, "resize": RESIZE}
_HEAD = (
    f"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: {PROTOCOL}\r\n{VERSIONS}: {V4}\r\n\r\n"
).encode()


class TakenOver(web.StreamResponse):
    """The answer to a request whose connection speaks HTTP no more: nothing is written, and the server forgets it."""

    def __init__(self, request: web.Request) -> None:
        super().__init__(status=101)
        self._taken = request

    async def prepare(self, _: web.BaseRequest) -> AbstractStreamWriter | None:
        """Does nothing: the head was sent."""
        return None

    async def write_eof(self, _: bytes = b"") -> None:
        """Tells the server that the connection is over, which nobody else does any more."""
        self._taken.protocol.connection_lost(None)


class SpdyChannels:
    """A client that has opened the streams that it wants."""

    def __init__(self, request: web.Request, transport: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        self.response = TakenOver(request)
        self._reader = asyncio.StreamReader(BUFFER_BYTES, loop)
        protocol = asyncio.StreamReaderProtocol(self._reader, loop=loop)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        self._writer = asyncio.StreamWriter(transport, protocol, self._reader, loop)
        self._frames, self._told = SpdyWriter(), SpdyReader()
        self._streams: dict[int, int] = {}
        """The channel of each stream."""
        self._messages: list[Message] = []
        self._is_over = False

    async def open(self, wanted: Wanted) -> None:
        """Agrees to the protocol and returns when all streams are open that are wanted."""
        self._writer.write(_HEAD)
        awaited = {ERROR, *(each for each, is_wanted in _awaited(wanted) if is_wanted)}
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                while not self._is_over and not awaited <= set(self._streams.values()):
                    await self._read()
        except TimeoutError:
            self._is_over = True

    async def receive(self) -> Message | None:
        """Returns the next message."""
        while not self._messages:
            if self._is_over:
                return None
            await self._read()
        return self._messages.pop(0)

    async def send(self, channel: int, data: bytes) -> None:
        """Sends on the stream of a channel; what has no stream is not wanted."""
        stream = self._stream_of(channel)
        if stream is not None:
            self._writer.write(self._frames.data(stream, data))
            await self._writer.drain()

    async def finish(self, status: Object) -> None:
        """Tells the end on the stream for errors, ends all others, and closes when the client has heard it."""
        with suppress(OSError, TimeoutError):
            for stream, channel in sorted(self._streams.items(), key=lambda each: each[1] == ERROR):
                told = msgspec.json.encode(status) if channel == ERROR else b""
                self._writer.write(self._frames.data(stream, told, is_last=True))
            self._writer.write(self._frames.go_away(max(self._streams, default=0)))
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._writer.drain()
                while not self._is_over:
                    self._messages.clear()
                    await self._read()
        self.close()

    def close(self) -> None:
        """Closes the connection at once; harmless twice."""
        self._is_over = True
        self._writer.transport.abort()

    async def _read(self) -> None:
        try:
            data = await self._reader.read(BUFFER_BYTES)
            self._is_over |= not data
            for event in self._told.feed(data):
                self._take(event)
            await self._writer.drain()
        except (OSError, SpdyError):
            self._is_over = True

    def _take(self, event: Opened | Told | Pinged | GoneAway) -> None:
        if isinstance(event, Opened):
            channel = _NAMES.get(event.headers.get("streamtype", ""))
            if channel is None or channel in self._streams.values():
                self._writer.write(self._frames.refuse(event.stream))
            else:
                self._streams[event.stream] = channel
                self._writer.write(self._frames.reply(event.stream))
        elif isinstance(event, Told):
            self._hear(event)
        elif isinstance(event, Pinged):
            self._writer.write(self._frames.ping(event.number))
        else:
            self._is_over = True

    def _hear(self, told: Told) -> None:
        channel = self._streams.get(told.stream)
        if channel is None:
            return
        if told.data and channel == RESIZE:
            self._messages += [Message(RESIZE, line) for line in told.data.splitlines()]
        elif told.data:
            self._messages.append(Message(channel, told.data))
        if told.is_last and channel == STDIN:
            self._messages.append(END_OF_INPUT)

    def _stream_of(self, channel: int) -> int | None:
        return next((stream for stream, each in self._streams.items() if each == channel), None)


def _awaited(wanted: Wanted) -> tuple[tuple[int, bool], ...]:
    return ((STDIN, wanted.stdin), (STDOUT, wanted.stdout), (STDERR, wanted.stderr), (RESIZE, wanted.tty))


async def spdy_channels(request: web.Request, wanted: Wanted) -> SpdyChannels:
    """Takes the connection of a request over; refuses, in a sentence, versions that cannot tell an exit code."""
    offered = {name.strip() for line in request.headers.getall(VERSIONS, []) for name in line.split(",")}
    if V4 not in offered:
        raise DoorClosedError(403, f"none of the protocols {sorted(offered)} is known; offer {V4}")
    transport = request.transport
    if not isinstance(transport, asyncio.Transport) or transport.is_closing():
        raise DoorClosedError(400, "the client has gone")
    channels = SpdyChannels(request, transport)
    await channels.open(wanted)
    return channels

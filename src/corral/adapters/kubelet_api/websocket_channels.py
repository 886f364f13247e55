"""Channels over a WebSocket: the first byte of each message says which."""

from contextlib import suppress

import msgspec
from aiohttp import WSMsgType, web

from corral.adapters.kubelet_api.channels import ERROR, V4, V5, Message
from corral.adapters.kubelet_api.doors import DoorClosedError
from corral.kinds.objects import Object

MOST_MESSAGE_BYTES = 1 << 20
FAREWELL_SECONDS = 2.0
"""How long a client may take to answer a farewell; the official Python one never does."""


class WebSocketChannels:
    """A client that speaks the fourth or fifth version of the protocol."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self.response = socket

    async def receive(self) -> Message | None:
        """Returns the next message; the fifth version tells the end of input just as it is told on."""
        while True:
            message = await self.response.receive()
            if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
                return None
            # The official Python client sends what is typed as text, as it may.
            data: bytes = message.data.encode() if isinstance(message.data, str) else message.data
            if data:
                return Message(data[0], data[1:])

    async def send(self, channel: int, data: bytes) -> None:
        """Sends one message."""
        await self.response.send_bytes(bytes([channel]) + data)

    async def finish(self, status: Object) -> None:
        """Tells the end and closes."""
        with suppress(ConnectionError):
            await self.send(ERROR, msgspec.json.encode(status))
            await self.response.close()


async def websocket_channels(request: web.Request) -> WebSocketChannels:
    """Returns the channels of a request; refuses, in a sentence, a dialect that is not known."""
    offered = request.headers.get("Sec-WebSocket-Protocol", "")
    if not {V4, V5} & {name.strip() for name in offered.split(",")}:
        raise DoorClosedError(400, f'none of the protocols "{offered}" is known; offer {V5} or {V4}')
    socket = web.WebSocketResponse(
        protocols=(V5, V4), max_msg_size=MOST_MESSAGE_BYTES, compress=False, timeout=FAREWELL_SECONDS
    )
    await socket.prepare(request)
    return WebSocketChannels(socket)

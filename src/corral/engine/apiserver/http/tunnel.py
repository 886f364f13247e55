"""An answer that ends HTTP on its connection: from then on bytes go between the client and somebody behind us."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from corral.engine.apiserver.http.raw_connection import BUFFER_BYTES, RawConnection

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
TakeOver = Callable[[], RawConnection]
Begin = Callable[[Callable[[], None]], Callable[[], None]]
"""Notes something that a function cuts; returns the function to call when it is over."""


class Tunnel:
    """An answer that is HTTP no more: what the node said so far, then bytes both ways until either side closes."""

    status = 101

    def __init__(self, head: bytes, node: Streams, take_over: TakeOver, begin: Begin) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self._head = head
        self._from_node, self._to_node = node
        self._take_over = take_over
        self._client: RawConnection | None = None
        self._done: Callable[[], None] = lambda: None
        self._done = begin(self._cut)

    async def send(self, _send: Callable[[Any], Awaitable[None]]) -> None:
        """Takes the connection over and passes everything on."""
        try:
            self._client = self._take_over()
        except ConnectionError:
            self._cut()
            return
        try:
            self._client.writer.write(self._head)
            await self._passed_on(self._client)
        finally:
            self._to_node.transport.abort()
            self._client.close()
            self._done()

    async def _passed_on(self, client: RawConnection) -> None:
        """Returns when either side has closed, and what the node said before that was handed on."""
        ways = (
            asyncio.create_task(_flow(self._from_node, client.writer)),
            asyncio.create_task(_flow(client.reader, self._to_node)),
        )
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)

    def _cut(self) -> None:
        self._to_node.transport.abort()
        if self._client is not None:
            self._client.writer.transport.abort()
        else:
            self._done()


async def _flow(source: asyncio.StreamReader, drain: asyncio.StreamWriter) -> None:
    """Passes bytes on until the source ends or the other side takes no more."""
    with suppress(OSError):
        while data := await source.read(BUFFER_BYTES):
            drain.write(data)
            await drain.drain()

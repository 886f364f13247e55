"""The connection: uvicorn's HTTP parser with two limits of our own, on the size and the time of a request's head.

Bodies have their limits in `request`; without these, a client could hold a connection, or fill memory, with a head that
never ends. Answers leave at once and in one piece: with Nagle's delay on, which asyncio leaves on for listeners that
name no protocol number, a body would wait 40 ms for the acknowledgement of its head.
"""

import asyncio
import socket
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 << 10
HEAD_SECONDS = 20.0
LARGE_BYTES = 64 << 10
"""From here on, joining a head to its body costs more than a packet of its own."""


class _OnePiece:
    """A transport that holds the head of an answer until its body comes, so that both leave in one packet."""

    __slots__ = ("_head", "_transport", "get_extra_info", "is_closing")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def write(self, data: bytes) -> None:
        """Writes what it holds and what it is given, unless that is a head: then it holds that."""
        if self._head:
            head, self._head = self._head, b""
            if len(data) > LARGE_BYTES:
                self._transport.write(head)
            else:
                data = head + data
        elif data[-4:] == b"\r\n\r\n" and data[:9] == b"HTTP/1.1 " and data[9:12] != b"100":
            self._head = data
            return
        if data:
            self._transport.write(data)

    def flush(self) -> None:
        """Writes a head that no body followed."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Writes what is held and closes."""
        self.flush()
        self._transport.close()


class LimitedProtocol(HttpToolsProtocol):
    """Closes a connection whose request head is too large or too slow."""

    _head_bytes = 0
    _deadline: asyncio.TimerHandle | None = None
    _answers: _OnePiece

    def connection_made(self, transport: Any) -> None:
        """Turns Nagle's delay off and starts the clock for the first head."""
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._answers = _OnePiece(transport)
        self.transport = self._answers  # type: ignore[assignment]
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        """Counts what arrives before a head is complete."""
        if self._deadline is None and self._head_bytes == 0 and self.cycle is not None and self.cycle.response_complete:
            self._start_clock()
        if self._deadline is not None:
            self._head_bytes += len(data)
            head = data.find(b"\r\n\r\n") if self._head_bytes > MAX_HEAD_BYTES else 0
            if self._head_bytes > MAX_HEAD_BYTES and (head < 0 or head > MAX_HEAD_BYTES):
                self._refuse(b"431 Request Header Fields Too Large")
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Stops the clock: from here on the body's own limits hold."""
        self._stop_clock()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Lets go of an answer that was only a head."""
        self._answers.flush()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def _start_clock(self) -> None:
        self._head_bytes = 0
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._refuse, b"408 Request Timeout")

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._head_bytes = 0

    def _refuse(self, status: bytes) -> None:
        self._stop_clock()
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            self.transport.close()

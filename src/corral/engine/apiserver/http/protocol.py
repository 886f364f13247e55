"""The connection: uvicorn's HTTP parser with two limits of our own, on the size and the time of a request's head.

Bodies have their limits in `request`; without these, a client could hold a connection, or fill memory, with a head that
never ends.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 << 10
HEAD_SECONDS = 20.0


class LimitedProtocol(HttpToolsProtocol):
    """Closes a connection whose request head is too large or too slow."""

    _head_bytes = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Starts the clock for the first head."""
        super().connection_made(transport)
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

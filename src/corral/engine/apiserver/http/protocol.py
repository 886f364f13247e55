"""The connection: uvicorn's HTTP parser with limits of our own on heads, on unread bodies and on connections.

Bodies have their limits in `request`; without these, a client could hold a connection, or fill memory, with a head that
never ends, behind a watch or at the start. What is refused here is refused with a Status as well.
"""

import asyncio
import sys
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.http.one_piece import OnePiece
from corral.engine.apiserver.http.raw_connection import RawConnection

MAX_HEAD_BYTES = 64 << 10
HEAD_SECONDS = 20.0
MAX_UNREAD_BYTES = 8 << 20
"""How much of a body is read and thrown away after the answer, for clients that read only when they have sent all."""

TOO_LARGE = ApiFailure(431, "RequestHeaderFieldsTooLarge", f"the head of a request may have {MAX_HEAD_BYTES} bytes")
TOO_SLOW = ApiFailure(408, "RequestTimeout", "the head of the request did not arrive in time")
TOO_MANY = ApiFailure(503, "ServiceUnavailable", "there are too many connections", retry_after=1)
PHRASES = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class LimitedProtocol(HttpToolsProtocol):
    """Closes a connection whose request head is too large or too slow, or whose body goes on after its answer."""

    most_connections = 16_000
    _in_head = False
    _head_bytes = 0
    _unread_bytes = 0
    _deadline: asyncio.TimerHandle | None = None
    _running: Any = None
    _answers: OnePiece
    _upgrading = False
    _early = b""
    _given = b""

    def connection_made(self, transport: Any) -> None:
        """Starts the clock for the first head."""
        super().connection_made(transport)
        self._answers = OnePiece(transport)
        self.transport = self._answers  # type: ignore[assignment]
        if len(self.connections) > self.most_connections:
            self._refuse(TOO_MANY)
            return
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        """Counts what arrives of a head, and what arrives of a body that nobody reads any more."""
        if self.transport.is_closing():
            return
        if self._upgrading:
            self._hold(data)
            return
        was_in_head = self._in_head
        self._given = data
        super().data_received(data)
        self._given = b""
        if self._in_head and was_in_head:
            self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(TOO_LARGE)

    def on_message_begin(self) -> None:
        """Notes that a head begins; lets the application cut the connection."""
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = self._unread_bytes = 0
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._start_clock()
        scope: Any = self.scope
        scope["extensions"] = {"corral.abort": self.transport.abort, "corral.take_over": self._take_over}

    def on_url(self, url: bytes) -> None:
        """Counts the target."""
        self._head_bytes += len(url)
        if self._head_bytes <= MAX_HEAD_BYTES:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Counts a header; keeps it only while there is room."""
        self._head_bytes += len(name) + len(value) + 4
        if self._head_bytes <= MAX_HEAD_BYTES:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stops the clock: from here on the body's own limits hold."""
        self._in_head = False
        self._stop_clock()
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(TOO_LARGE)
        if self.transport.is_closing():
            return
        self._head_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Gives up on a client that goes on sending long after it has its answer."""
        if self.transport.is_closing():
            return
        if self.cycle.response_complete:
            self._unread_bytes += len(body)
            if self._unread_bytes > MAX_UNREAD_BYTES:
                self.transport.abort()
            return
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Tells the application that the body is whole, unless the request was refused."""
        if self.cycle is not None and not self.transport.is_closing():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Lets go of an answer that was only a head."""
        self._answers.flush()
        super().on_response_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Notes that the client would speak something else; what it says after the head is for whoever takes over."""
        problem = sys.exception()
        assert problem is not None
        self._upgrading = True
        self._hold(self._given[problem.args[0] :])
        if self.cycle is not None:
            # The parser is of no use any more: an answer that does not upgrade is the last one.
            self.cycle.keep_alive = False

    def _hold(self, data: bytes) -> None:
        self._early += data
        if len(self._early) > MAX_HEAD_BYTES:
            self.transport.abort()  # nobody may say so much before it knows to whom

    def _take_over(self) -> RawConnection:
        """Hands the connection over as it is; uvicorn sends nothing on it any more, and forgets it when it is closed."""
        if self.transport.is_closing():
            raise ConnectionResetError("the client has gone")
        self.cycle.disconnected = True
        early, self._early = self._early, b""
        return RawConnection(self._answers.released(), early, lambda: self.connection_lost(None))

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the clock, and tells the request under way, which a pipelined one may have hidden."""
        self._stop_clock()
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no HTTP with a Status."""
        self._refuse(ApiFailure(400, "BadRequest", msg))

    def _start_clock(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._refuse, TOO_SLOW)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, failure: ApiFailure) -> None:
        """Answers and closes; in the midst of another answer it only closes."""
        self._stop_clock()
        if self.transport is None or self.transport.is_closing():
            return
        if self._running is None or self._running.response_complete:
            body = msgspec.json.encode(failure.status())
            head = (
                f"HTTP/1.1 {failure.code} {PHRASES[failure.code]}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()

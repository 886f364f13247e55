"""Sending calls with the standard library: one connection, quick to import, for the command line.

Not safe for use by several threads, but for `cut`: a command has one.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from corral.adapters.kubernetes.access import Access, Timeouts
from corral.adapters.kubernetes.addresses import address_of
from corral.adapters.kubernetes.answers import Answer
from corral.adapters.kubernetes.calls import Call
from corral.adapters.kubernetes.credentials import Credentials
from corral.adapters.kubernetes.http_connection import HttpConnection, connection_to
from corral.adapters.kubernetes.http_messages import BadHttpError, Response
from corral.adapters.kubernetes.retrying import NEVER, Pause, Renew, RetryPolicy, exchange
from corral.adapters.kubernetes.unreachable import dead_stream, no_answer, no_connection
from corral.errors import PermanentError
from corral.ports.refusals import CutOffError, UnreachableError

_LOST = (OSError, BadHttpError)


class SyncTransport:
    """Carries calls to one API server and their answers back."""

    def __init__(
        self,
        access: Access,
        policy: RetryPolicy,
        timeouts: Timeouts,
        warn: Callable[[str], None] | None = None,
        trace: Callable[[str], None] | None = None,
    ) -> None:
        self.access = access
        self._policy = policy
        self._timeouts = timeouts
        self._warn = warn
        self._trace = trace
        self._credentials = Credentials(access)
        self._connection: HttpConnection | None = None
        self._socket: socket.socket | None = None
        """That of the call or the stream under way, or of the last one."""
        self._is_cut = False
        self._generation = 0
        self._prefix = address_of(access.server).path.rstrip("/")

    def close(self) -> None:
        """Closes the connection; the next call opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def cut(self) -> None:
        """Gives everything up, from any thread: whoever waits for an answer gets CutOffError instead of it."""
        self._is_cut = True
        if self._socket is not None:
            # Of the plain socket, also under TLS: the layer above is in use by another thread. One that is closed is good.
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def send(self, call: Call) -> Answer:
        """Sends a call by the retry policy and returns its successful answer."""
        answer, _ = self._converse(call, self._policy, None)
        return answer

    def stream(self, call: Call, *, quiet_limit: float | None) -> Iterator[bytes]:
        """Yields an empty piece as soon as the server has accepted, then the body piece by piece as it comes."""
        _, response = self._converse(call, NEVER, quiet_limit or 0.0)
        assert response is not None
        connection, self._connection = self._connection, None  # a stream has its connection for itself
        try:
            yield b""
            yield from response.pieces()
            self._refuse_cut(call)
        except _LOST as error:
            self._refuse_cut(call)
            raise dead_stream(call, self.access, error) from error
        finally:
            if connection is not None:
                connection.close()

    def _converse(self, call: Call, policy: RetryPolicy, streaming: float | None) -> tuple[Answer, Response | None]:
        """Runs the retry conversation; with `streaming` (a quiet limit, 0 for none) the body is left to the caller."""
        response: Response | None = None
        told: Any = None
        if self._credentials.is_due:
            self._credentials.refresh()
        conversation = exchange(call, policy, _chance)
        while True:
            try:
                step = conversation.send(told)
            except StopIteration as end:
                return end.value, response
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                told = None
            elif isinstance(step, Renew):
                told = self._credentials.refresh()
            else:
                began = time.perf_counter()
                told, response = self._try(call, streaming)
                self._refuse_cut(call)
                if self._trace is not None:
                    self._trace(_traced(call, told, time.perf_counter() - began))

    def _try(self, call: Call, streaming: float | None) -> tuple[Answer | UnreachableError, Response | None]:
        self._refuse_cut(call)
        try:
            connection = self._connected()
            self._socket = connection.socket
            self._refuse_cut(call)
        except _LOST as error:
            self.close()
            return no_connection(call, self.access, error), None
        try:
            connection.socket.settimeout(self._timeouts.answer)
            headers = self._headers(call, streaming is not None)
            response = connection.ask(call.method, self._prefix + call.target, headers, call.body)
            if streaming is not None and response.head.status < 400:
                connection.socket.settimeout(streaming or None)
                return Answer(response.head.status, {}, b""), response
            return self._answer(response), None
        except ValueError as error:
            hint = "a token, or a name to act as, is one line of text"
            raise PermanentError("no-credentials", f"the request cannot be sent: {error}", hint=hint) from error
        except _LOST as error:
            self.close()
            return no_answer(call, self.access, error), None

    def _refuse_cut(self, call: Call) -> None:
        if self._is_cut:
            self.close()
            raise CutOffError(call.what)

    def _answer(self, response: Response) -> Answer:
        head, body = response.head, response.body()
        headers = dict(head.headers)
        if headers.get("content-encoding") == "gzip":
            body = _unpacked(body)
        if self._warn is not None:
            for text in head.all("warning"):
                self._warn(_warning(text))
        if response.ends_connection:
            self.close()
        return Answer(head.status, headers, body)

    def _headers(self, call: Call, streaming: bool) -> dict[str, str]:
        headers = {"Accept": call.accept, "User-Agent": "corral", **self._credentials.headers()}
        headers["Accept-Encoding"] = "identity" if streaming else "gzip"
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        return headers

    def _connected(self) -> HttpConnection:
        """Returns an open connection: the one we have if it still is one, else a new one."""
        is_ours = self._generation == self._credentials.generation
        if self._connection is not None and is_ours and self._connection.is_quiet:
            return self._connection
        self.close()
        self._connection = connection_to(self.access, self._credentials.certificate, self._timeouts.connect)
        self._generation = self._credentials.generation
        return self._connection


def _chance() -> float:
    """Returns a fraction by chance; the library's generators cost an import."""
    return int.from_bytes(os.urandom(4)) / (1 << 32)


def _unpacked(body: bytes) -> bytes:
    import zlib  # servers on this machine do not pack

    try:
        return zlib.decompress(body, 31)
    except zlib.error as error:
        raise BadHttpError(f"its answer cannot be unpacked: {error}") from error


def _traced(call: Call, told: Answer | UnreachableError, seconds: float) -> str:
    """Returns one request in a line; who we are stands in headers, which are never shown."""
    outcome = told.status if isinstance(told, Answer) else told.message
    return f"{call.method} {call.target} {outcome} {seconds * 1000:.0f} ms"


def _warning(header: str) -> str:
    """Returns the text of a Warning header: `299 - "text"`."""
    _, _, quoted = header.partition('"')
    return quoted.rpartition('"')[0].replace('\\"', '"') or header

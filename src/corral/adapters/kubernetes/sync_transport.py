"""Sending calls with the standard library: one connection, quick to import, for the command line.

Not safe for use by several threads, but for `cut`: a command has one.
"""

import http.client
import random
import select
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from corral.adapters.kubernetes.access import Access, Timeouts
from corral.adapters.kubernetes.answers import Answer
from corral.adapters.kubernetes.calls import Call
from corral.adapters.kubernetes.credentials import Credentials
from corral.adapters.kubernetes.retrying import NEVER, Pause, Renew, RetryPolicy, exchange
from corral.adapters.kubernetes.trust import tls_context
from corral.adapters.kubernetes.unreachable import dead_stream, no_answer, no_connection
from corral.errors import PermanentError
from corral.ports.refusals import CutOffError, UnreachableError


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
        self._connection: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None
        """That of the call or the stream under way, or of the last one."""
        self._is_cut = False
        self._generation = 0
        self._prefix = urlsplit(access.server).path.rstrip("/")

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
            while data := response.read1(262_144):
                yield data
            self._refuse_cut(call)
        except (OSError, http.client.HTTPException) as error:
            self._refuse_cut(call)
            raise dead_stream(call, self.access, error) from error
        finally:
            response.close()
            if connection is not None:
                connection.close()

    def _converse(
        self, call: Call, policy: RetryPolicy, streaming: float | None
    ) -> tuple[Answer, http.client.HTTPResponse | None]:
        """Runs the retry conversation; with `streaming` (a quiet limit, 0 for none) the body is left to the caller."""
        response: http.client.HTTPResponse | None = None
        told: Any = None
        if self._credentials.is_due:
            self._credentials.refresh()
        conversation = exchange(call, policy, random.random)
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
                if self._is_cut and response is not None:
                    response.close()
                self._refuse_cut(call)
                if self._trace is not None:
                    self._trace(_traced(call, told, time.perf_counter() - began))

    def _try(
        self, call: Call, streaming: float | None
    ) -> tuple[Answer | UnreachableError, http.client.HTTPResponse | None]:
        self._refuse_cut(call)
        try:
            connection = self._connected()
            self._socket = connection.sock
            self._refuse_cut(call)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return no_connection(call, self.access, error), None
        try:
            if connection.sock is not None:
                connection.sock.settimeout(self._timeouts.answer)
            connection.request(
                call.method, self._prefix + call.target, call.body, self._headers(call, streaming is not None)
            )
            response = connection.getresponse()
            if streaming is not None and response.status < 400:
                if connection.sock is not None:
                    connection.sock.settimeout(streaming or None)
                return Answer(response.status, {}, b""), response
            return self._answer(response), None
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return no_answer(call, self.access, error), None

    def _refuse_cut(self, call: Call) -> None:
        if self._is_cut:
            self.close()
            raise CutOffError(call.what)

    def _answer(self, response: http.client.HTTPResponse) -> Answer:
        body = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        if headers.get("content-encoding") == "gzip":
            body = zlib.decompress(body, 31)
        if self._warn is not None:
            for text in response.headers.get_all("Warning") or ():
                self._warn(_warning(text))
        if response.will_close:
            self.close()
        return Answer(response.status, headers, body)

    def _headers(self, call: Call, streaming: bool) -> dict[str, str]:
        headers = {"Accept": call.accept, "User-Agent": "corral", **self._credentials.headers()}
        if not streaming:
            headers["Accept-Encoding"] = "gzip"
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        return headers

    def _connected(self) -> http.client.HTTPConnection:
        """Returns an open connection: the one we have if it still is one, else a new one."""
        if self._connection is not None and self._generation != self._credentials.generation:
            self.close()
        if self._connection is not None and self._connection.sock is not None and _is_quiet(self._connection):
            return self._connection
        self.close()
        connection = self._new_connection()
        connection.connect()
        self._connection = connection
        self._generation = self._credentials.generation
        return connection

    def _new_connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.access.proxy or self.access.server)
        target = urlsplit(self.access.server)
        host, limit = parts.hostname or "", self._timeouts.connect
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if self.access.is_secure:
            context = tls_context(self.access.tls, self._credentials.certificate)
            secure = _SecureConnection(host, port, limit, context, self.access.tls.server_name)
            if self.access.proxy:
                secure.set_tunnel(target.hostname or "", target.port or 443)
            return secure
        if self.access.proxy:
            raise PermanentError("unsupported-proxy", "an http:// server is reached directly only, without a proxy")
        return _PlainConnection(host, port, timeout=limit)


class _PlainConnection(http.client.HTTPConnection):
    """Looks up plain names as they are: to write them in the way of international ones first costs an import."""

    def connect(self) -> None:
        """Opens the connection."""
        host = self.host.encode() if self.host.isascii() else self.host
        self.sock = socket.create_connection((host, self.port), self.timeout)  # type: ignore[arg-type]
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _SecureConnection(http.client.HTTPSConnection):
    """Checks the server's certificate for another name than the one we dialled, when a kubeconfig says so."""

    def __init__(self, host: str, port: int, limit: float, context: ssl.SSLContext, server_name: str) -> None:
        super().__init__(host, port, timeout=limit, context=context)
        self._tls = context
        self._server_name = server_name

    def connect(self) -> None:
        """Opens the connection, through the tunnel if there is one."""
        http.client.HTTPConnection.connect(self)
        tunnel: str | None = getattr(self, "_tunnel_host", None)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._server_name or tunnel or self.host)


def _is_quiet(connection: http.client.HTTPConnection) -> bool:
    """Whether an idle connection has nothing to read: if it has, that is the server's farewell."""
    # Not `select`, which knows no handles above 1023.
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return not poll.poll(0)


def _traced(call: Call, told: Answer | UnreachableError, seconds: float) -> str:
    """Returns one request in a line; who we are stands in headers, which are never shown."""
    outcome = told.status if isinstance(told, Answer) else told.message
    return f"{call.method} {call.target} {outcome} {seconds * 1000:.0f} ms"


def _warning(header: str) -> str:
    """Returns the text of a Warning header: `299 - "text"`."""
    _, _, quoted = header.partition('"')
    return quoted.rpartition('"')[0].replace('\\"', '"') or header

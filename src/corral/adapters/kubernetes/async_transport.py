"""Sending calls with aiohttp: many at a time, for the control loops, and WebSockets for commands in containers."""

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, Literal, TypeVar

import aiohttp
from yarl import URL

from corral.adapters.kubernetes.access import Access, Timeouts
from corral.adapters.kubernetes.answers import Answer, refusal_of
from corral.adapters.kubernetes.calls import Call
from corral.adapters.kubernetes.credentials import Credentials
from corral.adapters.kubernetes.retrying import NEVER, Pause, Renew, RetryPolicy, exchange
from corral.adapters.kubernetes.trust import tls_context
from corral.adapters.kubernetes.unreachable import dead_stream, no_answer, no_connection
from corral.ports.refusals import UnreachableError

_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientProxyConnectionError)
_LOST = (aiohttp.ClientError, OSError, TimeoutError)
_FAREWELL_SECONDS = 2.0

T = TypeVar("T")
Try = Callable[[dict[str, str]], Awaitable[tuple[Answer | UnreachableError, T | None]]]
"""Sends a call once, with the headers that say who we are; what it opened besides belongs to the caller."""


class AsyncTransport:
    """Carries calls to one API server and their answers back; belongs to one event loop."""

    def __init__(self, access: Access, policy: RetryPolicy, timeouts: Timeouts) -> None:
        self.access = access
        self._policy = policy
        self._timeouts = timeouts
        self._credentials = Credentials(access)
        self._renewing = asyncio.Lock()
        self._tls: tuple[int, ssl.SSLContext] | None = None
        self._session: aiohttp.ClientSession | None = None
        self._prefix = access.server.rstrip("/")

    async def close(self) -> None:
        """Closes all connections; streams end with UnreachableError."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, call: Call) -> Answer:
        """Sends a call by the retry policy and returns its successful answer."""
        await self._keep_fresh()
        answer, _ = await self._converse(call, self._policy, lambda shown: self._try(call, shown, None))
        return answer

    async def stream(self, call: Call, *, quiet_limit: float | None) -> AsyncGenerator[bytes, None]:
        """Yields an empty piece as soon as the server has accepted, then the body piece by piece as it comes."""
        await self._keep_fresh()
        _, response = await self._converse(call, NEVER, lambda shown: self._try(call, shown, quiet_limit or 0.0))
        assert response is not None
        try:
            yield b""
            async for data in response.content.iter_any():
                yield data
        except _LOST as error:
            raise dead_stream(call, self.access, error) from error
        finally:
            _hang_up(response)

    async def upgrade(self, call: Call, protocols: Sequence[str]) -> aiohttp.ClientWebSocketResponse:
        """Opens a WebSocket that speaks one of some protocols; it may be silent for as long as it likes."""
        await self._keep_fresh()
        answer, socket = await self._converse(
            call, self._policy, lambda shown: self._try_upgrade(call, shown, protocols)
        )
        if socket is None:
            raise refusal_of(answer, call.what)
        return socket

    async def _keep_fresh(self) -> None:
        if self._credentials.is_due:
            async with self._renewing:
                if self._credentials.is_due:
                    await asyncio.to_thread(self._credentials.refresh)

    async def _renew(self, refused: dict[str, str]) -> bool:
        """Renews once for all calls that were refused with the same credentials."""
        async with self._renewing:
            if self._credentials.headers() != refused:
                return True
            return await asyncio.to_thread(self._credentials.refresh)

    async def _converse(self, call: Call, policy: RetryPolicy, attempt: Try[T]) -> tuple[Answer, T | None]:
        """Runs the retry conversation; returns the answer, and what the last try has opened."""
        opened: T | None = None
        told: Any = None
        shown: dict[str, str] = {}
        conversation = exchange(call, policy, random.random)
        while True:
            try:
                step = conversation.send(told)
            except StopIteration as end:
                return end.value, opened
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                told = None
            elif isinstance(step, Renew):
                told = await self._renew(shown)
            else:
                shown = self._credentials.headers()
                told, opened = await attempt(shown)

    async def _try(
        self, call: Call, shown: dict[str, str], streaming: float | None
    ) -> tuple[Answer | UnreachableError, aiohttp.ClientResponse | None]:
        """Sends once; with `streaming` (a quiet limit, 0 for none) the body is left to the caller."""
        try:
            response = await self._request(call, shown, streaming)
            if streaming is not None and response.status < 400:
                return Answer(response.status, {}, b""), response
            async with response:
                body = await response.read()
        except _NOT_SENT as error:
            return no_connection(call, self.access, _cause(error)), None
        except _LOST as error:
            return no_answer(call, self.access, _cause(error)), None
        return Answer(response.status, _lowered(response), body), None

    async def _try_upgrade(
        self, call: Call, shown: dict[str, str], protocols: Sequence[str]
    ) -> tuple[Answer | UnreachableError, aiohttp.ClientWebSocketResponse | None]:
        try:
            socket = await self._open_session().ws_connect(
                URL(self._prefix + call.target, encoded=True),
                protocols=protocols,
                headers=shown,
                ssl=self._tls_context(),
                server_hostname=self.access.tls.server_name or None,
                proxy=self.access.proxy or None,
                timeout=aiohttp.ClientWSTimeout(ws_close=_FAREWELL_SECONDS),
            )
        except _NotUpgradedError as refusal:
            return refusal.answer, None
        except _NOT_SENT as error:
            return no_connection(call, self.access, _cause(error)), None
        except _LOST as error:
            return no_answer(call, self.access, _cause(error)), None
        return Answer(101, {}, b""), socket

    async def _request(self, call: Call, shown: dict[str, str], streaming: float | None) -> aiohttp.ClientResponse:
        headers = {"Accept": call.accept, **shown}
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        if streaming is not None:
            headers["Accept-Encoding"] = "identity"
        silence = self._timeouts.answer if streaming is None else (streaming or None)
        return await self._open_session().request(
            call.method,
            URL(self._prefix + call.target, encoded=True),
            data=call.body,
            headers=headers,
            ssl=self._tls_context(),
            server_hostname=self.access.tls.server_name or None,
            proxy=self.access.proxy or None,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._timeouts.connect, sock_read=silence),
        )

    def _tls_context(self) -> ssl.SSLContext | Literal[True]:
        if not self.access.is_secure:
            return True
        generation = self._credentials.generation
        if self._tls is None or self._tls[0] != generation:
            self._tls = (generation, tls_context(self.access.tls, self._credentials.certificate))
        return self._tls[1]

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            # Well below the 90 s and more after which servers drop idle connections: a request that meets the drop
            # would be undecided.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0)
            self._session = aiohttp.ClientSession(
                connector=connector,
                headers={"User-Agent": "corral"},
                read_bufsize=256 * 1024,
                trust_env=False,
                auto_decompress=True,
                cookie_jar=aiohttp.DummyCookieJar(),
                middlewares=(_once, _told_whole),
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=self._timeouts.connect, sock_read=self._timeouts.answer
                ),
            )
        return self._session


def _hang_up(response: aiohttp.ClientResponse) -> None:
    """Ends a stream at once; a polite farewell by TLS would outlive the event loop of a short program."""
    if response.connection is not None and response.connection.transport is not None:
        response.connection.transport.abort()
    response.close()


async def _once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keeps aiohttp from repeating a lost GET, PUT or DELETE by itself: what may be repeated our own policy says."""
    try:
        return await handler(request)
    except _NOT_SENT:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise aiohttp.ClientConnectionError(str(error)) from error


class _NotUpgradedError(Exception):
    """The answer of a server that does not open a WebSocket."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"HTTP {answer.status}")
        self.answer = answer


async def _told_whole(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keeps what a server says when it refuses a WebSocket: aiohttp would throw it away, and follow it elsewhere."""
    response = await handler(request)
    if "Upgrade" not in request.headers or response.status == 101:
        return response
    async with response:
        raise _NotUpgradedError(Answer(response.status, _lowered(response), await response.read()))


def _lowered(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _cause(error: BaseException) -> BaseException:
    """Returns the error of the system behind one of the library, whose texts repeat the address."""
    return getattr(error, "os_error", None) or error

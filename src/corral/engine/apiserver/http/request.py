"""A request as the verbs see it, and the reading of its body within limits of size and time."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.raw_connection import RawConnection

MAX_BODY_BYTES = 3 * 1024 * 1024
"""The largest request body, as on a real server."""
MAX_PARAMETERS = 64
PASSED_OVER_BYTES = 16 * 1024 * 1024
"""How much of a body that is too large is read and dropped, so that its sender hears why instead of a broken pipe."""
BODY_SECONDS = 30.0
"""How long a client may take to send its body."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Request:
    """One HTTP request; the body is read when asked for."""

    __slots__ = (
        "_query",
        "_receive",
        "abort",
        "header_lines",
        "headers",
        "method",
        "path",
        "raw_path",
        "raw_query",
        "take_over",
    )

    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        self.path: str = scope["path"]
        self.header_lines: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers: dict[bytes, bytes] = dict(self.header_lines)
        self.raw_query: bytes = scope["query_string"]
        self._query: dict[str, str] | None = None if self.raw_query else {}
        self._receive = receive
        extensions = scope.get("extensions", {})
        self.abort: Callable[[], None] | None = extensions.get("corral.abort")
        self.take_over: Callable[[], RawConnection] = extensions.get("corral.take_over") or _cannot

    @property
    def query(self) -> dict[str, str]:
        """Returns the query parameters, the first value of each; 400 when there are too many."""
        if self._query is None:
            self._query = query_of(self.raw_query)
        return self._query

    @property
    def upgrade(self) -> str:
        """Returns what else the client would speak on this connection, in small letters; "" for nothing."""
        wishes = self.headers.get(b"connection", b"").lower().split(b",")
        is_asked = any(wish.strip() == b"upgrade" for wish in wishes)
        return self.headers.get(b"upgrade", b"").strip().lower().decode("latin-1") if is_asked else ""

    @property
    def content_type(self) -> str:
        """Returns the media type of the body without parameters, "" when none was given."""
        return self.headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")

    @property
    def user_agent(self) -> str:
        """Returns the client's own name for itself."""
        return self.headers.get(b"user-agent", b"").decode("latin-1")

    async def body(self, limit: int = MAX_BODY_BYTES) -> bytes:
        """Returns the whole body; 413 over the limit, 408 when it comes too slowly."""
        declared = self.headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > max(limit, PASSED_OVER_BYTES):
            raise failures.too_large(limit)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._read(limit)
        except TimeoutError:
            raise failures.ApiFailure(
                408, "RequestTimeout", f"the body did not arrive within {BODY_SECONDS:.0f} seconds"
            ) from None

    async def _read(self, limit: int) -> bytes:
        message = await self._receive()
        first: bytes = message.get("body", b"")
        if not message.get("more_body") and len(first) <= limit:
            return first
        chunks, size = [first], len(first)
        while message.get("more_body"):
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise failures.bad_request("the client went away before the body was complete")
            chunk: bytes = message.get("body", b"")
            size += len(chunk)
            if size > PASSED_OVER_BYTES:
                break
            if size > limit:
                chunks.clear()
            else:
                chunks.append(chunk)
        if size > limit:
            raise failures.too_large(limit)
        return b"".join(chunks)

    async def disconnected(self) -> None:
        """Returns when the client has gone; only for requests whose body was read or empty."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


def _cannot() -> RawConnection:
    raise ConnectionError("this connection cannot be taken over")


def query_of(raw: bytes) -> dict[str, str]:
    """Returns the query parameters, the first value of each, as kube-apiserver reads them."""
    found: dict[str, str] = {}
    try:
        pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise failures.bad_request(f"a request may have {MAX_PARAMETERS} query parameters") from None
    for name, value in pairs:
        found.setdefault(name, value)
    return found

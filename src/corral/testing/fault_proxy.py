"""A proxy that stands between a client and an API server and misbehaves on request.

It listens on loopback without TLS, speaks to the real server with credentials of its own, and asks `fault_for` what to do
about each request. Every request is noted in `seen`, so tests can count lists, creates and retries, and what the server
answered in `answers`.

    async with FaultProxy(upstream) as proxy:
        proxy.fault_for = on_every(2, is_write, reply(409, "Conflict"))
        client = AsyncClient(proxy.access())
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.answers import LineSplitter
from corral.adapters.kubernetes.credentials import Credentials
from corral.adapters.kubernetes.trust import tls_context

_LIMIT = 64 * 1024 * 1024


class Seen(NamedTuple):
    """One request as the proxy saw it; header names in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def is_write(self) -> bool:
        """Whether the request changes something."""
        return self.method not in ("GET", "HEAD")

    @property
    def is_watch(self) -> bool:
        """Whether the request opens a stream of changes."""
        return self.query.get("watch") == "true"

    @property
    def is_list(self) -> bool:
        """Whether the request reads a list, or a page of one."""
        return self.method == "GET" and not self.is_watch and "limit" in self.query


class Reply(NamedTuple):
    """Answer this instead of asking the server."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Hold(NamedTuple):
    """Forward only when the event is set: a slow server, without waiting in tests."""

    until: asyncio.Event


class CutAfterForwarding(NamedTuple):
    """Let the server do it, then close without an answer."""


class GoSilent(NamedTuple):
    """Pass the beginning of the answer on, then nothing more, and keep the connection: half-open."""

    after_lines: int = 0


class Rewrite(NamedTuple):
    """Pass a watch on line by line through a function that may repeat, keep back, reorder or drop lines."""

    lines: Callable[[bytes], list[bytes]]


Fault = Reply | Hold | CutAfterForwarding | GoSilent | Rewrite | None


def no_fault(_: Seen) -> Fault:
    """Lets everything pass."""
    return None


def reply(status: int, reason: str, *, retry_after: int = 0, message: str = "injected by the fault proxy") -> Reply:
    """Returns a Status answer as an API server would give it."""
    body: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": status,
    }
    headers = (("Retry-After", str(retry_after)),) if retry_after else ()
    return Reply(status, json.dumps(body).encode(), headers)


def on_every(number: int, applies: Callable[[Seen], bool], fault: Fault) -> Callable[[Seen], Fault]:
    """Returns a rule that strikes each `number`-th request that it applies to."""
    count = 0

    def rule(seen: Seen) -> Fault:
        nonlocal count
        if not applies(seen):
            return None
        count += 1
        return fault if count % number == 0 else None

    return rule


def first_times(times: int, applies: Callable[[Seen], bool], fault: Fault) -> Callable[[Seen], Fault]:
    """Returns a rule that strikes the first so many requests that it applies to."""
    left = times

    def rule(seen: Seen) -> Fault:
        nonlocal left
        if left <= 0 or not applies(seen):
            return None
        left -= 1
        return fault

    return rule


class FaultProxy:
    """Listens while entered; `refuse` and `accept` close and open the port, which stays the same."""

    def __init__(self, upstream: Access) -> None:
        self.fault_for: Callable[[Seen], Fault] = no_fault
        self.seen: list[Seen] = []
        self.answers: list[tuple[Seen, int]] = []
        """Requests that were passed on as they are, with the code of the answer."""
        self.port = 0
        self._upstream = upstream
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "FaultProxy":
        await self.accept()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.refuse()

    def access(self, *, token: str = "", token_file: str = "") -> Access:
        """Returns how a client reaches the server through this proxy; whatever token it shows is replaced."""
        return Access(f"http://127.0.0.1:{self.port}", token=token, token_file=token_file, context="behind-the-proxy")

    async def accept(self) -> None:
        """Listens again."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, limit=_LIMIT)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Cuts every connection and listens no more: the server is down."""
        if self._server is not None:
            self._server.close()
            await self.cut()
            await self._server.wait_closed()
            self._server = None
            # A connection that was aborted is closed in the next turn of the loop, which may be the last one.
            for _ in range(3):
                await asyncio.sleep(0)

    async def cut(self) -> None:
        """Cuts every connection."""
        tasks = list(self._connections)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                while (seen := await _read_request(reader)) is not None and await self._serve(seen, writer):
                    pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        """Treats one request; tells whether the connection may serve another."""
        self.seen.append(seen)
        fault = self.fault_for(seen)
        if isinstance(fault, Reply):
            writer.write(_written_reply(fault))
            await writer.drain()
            return True
        if isinstance(fault, Hold):
            await fault.until.wait()
        upstream_reader, upstream_writer = await self._forward(seen)
        try:
            if isinstance(fault, CutAfterForwarding):
                await upstream_reader.read()
            elif isinstance(fault, GoSilent):
                await _pass_some(upstream_reader, writer, fault.after_lines)
                await asyncio.Event().wait()
            elif isinstance(fault, Rewrite):
                await _pass_lines(upstream_reader, writer, fault.lines)
            else:
                self.answers.append((seen, await _pass_head(upstream_reader, writer)))
                await _pass_all(upstream_reader, writer)
        finally:
            upstream_writer.transport.abort()
        return False

    async def _forward(self, seen: Seen) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self._upstream.server)
        context = tls_context(self._upstream.tls) if self._upstream.is_secure else None
        opening = asyncio.ensure_future(asyncio.open_connection(parts.hostname, parts.port, ssl=context, limit=_LIMIT))
        try:
            reader, writer = await asyncio.shield(opening)
        except asyncio.CancelledError:
            # A handshake that is cancelled half-way leaves its socket open.
            _, writer = await opening
            writer.transport.abort()
            raise
        kept = {k: v for k, v in seen.headers.items() if k not in ("authorization", "connection", "host")}
        credentials = Credentials(self._upstream)
        credentials.refresh()
        headers = {**kept, "Host": parts.netloc, "Connection": "close", **credentials.headers()}
        head = f"{seen.method} {seen.path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        try:
            writer.write(head.encode() + b"\r\n" + seen.body)
            await writer.drain()
        except BaseException:
            writer.transport.abort()
            raise
        return reader, writer


async def _read_request(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
    return Seen(method, target, query, headers, body)


def _written_reply(fault: Reply) -> bytes:
    headers = (("Content-Type", "application/json"), ("Content-Length", str(len(fault.body))), *fault.headers)
    head = f"HTTP/1.1 {fault.status} Injected\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers)
    return head.encode() + b"\r\n" + fault.body


async def _pass_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """Passes on the first line of an answer and returns the code in it, 0 when there was none."""
    line = await reader.readline()
    writer.write(line)
    return int(line.split(b" ")[1]) if line else 0


async def _pass_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def _pass_lines(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rewrite: Callable[[bytes], list[bytes] | None]
) -> None:
    """Passes a chunked stream on line by line; ends it properly, or returns early when `rewrite` gives None."""
    writer.write(await reader.readuntil(b"\r\n\r\n"))
    await writer.drain()
    splitter = LineSplitter()
    while (size := int((await reader.readline()).split(b";")[0] or b"0", 16)) > 0:
        data = await reader.readexactly(size)
        await reader.readexactly(2)
        for line in splitter.feed(data):
            passed = rewrite(line)
            if passed is None:
                return
            for one in passed:
                writer.write(b"%x\r\n%b\n\r\n" % (len(one) + 1, one))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _pass_some(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lines: int) -> None:
    """Passes on the head of an answer and so many lines of its stream."""
    if lines == 0:
        writer.write(await reader.readuntil(b"\r\n\r\n"))
        await writer.drain()
        return
    left = lines

    def rewrite(line: bytes) -> list[bytes] | None:
        nonlocal left
        if left <= 0:
            return None
        left -= 1
        return [line]

    await _pass_lines(reader, writer, rewrite)

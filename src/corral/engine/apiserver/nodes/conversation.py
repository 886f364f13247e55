"""One question to the endpoint of a node, over TLS, and its answer as a stream.

A node signs its own certificate, so it is known by the fingerprint that its Node object tells, which only those can write
who hold our token. A node that tells none is asked without the token, and either is asked on the loopback address only, where
nobody but this machine can answer. What is held of an answer is bounded: the next piece is read when the last was taken.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import socket
import ssl
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import TypeVar

import httptools

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.response import BrokenOffError
from corral.engine.apiserver.nodes.location import Endpoint
from corral.engine.apiserver.nodes.refusals import unreachable

CONNECT_SECONDS = 10.0
HEAD_SECONDS = 30.0
"""How long a node may take to begin its answer; a log that is followed begins at once, even when it is empty."""
PIECE_BYTES = 64 << 10
MOST_REFUSAL_BYTES = 50_000

_Reply = TypeVar("_Reply")
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NodeAnswer:
    """An answer that has begun: its status, and its body as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.status = 0
        self._reader = reader
        self._writer = writer
        self._parser = httptools.HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._has_head = False
        self._is_complete = False
        self._is_aborted = False

    async def begin(self, already: bytes = b"") -> None:
        """Reads up to the end of the head, some of which may have been read already."""
        if already:
            self._parser.feed_data(already)
        while not self._has_head and await self._read():
            pass
        if not self._has_head:
            raise EOFError
        self.status = self._parser.get_status_code()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yields the body until it ends or `abort` ends it; BrokenOffError when the node ends it in the midst.

        A real server tells no difference between these. Whoever follows a log to its last word must know whether it is that.
        """
        try:
            while True:
                taken, self._pieces = self._pieces, []
                for piece in taken:
                    yield piece
                if self._is_complete:
                    return
                if not (self._pieces or await self._read()):
                    if self._is_aborted:
                        return
                    raise BrokenOffError
        finally:
            self.abort()

    async def text(self) -> str:
        """Returns the body of a refusal, cut when it is long."""
        said = b""
        with suppress(BrokenOffError):
            async for piece in self.pieces():
                said += piece
                if len(said) >= MOST_REFUSAL_BYTES:
                    break
        return said[:MOST_REFUSAL_BYTES].decode("utf-8", "replace")

    def abort(self) -> None:
        """Closes the connection at once; harmless when it is closed."""
        self._is_aborted = True
        self._writer.transport.abort()

    async def _read(self) -> bool:
        """Reads one piece and parses it; says whether the connection may have more."""
        try:
            data = await self._reader.read(PIECE_BYTES)
            if data:
                self._parser.feed_data(data)
        except (OSError, httptools.HttpParserError):
            return False
        return bool(data)

    # --- what the parser calls ---

    def on_headers_complete(self) -> None:
        """Notes that the head is whole."""
        self._has_head = True

    def on_body(self, body: bytes) -> None:
        """Keeps a piece of the body."""
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        """Notes that the body is whole."""
        self._is_complete = True


async def ask(endpoint: Endpoint, target: str, token: str = "") -> NodeAnswer:
    """Returns a node's answer to GET `target`; 500, in the real words, when it cannot be asked."""
    url = f"https://{endpoint}{target}"
    reader, writer = await connected(endpoint, url)
    answer = NodeAnswer(reader, writer)
    try:
        writer.write(head_of("GET", target, endpoint, token, "Connection: close"))
        async with asyncio.timeout(HEAD_SECONDS):
            await answer.begin()
    except BaseException as error:
        answer.abort()
        if isinstance(error, TimeoutError):
            raise unreachable(url, "net/http: timeout awaiting response headers") from None
        if isinstance(error, (EOFError, OSError)):
            raise unreachable(url, "EOF") from None
        raise
    return answer


async def unless_gone(asking: Coroutine[None, None, _Reply], gone: asyncio.Future[None]) -> _Reply:
    """Returns what a node is asked for; gives up the question when the client does."""
    question = asyncio.ensure_future(asking)
    try:
        await asyncio.wait((question, gone), return_when=asyncio.FIRST_COMPLETED)
        if not question.done():
            raise failures.bad_request("the client went away before the node answered")
        return question.result()
    finally:
        question.cancel()


def head_of(method: str, target: str, endpoint: Endpoint, token: str, *more: str) -> bytes:
    """Returns the head of a request; the token is for a node that is known by its certificate, and for nobody else."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {endpoint}", "User-Agent: corral", *more]
    if token and endpoint.fingerprint:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "\r\n"]).encode("latin-1")


async def connected(endpoint: Endpoint, url: str) -> Connection:
    """Returns a connection to a node whose certificate is the one that it told, if it told one."""
    address = await _address(endpoint, url)
    reader, writer = await _connected(address, endpoint, url)
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True) or b""
    if endpoint.fingerprint and not hmac.compare_digest(hashlib.sha256(shown).hexdigest(), endpoint.fingerprint):
        writer.transport.abort()
        raise unreachable(url, "tls: the certificate is not the one that the node has told")
    return reader, writer


async def _address(endpoint: Endpoint, url: str) -> str:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except OSError:
        raise unreachable(url, f"dial tcp: lookup {endpoint.host}: no such host") from None
    addresses = [str(each[4][0]) for each in found]
    local = next((each for each in addresses if ipaddress.ip_address(each).is_loopback), None)
    if local is None:
        raise unreachable(url, f"{addresses[0]} is not on this machine, and its certificate cannot be checked")
    return local


async def _connected(address: str, endpoint: Endpoint, url: str) -> Connection:
    place = Endpoint(address, endpoint.port)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await asyncio.open_connection(
                address, endpoint.port, ssl=_without_verification(), limit=PIECE_BYTES, server_hostname=""
            )
    except TimeoutError:
        raise unreachable(url, f"dial tcp {place}: i/o timeout") from None
    except ConnectionRefusedError:
        raise unreachable(url, f"dial tcp {place}: connect: connection refused") from None
    except ssl.SSLError as error:
        raise unreachable(url, f"tls: {error.reason or 'handshake failure'}") from None
    except OSError as error:
        raise unreachable(url, f"dial tcp {place}: {error.strerror or error}") from None


def _without_verification() -> ssl.SSLContext:
    """Returns a context for the loopback address only, see `_address`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

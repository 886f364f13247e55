"""Answers: a finished body, or a stream of watch events."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.http.negotiation import Form
from corral.engine.apiserver.http.parts import GROUP_BYTES, Parts
from corral.engine.apiserver.http.request import Send
from corral.engine.apiserver.http.tunnel import Tunnel
from corral.engine.apiserver.http.yaml_text import yaml_text

_encode = msgspec.json.Encoder().encode

JSON_TYPE = b"application/json"
STEP_BYTES = 16 << 10
"""How much is turned into YAML between two turns of the event loop; more at once goes to a thread."""


class Response:
    """A finished answer."""

    __slots__ = ("body", "content_type", "headers", "parts", "status")

    def __init__(self, status: int, body: bytes, content_type: bytes = JSON_TYPE, parts: Parts | None = None) -> None:
        self.status = status
        self.body = body
        self.parts = parts  # what comes before the body, where it is long
        self.content_type = content_type
        self.headers: list[tuple[bytes, bytes]] = []

    async def send(self, send: Send) -> None:
        """Writes the answer; a long one piece by piece, as fast as the client takes them."""
        size = len(self.body) + (self.parts.size if self.parts else 0)
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": [
                    (b"content-type", self.content_type),
                    (b"content-length", b"%d" % size),
                    (b"cache-control", b"no-cache, private"),
                    *self.headers,
                ],
            }
        )
        if self.parts is not None:
            for group in self.parts.groups():
                await send({"type": "http.response.body", "body": group, "more_body": True})
        await send({"type": "http.response.body", "body": self.body})


class YamlResponse(Response):
    """A finished answer that is written as YAML, in steps so short that no other client waits for it."""

    __slots__ = ("_json",)

    def __init__(self, status: int, source: bytes | Parts) -> None:
        super().__init__(status, b"", b"application/yaml")
        self._json = source

    async def send(self, send: Send) -> None:
        """Writes a short answer at once, a long list item by item."""
        if not isinstance(self._json, Parts) or self._json.size <= STEP_BYTES:
            source = self._json if isinstance(self._json, bytes) else self._json.joined()
            self.body = (await _as_yaml(source)).encode()
            await super().send(send)
            return
        stream = Stream(_listed(self._json), self.content_type, ended=lambda: None)
        stream.status, stream.headers = self.status, self.headers
        await stream.send(send)


async def _listed(parts: Parts) -> AsyncGenerator[bytes, None]:
    """Yields a list as YAML, its last field first: that one is long, and the others are not."""
    frame: dict[str, Any] = msgspec.json.decode(parts.frame())
    name, _ = frame.popitem()
    texts, size = [f"{name}:\n"], 0
    for item in parts.items():
        texts.append(await _as_yaml(item, in_list=True))
        size += len(texts[-1])
        if size > STEP_BYTES:
            yield "".join(texts).encode()
            texts, size = [], 0
            await asyncio.sleep(0)  # a client that takes everything at once leaves no other pause
    yield ("".join(texts) + yaml_text(frame)).encode()


async def _as_yaml(source: bytes, in_list: bool = False) -> str:
    def rendered() -> str:
        value = msgspec.json.decode(source)
        return yaml_text([value] if in_list else value)

    return rendered() if len(source) <= STEP_BYTES else await asyncio.to_thread(rendered)


class BrokenOffError(Exception):
    """The source of a stream has ended before its end."""


class Stream:
    """An answer that goes on: chunks are sent as they come, until the source ends or the client goes."""

    __slots__ = ("chunks", "content_type", "ended", "headers", "status")

    def __init__(
        self, chunks: AsyncGenerator[bytes, None], content_type: bytes = JSON_TYPE, *, ended: Callable[[], object]
    ) -> None:
        self.status = 200
        self.chunks = chunks
        self.ended = ended  # called once it is over, even when not a byte was sent
        self.content_type = content_type
        self.headers: list[tuple[bytes, bytes]] = []

    async def send(self, send: Send) -> None:
        """Writes the head at once, so that the client knows it is connected, then every chunk.

        A source that breaks off leaves the answer without an end: the connection is closed, which the client can tell from one.
        """
        headers = [(b"content-type", self.content_type), (b"cache-control", b"no-cache, private"), *self.headers]
        try:
            async with aclosing(self.chunks) as chunks:
                await send({"type": "http.response.start", "status": self.status, "headers": headers})
                await send({"type": "http.response.body", "body": b"", "more_body": True})
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        except BrokenOffError:
            # Whoever serves this answer closes what was not completed, and logs it.
            return
        finally:
            self.ended()


Answer = Response | Stream | Tunnel


def document(status: int, content: Any, form: Form | None = None) -> Response:
    """Returns an answer with an object as JSON, or as YAML when the form says so."""
    return encoded(status, _encode(content), form)


def encoded(status: int, body: bytes | Parts, form: Form | None = None) -> Response:
    """Returns an answer with an object that is JSON already, turned into YAML when the form says so."""
    if form is not None and form.yaml:
        return YamlResponse(status, body)
    if isinstance(body, Parts):
        if body.size > GROUP_BYTES:
            return Response(status, b"", parts=body)
        body = body.joined()
    return Response(status, body)


def text(status: int, content: str) -> Response:
    """Returns a plain text answer."""
    return Response(status, content.encode(), b"text/plain; charset=utf-8")


def failed(failure: ApiFailure) -> Response:
    """Returns the Status of a failure."""
    answer = document(failure.code, failure.status())
    if failure.retry_after is not None:
        answer.headers.append((b"retry-after", b"%d" % failure.retry_after))
    answer.headers += [warning_header(warning) for warning in failure.warnings]
    return answer


def warning_header(text: str) -> tuple[bytes, bytes]:
    """Returns the header in which clients find a warning; control characters cannot end it early."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    quoted = printable.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "replace")
    return b"warning", b'299 - "' + quoted + b'"'

"""Answers: a finished body, or a stream of watch events."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import msgspec

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.http.negotiation import Form
from corral.engine.apiserver.http.parts import GROUP_BYTES, Parts
from corral.engine.apiserver.http.request import Send

_encode = msgspec.json.Encoder().encode

JSON_TYPE = b"application/json"


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
        """Writes the head at once, so that the client knows it is connected, then every chunk."""
        headers = [(b"content-type", self.content_type), (b"cache-control", b"no-cache, private"), *self.headers]
        try:
            async with aclosing(self.chunks) as chunks:
                await send({"type": "http.response.start", "status": self.status, "headers": headers})
                await send({"type": "http.response.body", "body": b"", "more_body": True})
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        finally:
            self.ended()


Answer = Response | Stream


def document(status: int, content: Any, form: Form | None = None) -> Response:
    """Returns an answer with an object as JSON, or as YAML when the form says so."""
    return encoded(status, _encode(content), form)


def encoded(status: int, body: bytes | Parts, form: Form | None = None) -> Response:
    """Returns an answer with an object that is JSON already, turned into YAML when the form says so."""
    if isinstance(body, Parts):
        if body.size > GROUP_BYTES and not (form is not None and form.yaml):
            return Response(status, b"", parts=body)
        body = body.joined()
    if form is not None and form.yaml:
        return Response(status, _as_yaml(body), b"application/yaml")
    return Response(status, body)


def _as_yaml(body: bytes) -> bytes:
    import yaml  # here, because few clients want YAML and importing it takes a tenth of the start

    text: str = yaml.dump(msgspec.json.decode(body), Dumper=yaml.CSafeDumper, sort_keys=True, allow_unicode=True)
    return text.encode()


def text(status: int, content: str) -> Response:
    """Returns a plain text answer."""
    return Response(status, content.encode(), b"text/plain; charset=utf-8")


def failed(failure: ApiFailure) -> Response:
    """Returns the Status of a failure."""
    answer = document(failure.code, failure.status())
    if failure.retry_after is not None:
        answer.headers.append((b"retry-after", b"%d" % failure.retry_after))
    return answer

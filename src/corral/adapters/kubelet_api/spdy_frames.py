"""SPDY/3.1, as far as Kubernetes speaks it: frames out of bytes and bytes out of frames. Pure.

kube-apiserver and older clients run commands over it. Of the protocol they use streams with headers, data, pings and
farewells; there is no flow control beside that of the connection. Data is told as it comes, however long its frame is, and
what is held of any other frame is bounded.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

MOST_CONTROL_BYTES = 64 << 10
MOST_HEADER_BYTES = 64 << 10
_FIN = 0x01
_CONTROL, _VERSION = 0x8000, 3
_SYN_STREAM, _SYN_REPLY, _RESET, _PING, _GO_AWAY = 1, 2, 3, 6, 7
_REFUSED = 3
_HEAD = struct.Struct(">II")
_NUMBER = struct.Struct(">I")
_STREAM = 0x7FFF_FFFF
_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status"
)
_TAIL = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized"
    "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,"
    "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)


def dictionary() -> bytes:
    """Returns what both sides take for said when they compress headers: 1423 bytes that the protocol prescribes."""
    words = [*_WORDS.split(), "200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"]
    return b"".join(_NUMBER.pack(len(word)) + word.encode() for word in words) + _TAIL.encode()


class SpdyError(Exception):
    """The other side does not speak the protocol."""


class Opened(NamedTuple):
    """A stream was opened; header names are in small letters."""

    stream: int
    headers: dict[str, str]


class Told(NamedTuple):
    """Something came on a stream; nothing more does when it is the last."""

    stream: int
    data: bytes
    is_last: bool


class Pinged(NamedTuple):
    """The other side wants to know whether we are there."""

    number: int


class GoneAway(NamedTuple):
    """The other side says farewell."""


Event = Opened | Told | Pinged | GoneAway


class SpdyReader:
    """Makes events out of what one side sends."""

    def __init__(self) -> None:
        self._held = b""
        self._data: tuple[int, int, bool] | None = None
        """The stream, what is left of its frame, and whether that frame is its last."""
        self._headers = zlib.decompressobj(zdict=dictionary())

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yields what follows from further bytes."""
        self._held += data
        while True:
            if self._data is not None:
                if not (self._held or self._data[1] == 0):
                    return
                yield self._told()
            elif len(self._held) < _HEAD.size:
                return
            else:
                first, second = _HEAD.unpack_from(self._held)
                flags, length = second >> 24, second & 0xFF_FFFF
                if first >> 31 == 0:
                    self._held = self._held[_HEAD.size :]
                    self._data = (first & _STREAM, length, bool(flags & _FIN))
                    continue
                if length > MOST_CONTROL_BYTES or first >> 16 != _CONTROL | _VERSION:
                    raise SpdyError("a frame that is none")
                if len(self._held) < _HEAD.size + length:
                    return
                payload = self._held[_HEAD.size : _HEAD.size + length]
                self._held = self._held[_HEAD.size + length :]
                yield from self._control(first & 0xFFFF, flags, payload)

    def _told(self) -> Told:
        assert self._data is not None
        stream, left, is_last = self._data
        piece, self._held = self._held[:left], self._held[left:]
        left -= len(piece)
        self._data = (stream, left, is_last) if left else None
        return Told(stream, piece, is_last and not left)

    def _control(self, kind: int, flags: int, payload: bytes) -> Iterator[Event]:
        try:
            if kind == _SYN_STREAM:
                stream = _NUMBER.unpack_from(payload)[0] & _STREAM
                yield Opened(stream, self._headers_in(payload[10:]))
                if flags & _FIN:
                    yield Told(stream, b"", is_last=True)
            elif kind == _RESET:
                yield Told(_NUMBER.unpack_from(payload)[0] & _STREAM, b"", is_last=True)
            elif kind == _PING:
                yield Pinged(_NUMBER.unpack_from(payload)[0])
            elif kind == _GO_AWAY:
                yield GoneAway()
        except (struct.error, zlib.error, UnicodeDecodeError) as problem:
            raise SpdyError(str(problem)) from None

    def _headers_in(self, block: bytes) -> dict[str, str]:
        raw = self._headers.decompress(block, MOST_HEADER_BYTES)
        if self._headers.unconsumed_tail:
            raise SpdyError("headers without an end")
        place, texts = _NUMBER.size, list[str]()
        for _ in range(2 * _NUMBER.unpack_from(raw)[0]):
            length = _NUMBER.unpack_from(raw, place)[0]
            place += _NUMBER.size
            if place + length > len(raw):
                raise SpdyError("a header that is cut")
            texts.append(raw[place : place + length].decode())
            place += length
        return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}


class SpdyWriter:
    """Makes the frames of a server."""

    def __init__(self) -> None:
        self._headers = zlib.compressobj(zdict=dictionary())

    def reply(self, stream: int) -> bytes:
        """Accepts a stream, with no headers."""
        block = self._headers.compress(_NUMBER.pack(0)) + self._headers.flush(zlib.Z_SYNC_FLUSH)
        return _control(_SYN_REPLY, _NUMBER.pack(stream) + block)

    def refuse(self, stream: int) -> bytes:
        """Refuses a stream."""
        return _control(_RESET, _HEAD.pack(stream, _REFUSED))

    def data(self, stream: int, data: bytes, *, is_last: bool = False) -> bytes:
        """Tells something on a stream."""
        return _HEAD.pack(stream, (_FIN if is_last else 0) << 24 | len(data)) + data

    def ping(self, number: int) -> bytes:
        """Answers a ping."""
        return _control(_PING, _NUMBER.pack(number))

    def go_away(self, last_stream: int) -> bytes:
        """Says farewell."""
        return _control(_GO_AWAY, _HEAD.pack(last_stream, 0))


def _control(kind: int, payload: bytes) -> bytes:
    return _HEAD.pack((_CONTROL | _VERSION) << 16 | kind, len(payload)) + payload

"""HTTP/1.1 as far as an API server speaks it: requests written, answers read, on a connection that is open already.

The library's own client reads heads as if they were letters, with all that electronic mail has become; to load that takes as
long as half of a short command. Bodies come by their length, in chunks, or up to the end of the connection (RFC 9112).
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, Protocol

MAX_HEAD: Final = 256 << 10
"""No head of an answer is longer."""
_PART: Final = 4 << 20
"""So much is taken from a body at a time, whatever length the other side promises."""
_READ: Final = 64 << 10
_MAX_LINE: Final = 8 << 10


class BadHttpError(Exception):
    """The other side does not speak HTTP, or ended in the midst of an answer."""


class Source(Protocol):
    """What answers are read from: a socket, with or without TLS."""

    def recv(self, limit: int, /) -> bytes:
        """Returns what has arrived, nothing at the end."""

    def recv_into(self, buffer: memoryview, /) -> int:
        """Puts what has arrived into a buffer and tells how much that is, 0 at the end."""


def request(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """Returns a request as it is sent; a header that would be several is a ValueError."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    if any(not line.isprintable() for line in lines):
        raise ValueError("a header has signs that none may have")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


class Inlet:
    """What arrives on a connection, and how much of it was not asked for yet."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._data = b""
        self._at = 0

    @property
    def is_empty(self) -> bool:
        """Whether everything that arrived was asked for."""
        return self._at == len(self._data)

    def until(self, end: bytes, limit: int) -> bytes:
        """Returns everything before `end`, and skips that."""
        while (found := self._data.find(end, self._at)) < 0:
            if len(self._data) - self._at > limit:
                raise BadHttpError("it sent a head without an end")
            self._data, self._at = self._data[self._at :] + self._arrived(_READ), 0
        taken = self._data[self._at : found]
        self._at = found + len(end)
        return taken

    def some(self, limit: int) -> bytes:
        """Returns what is there, up to a limit, or waits for it; the end is an error."""
        if self.is_empty:
            return self._arrived(limit)
        taken = self._data[self._at : self._at + limit]
        self._at += len(taken)
        return taken

    def exactly(self, size: int) -> bytes:
        """Returns so many bytes."""
        if self._at + size <= len(self._data):
            self._at += size
            return self._data[self._at - size : self._at]
        whole = bytearray(size)
        filled, at = memoryview(whole), len(self._data) - self._at
        filled[:at] = self._data[self._at :]
        self._data, self._at = b"", 0
        while at < size:
            count = self._source.recv_into(filled[at:])
            if not count:
                raise _cut_short()
            at += count
        return bytes(whole)

    def to_the_end(self) -> Iterator[bytes]:
        """Yields what comes until the connection ends."""
        if not self.is_empty:
            yield self.some(len(self._data))
        while data := self._source.recv(_READ):
            yield data

    def _arrived(self, limit: int) -> bytes:
        data = self._source.recv(limit)
        if not data:
            raise _cut_short()
        return data


def _cut_short() -> BadHttpError:
    return BadHttpError("the connection ended before the answer did")


class Head(NamedTuple):
    """The beginning of an answer: its status, and its headers as they came, with names in lower case."""

    status: int
    headers: tuple[tuple[str, str], ...]
    is_old: bool
    """Whether it speaks HTTP/1.0, which ends the connection with the answer unless it says otherwise."""

    def all(self, name: str) -> list[str]:
        """Returns every value of a header."""
        return [value for one, value in self.headers if one == name]

    def has_word(self, name: str, word: str) -> bool:
        """Whether a header is a list that has a word."""
        return any(one.strip() == word for value in self.all(name) for one in value.lower().split(","))


class Response:
    """An answer whose head was read; its body waits to be, in one way or the other, and once."""

    def __init__(self, inlet: Inlet, head: Head, method: str) -> None:
        self._inlet = inlet
        self.head = head
        self._is_chunked, self._length = _framing(head, method)
        self.ends_connection = (
            (self._length is None and not self._is_chunked)
            or head.has_word("connection", "close")
            or (head.is_old and not head.has_word("connection", "keep-alive"))
        )

    def body(self) -> bytes:
        """Returns the whole body."""
        if self._length is not None and self._length <= _PART:
            return self._inlet.exactly(self._length)
        return b"".join(self.pieces())

    def pieces(self, limit: int = 256 << 10) -> Iterator[bytes]:
        """Yields the body as it comes, in pieces up to a limit."""
        if self._is_chunked:
            yield from self._chunks(limit)
        elif self._length is None:
            yield from self._inlet.to_the_end()
        else:
            yield from self._counted(self._length, limit)

    def _chunks(self, limit: int) -> Iterator[bytes]:
        while size := _size_of_chunk(self._inlet.until(b"\r\n", _MAX_LINE)):
            yield from self._counted(size, limit)
            if self._inlet.exactly(2) != b"\r\n":
                raise BadHttpError("it sent a chunk that is longer than it said")
        while self._inlet.until(b"\r\n", _MAX_LINE):
            pass  # a trailer, which nobody asked for

    def _counted(self, size: int, limit: int) -> Iterator[bytes]:
        while size:
            data = self._inlet.some(min(size, limit))
            size -= len(data)
            yield data


def response(inlet: Inlet, method: str) -> Response:
    """Reads the head of the answer to a request; interim answers are passed over."""
    while True:
        head = _head(inlet.until(b"\r\n\r\n", MAX_HEAD))
        if head.status >= 200 or head.status == 101:
            return Response(inlet, head, method)


def _head(raw: bytes) -> Head:
    first, *lines = raw.decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    if not version.startswith("HTTP/1.") or not (status.isascii() and status.isdigit() and len(status) == 3):
        raise BadHttpError("it does not speak HTTP")
    return Head(int(status), tuple(map(_header, lines)), version == "HTTP/1.0")


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name or name != name.strip():
        raise BadHttpError("it sent a head that is not of HTTP")
    return name.lower(), value.strip()


def _framing(head: Head, method: str) -> tuple[bool, int | None]:
    """Returns whether the body comes in chunks, and else its length, None when the end of the connection is its end."""
    if method == "HEAD" or head.status in (101, 204, 304):
        return False, 0
    if head.all("transfer-encoding"):
        return head.has_word("transfer-encoding", "chunked"), None
    lengths = {one.strip() for value in head.all("content-length") for one in value.split(",")}
    if not lengths:
        return False, None
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdigit()):
        raise BadHttpError("it does not say how long its answer is")
    return False, int(length)


def _size_of_chunk(line: bytes) -> int:
    digits = line.partition(b";")[0].strip().lower()
    if not digits or digits.strip(b"0123456789abcdef"):
        raise BadHttpError("it sent a chunk without a length")
    return int(digits, 16)

"""The client of both servers: HTTP/1.1 over one kept connection, as lean as Python allows.

Both servers share two cores with their clients, so whatever a client wastes is taken from the server. Requests are made
before the clock starts, answers are read and not parsed.
"""

import socket
import ssl
from dataclasses import dataclass

RECEIVE_BYTES = 1 << 20
JSON = "application/json"


@dataclass(frozen=True)
class Address:
    """Where a server listens and what it asks for; with an authority it speaks TLS."""

    host: str
    port: int
    token: str
    authority: str | None = None

    def request(self, method: str, path: str, body: bytes = b"", kind: str = JSON, accept: str = JSON) -> bytes:
        """Returns the bytes of one request."""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Authorization: Bearer {self.token}",
            "User-Agent: corral-bench/1",
            f"Accept: {accept}",
        ]
        if body:
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Refused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """A server gave another answer than a measure may count."""


class Connection:
    """One connection, kept open."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.socket = opened(address)

    def exchange(self, request: bytes) -> tuple[int, bytes]:
        """Sends a request and returns status and raw body (chunk sizes included, where the server uses them)."""
        self.socket.sendall(request)
        first = self.socket.recv(RECEIVE_BYTES)
        end = first.find(b"\r\n\r\n")
        while end < 0:
            more = self.socket.recv(RECEIVE_BYTES)
            if not more:
                raise Refused("the server closed the connection")
            first += more
            end = first.find(b"\r\n\r\n")
        head, rest = first[:end].lower(), first[end + 4 :]
        status = int(head[9:12])
        at = head.find(b"content-length:")
        if at >= 0:
            return status, self._sized(rest, int(head[at + 15 :].split(b"\r\n", 1)[0]))
        return status, self._chunked(rest)

    def expect(self, request: bytes, *wanted: int) -> bytes:
        """Returns the body of an answer whose status must be one of those wanted."""
        status, body = self.exchange(request)
        if status not in wanted:
            raise Refused(f"{request.split(b' HTTP', 1)[0].decode()}: {status} {body[:300].decode(errors='replace')}")
        return body

    def close(self) -> None:
        """Closes the connection."""
        self.socket.close()

    def _sized(self, body: bytes, size: int) -> bytes:
        if len(body) >= size:
            return body
        parts, missing = [body], size - len(body)
        while missing > 0:
            parts.append(self._more())
            missing -= len(parts[-1])
        return b"".join(parts)

    def _chunked(self, body: bytes) -> bytes:
        """JSON holds no raw line ends, so what ends like the last chunk is the last chunk."""
        parts, tail = [body], body[-7:]
        while not tail.endswith(b"0\r\n\r\n"):
            parts.append(self._more())
            tail = (tail + parts[-1])[-7:]
        return b"".join(parts)

    def _more(self) -> bytes:
        more = self.socket.recv(RECEIVE_BYTES)
        if not more:
            raise Refused("the server closed the connection in the middle of an answer")
        return more


def opened(address: Address) -> socket.socket:
    """Returns a connected socket, with TLS where the address has an authority."""
    plain = socket.create_connection((address.host, address.port), timeout=120)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if address.authority is None:
        return plain
    return ssl.create_default_context(cafile=address.authority).wrap_socket(plain, server_hostname=address.host)


def unchunked(body: bytes) -> bytes:
    """Returns the content of a body that came in chunks, or the body as it is when it did not."""
    if not body or body[:1] == b"{":
        return body
    parts: list[bytes] = []
    at = 0
    while True:
        line = body.index(b"\r\n", at)
        size = int(body[at:line], 16)
        if not size:
            return b"".join(parts)
        parts.append(body[line + 2 : line + 2 + size])
        at = line + 2 + size + 2

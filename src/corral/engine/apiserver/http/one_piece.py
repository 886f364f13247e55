"""Answers leave at once and in one piece.

uvicorn writes head and body apart. With Nagle's delay on (asyncio leaves it on for a listener that names no protocol
number) the body would wait 40 ms for the acknowledgement of the head; without it, both would cost a packet and a wake-up.
"""

import asyncio
import socket

LARGE_BYTES = 64 << 10
"""From here on, joining a head to its body costs more than a packet of its own."""


class OnePiece:
    """A transport that holds the head of an answer until its body comes."""

    __slots__ = ("_head", "_transport", "get_extra_info", "is_closing")

    def __init__(self, transport: asyncio.Transport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._transport = transport
        self._head = b""
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def write(self, data: bytes) -> None:
        """Writes what it holds and what it is given, unless that is a head: then it holds that."""
        if self._head:
            head, self._head = self._head, b""
            if len(data) > LARGE_BYTES:
                self._transport.write(head)
            else:
                data = head + data
        elif data[-4:] == b"\r\n\r\n" and data[:9] == b"HTTP/1.1 " and data[9:12] != b"100":
            self._head = data
            return
        if data:
            self._transport.write(data)

    def flush(self) -> None:
        """Writes a head that no body followed."""
        if self._head:
            self.write(b"")

    def released(self) -> asyncio.Transport:
        """Returns the transport itself, to be written to directly from now on."""
        self.flush()
        return self._transport

    def close(self) -> None:
        """Writes what is held and closes."""
        self.flush()
        self._transport.close()

    def abort(self) -> None:
        """Closes at once and forgets what is held."""
        self._head = b""
        self._transport.abort()

"""A connection that speaks HTTP no more: streams over its transport, for what was agreed on with an upgrade."""

import asyncio
from collections.abc import Callable

BUFFER_BYTES = 64 << 10
"""What is held of either direction; whoever sends more waits."""


class RawConnection:
    """Bytes from and to a client, as they are."""

    def __init__(self, transport: asyncio.Transport, early: bytes, ended: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self.reader = asyncio.StreamReader(BUFFER_BYTES, loop)
        protocol = asyncio.StreamReaderProtocol(self.reader, loop=loop)
        transport.set_write_buffer_limits(BUFFER_BYTES)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if early:
            self.reader.feed_data(early)
        transport.resume_reading()
        self.writer = asyncio.StreamWriter(transport, protocol, self.reader, loop)
        self._ended = ended

    def close(self) -> None:
        """Closes it once everything that was written is sent; to be called in any case, and only once."""
        self.writer.close()
        self._ended()

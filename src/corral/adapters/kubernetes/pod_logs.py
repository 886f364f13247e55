"""Reading the latest lines of pods through the API server's `pods/log`."""

import re
from contextlib import aclosing

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.kinds.references import ObjectKey
from corral.ports.log_source import LogOptions

_TAIL_LINES = (2000, 50, 1)
"""How many lines are asked for; fewer, when so many were more than is read."""
_MOST_READ = 4 * 1024 * 1024
_SILENCE = 10.0
_ENDS = re.compile(rb"[\r\n]+")


class PodLogs:
    """Implements `LogSource` over a client.

    The server can limit the size too, but then it sends the beginning of the last lines, and the latest is at their end.
    """

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def recent_lines(self, key: ObjectKey, container: str, since_seconds: int, limit_bytes: int) -> list[str]:
        """Returns the whole lines at the end of the last seconds; nothing when a single line is longer than is read."""
        for lines in _TAIL_LINES:
            options = LogOptions(container=container, since_seconds=max(since_seconds, 1), tail_lines=lines)
            end = await self._end(key, options, max(limit_bytes, 1))
            if end is not None:
                return whole_lines(end)
        return []

    async def _end(self, key: ObjectKey, options: LogOptions, limit_bytes: int) -> bytes | None:
        """Returns the end of what the server sends, from the beginning of a line; None when that goes on and on."""
        kept, size = bytearray(), 0
        async with aclosing(self._client.logs(key, options, quiet_limit=_SILENCE)) as stream:
            async for piece in stream:
                size += len(piece)
                if size > _MOST_READ:
                    return None
                kept += piece
                del kept[:-limit_bytes]
        if size <= limit_bytes:
            return bytes(kept)
        begin = _ENDS.search(kept)
        return bytes(kept[begin.end() :]) if begin else b""


def whole_lines(text: bytes) -> list[str]:
    """Returns the lines that have ended, without empty ones."""
    *ended, _ = _ENDS.split(text)
    return [line.decode(errors="replace") for line in ended if line]

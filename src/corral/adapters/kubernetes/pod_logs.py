"""Reading the latest lines of pods through the API server's `pods/log`."""

import re
from contextlib import aclosing

from corral.adapters.kubernetes.async_client import AsyncClient
from corral.adapters.kubernetes.calls import LogOptions
from corral.kinds.references import ObjectKey

_TAIL_LINES = 2000
_SILENCE = 10.0
_ENDS = re.compile(rb"[\r\n]+")


class PodLogs:
    """Implements `LogSource` over a client."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def recent_lines(self, key: ObjectKey, container: str, since_seconds: int, limit_bytes: int) -> list[str]:
        """Returns the whole lines of the last seconds; the server cuts by time, then to the last lines, then by size."""
        options = LogOptions(
            container=container,
            since_seconds=max(since_seconds, 1),
            tail_lines=_TAIL_LINES,
            limit_bytes=max(limit_bytes, 1),
        )
        pieces, size = [], 0
        async with aclosing(self._client.logs(key, options, quiet_limit=_SILENCE)) as stream:
            async for piece in stream:
                pieces.append(piece)
                size += len(piece)
                if size >= limit_bytes:  # a server that does not know the limit must not fill our memory
                    break
        return whole_lines(b"".join(pieces)[:limit_bytes])


def whole_lines(text: bytes) -> list[str]:
    """Returns the lines that have ended, without empty ones."""
    *ended, _ = _ENDS.split(text)
    return [line.decode(errors="replace") for line in ended if line]

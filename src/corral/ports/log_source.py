"""Reading logs of containers: which part of one is meant, and what the loops need, the latest lines and never all."""

from typing import Protocol

import msgspec

from corral.kinds.references import ObjectKey


class LogOptions(msgspec.Struct, frozen=True):
    """Which part of a container's log."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail_lines: int | None = None
    since_seconds: int | None = None
    since_time: str = ""
    limit_bytes: int | None = None


WHOLE_LOG = LogOptions()
"""From its first line to its present end."""


class LogSource(Protocol):
    """Reads what containers print."""

    async def recent_lines(self, key: ObjectKey, container: str, since_seconds: int, limit_bytes: int) -> list[str]:
        """Returns the whole lines of the last `since_seconds` of a pod's container, oldest first.

        Of more than `limit_bytes` the oldest are left out. A line that is still being printed is left out as well, since
        half a number is another number; `\\r` ends a line like `\\n`. Bytes that are no UTF-8 are replaced.

        Nothing printed is an empty list. A container that has not started is InvalidError, a pod that is gone is
        NotFoundError, a missing right ForbiddenError, and a node that cannot be reached one of the RetryErrors.
        Cancellable at any time; calling it twice may return the same lines twice.
        """

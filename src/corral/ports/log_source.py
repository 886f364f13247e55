"""What the loops need from logs: the latest lines of a container, never all of them."""

from typing import Protocol

from corral.kinds.references import ObjectKey


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

"""A server that does not answer: how long that is borne, and how long one waits before it is asked again."""

import time
from typing import Final

from corral.errors import CorralError, RetryError

GIVES_UP_AFTER: Final = 300.0
"""How long a server may be away, in seconds."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class Absence:
    """The time for which a server has been away, if it is."""

    def __init__(self, limit: float = GIVES_UP_AFTER) -> None:
        self._limit = limit
        self._since: float | None = None
        self._pause = _FIRST_PAUSE

    @property
    def lasts(self) -> float:
        """Returns for how many seconds it has lasted, 0 when the server is there."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def is_on(self) -> bool:
        """Whether the server is away."""
        return self._since is not None

    def bear(self, error: CorralError) -> None:
        """Takes note of trouble, and raises it when it is none that passes or lasts for too long."""
        self._since = time.monotonic() if self._since is None else self._since
        if not isinstance(error, RetryError) or self.lasts > self._limit:
            raise error

    def end(self) -> None:
        """Takes note that the server has answered."""
        self._since, self._pause = None, _FIRST_PAUSE

    def rest(self, most: float = _LONGEST_PAUSE) -> None:
        """Waits before the server is asked again: a little longer each time, but never longer than `most`."""
        time.sleep(max(0.0, min(self._pause, most)))
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

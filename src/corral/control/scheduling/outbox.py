"""What was decided and is not written yet, and how much of it the next write to the ledger takes. Pure.

An object of a server has a bound, so a write takes gangs, whole ones and in their order, as long as they fit beside what is not settled;
the others follow when that is. Nobody is bound who was not written, so nothing is lost with a scheduler that dies meanwhile.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from corral.control.scheduling.promises import Promises, group_name
from corral.kinds.scheduling.ledger import MOST_BYTES, Decision, size_of

_LEAST: Final = 1024


class Writing(NamedTuple):
    """What the next write is to hold."""

    rows: tuple[Decision, ...]
    fresh: tuple[Decision, ...]
    """Those of them that are written for the first time."""
    too_large: tuple[tuple[Decision, ...], ...] = ()
    """Gangs that do not even fit when they are alone."""


class Outbox:
    """Keeps decisions by gang until they are written."""

    def __init__(self) -> None:
        self._fresh: dict[str, list[Decision]] = {}
        self._budget = MOST_BYTES
        """How large rows may be by what the server was last seen to take."""

    def put(self, decisions: Iterable[Decision]) -> None:
        """Lets decisions be written."""
        for one in decisions:
            self._fresh.setdefault(group_name(one), []).append(one)

    def take(self, promises: Promises, taken: int) -> Writing:
        """Returns what the next write is to hold beside so many bytes of other things; what it leaves out stays here."""
        unwritten = {one.uid for group in self._fresh.values() for one in group}
        written = [one for one in promises.rows() if one.uid not in unwritten]
        budget = self._budget - taken
        size = size_of(written)
        fresh: list[Decision] = []
        too_large = []
        for name, group in list(self._fresh.items()):
            still = tuple(one for one in group if one.uid in promises)
            size += size_of(still)
            if size > budget:
                if written or fresh:
                    break
                too_large.append(still)
                size = 0
            else:
                fresh += still
            del self._fresh[name]
        return Writing((*written, *fresh), tuple(fresh), tuple(too_large))

    def was_written(self) -> None:
        """Notes that the server took a write: it may take more than was thought."""
        self._budget = min(2 * self._budget, MOST_BYTES)

    def was_refused(self, writing: Writing) -> None:
        """Notes that the server did not take a write, and keeps what was in it for a smaller one."""
        self._budget = max(size_of(writing.rows) // 2, _LEAST)
        later, self._fresh = self._fresh, {}
        self.put(writing.fresh)
        for group in later.values():
            self.put(group)

"""What is remembered from cycle to cycle, so that a cycle costs what changed; forgetting any of it changes no decision."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from corral.placement.admission.amounts import Pairs
from corral.placement.admission.backfill import QuotaKept
from corral.placement.admission.order import Class
from corral.placement.admission.reservation import Kept
from corral.placement.asks import Refusal

Tried = tuple[int, bool]
"""A shape, and whether it left seats alone that are kept for larger pods."""
SEARCH_REST = 10.0
"""Seconds after which a search for victims that found none is made again."""
_MOST = 4096


class Drain(NamedTuple):
    """Since when room drains for the first in line, and how long it may."""

    gang: str
    since: float
    length: float


_PAUSES = 3.0
"""So many times as long as room drained do others pass before it drains again."""


class Memory:
    """Everything here can be found out again, but for what was told and promised."""

    def __init__(self) -> None:
        self.told: dict[str, tuple[str, Pairs]] = {}
        """The code and the need that were last told of each gang that waits."""
        self.promised: dict[str, float] = {}
        """When a gang was to start, as was first said."""
        self.resized: dict[str, float] = {}
        """When each elastic gang last got another size, whoever gave it, or was told to have one."""
        self._sizes: dict[str, int] = {}
        """How many seats each elastic gang had when that was last looked at."""
        self.placements = 0
        """Gangs admitted since the last move, as far as they count for the next."""
        self.refused: dict[Tried, Refusal] = {}
        """Shapes for which there is no room, reserved or not."""
        self.behind: dict[Tried, Refusal] = {}
        """Shapes for which there is none beside what is reserved."""
        self.of_class: dict[Class, Refusal] = {}
        """Why the first of each class could not go when it had its turn; the others of it could not either."""
        self.quotas: dict[str, QuotaKept] = {}
        """By queue, what is kept of its quota for the first gang that waits for it."""
        self.kept: Kept | None = None
        self._drains: dict[str, Drain] = {}
        """What drains, or did last, by queue, and the nodes under "": the times are those of all who wait there, so that it does not
        begin anew with each of them."""
        self._hopeless: dict[int, int] = {}
        """Shapes that would not fit if all gangs had ended, and how often what there is had changed when that was found."""
        self._searched: dict[tuple[Class, int], float] = {}
        self._freed = -1

    def look(self, freed: int, now: float) -> None:
        """Forgets what is no longer true, given how often something was freed."""
        if freed != self._freed:
            self._freed = freed
            self.refused.clear()
            self.quotas.clear()
            self.keep(None)
            return
        if self.kept is not None and now > self.kept.reservation.starts:
            self.keep(None)
        for queue in [one for one, quota in self.quotas.items() if now > quota.starts]:
            del self.quotas[queue]

    def look_at_sizes(self, sizes: Mapping[str, int], now: float) -> None:
        """Notes which elastic gangs have another size than before: also when somebody scaled them by hand, they keep it for a while."""
        for uid, size in sizes.items():
            if self._sizes.get(uid, size) != size:
                self.resized[uid] = now
        self.resized = {uid: at for uid, at in self.resized.items() if uid in sizes}
        self._sizes = dict(sizes)

    def keep(self, kept: Kept | None) -> None:
        """Remembers a reservation in place of the last one."""
        self.kept = kept
        self.behind.clear()

    def drains_for(self, what: str, fresh: Drain, is_waiting: Callable[[str], bool]) -> float:
        """Returns how long the nodes, or the quota of a queue, may drain now for a gang of which nobody knows when it can start.

        0 when others are to pass. `fresh` is what begins when nothing drains yet.
        """
        found, now = self._drains.get(what), fresh.since
        if found is None or not is_waiting(found.gang):
            found = fresh
        elif now - found.since >= (1 + _PAUSES) * found.length:
            found = Drain(fresh.gang, now, 2 * found.length)
        self._drains[what] = found
        return found.length if now - found.since < found.length else 0.0

    def is_hopeless(self, shape: int, changed: int) -> bool:
        """Whether a shape is known not to fit even on what is there when all gangs have ended."""
        return self._hopeless.get(shape) == changed

    def give_up(self, shape: int, changed: int) -> None:
        """Remembers that a shape does not fit on what there is; `changed` counts how often that changed."""
        if len(self._hopeless) >= _MOST:
            self._hopeless.clear()
        self._hopeless[shape] = changed

    def put_off(self, kind: Class, refusal: Refusal) -> None:
        """Remembers why a class cannot go."""
        if len(self.of_class) >= _MOST and kind not in self.of_class:
            del self.of_class[next(iter(self.of_class))]
        self.of_class[kind] = refusal

    def may_search(self, kind: Class, priority: int, now: float) -> bool:
        """Whether a search for victims is due; it is taken to be made now."""
        if now - self._searched.get((kind, priority), -SEARCH_REST) < SEARCH_REST:
            return False
        if len(self._searched) > _MOST:
            self._searched = {one: at for one, at in self._searched.items() if now - at < SEARCH_REST}
        self._searched[kind, priority] = now
        return True

    def doubt(self, uid: str) -> None:
        """Forgets what is kept for a gang that asks for something else now."""
        if self.kept is not None and self.kept.reservation.gang == uid:
            self.keep(None)
        for queue in [one for one, quota in self.quotas.items() if quota.gang == uid]:
            del self.quotas[queue]

    def forget(self, uid: str) -> None:
        """Forgets a gang that is gone from the line."""
        self.told.pop(uid, None)
        self.promised.pop(uid, None)

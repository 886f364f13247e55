"""Which nodes are lost: what the cache shows for long enough, and a live look confirms.

Pods of a lost node are given up by force, so a mistake would kill healthy work. Hence three rules. A node is lost when it
is gone, or when the cluster says that it is not heard of (Ready is Unknown); one that says itself that it is not ready is
alive. The time counts from when this operator first saw it, by its own clock, and only while the server is heard. And
before the grace is over for a decision, the node itself is read once more.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.errors import CorralError
from corral.kinds.objects import Metadata
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import NODE
from corral.ports.clock import Clock
from corral.ports.object_store import ObjectReader
from corral.ports.refusals import NotFoundError

CONFIRMED_FOR = 10.0
"""How long a live look counts, in seconds: one serves all jobs on a node."""
ASKED_AGAIN_AFTER = 5.0
"""When a node is read again that could not be read, in seconds."""
_AT_ONCE = 8
_LEAST_WAIT = 1.0
_KEPT_GRACES = 10
"""A loss that nobody asks about for so many graces is forgotten."""

_log = logging.getLogger("corral.control.training")


class NodeCondition(msgspec.Struct, kw_only=True):
    """One condition of a node."""

    type: str = ""
    status: str = ""


class NodeStatus(msgspec.Struct, kw_only=True):
    """How a node is."""

    conditions: list[NodeCondition] = []


class NodeView(msgspec.Struct, kw_only=True):
    """One node; only its readiness is kept."""

    metadata: Metadata
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)

    @property
    def is_silent(self) -> bool:
        """Whether the cluster has stopped hearing of it."""
        return any(one.type == "Ready" and one.status == "Unknown" for one in self.status.conditions)


@dataclass(slots=True)
class _Loss:
    """One node that seems to be lost; times are those of the monotonic clock."""

    since: float
    asked: float
    confirmed: float | None = None
    doubted_until: float = 0.0
    """Before this time, it is not read again."""


class LostNodes:
    """Knows which of some nodes are lost; `on_change` is called with the name of a node that may be lost or found."""

    def __init__(
        self,
        cache: ObjectCache[NodeView],
        reader: ObjectReader,
        clock: Clock,
        on_change: Callable[[str], None],
        grace: float,
    ) -> None:
        self._cache = cache
        self._reader = reader
        self._clock = clock
        self._on_change = on_change
        self._grace = grace
        self._losses: dict[str, _Loss] = {}
        self._gate = asyncio.Semaphore(_AT_ONCE)
        cache.subscribe(self._take)

    def __len__(self) -> int:
        return len(self._losses)

    def among(self, names: Iterable[str]) -> dict[str, float]:
        """Returns the lost ones of these nodes, and since when (seconds since 1970); none while nodes are not known at all.

        Longer ago than the grace are only those that `confirm` has confirmed.
        """
        if not self._cache.has_synced:
            return {}
        now, is_current = self._clock.monotonic(), self._cache.is_current
        lost: dict[str, float] = {}
        for name in {name for name in names if name and self._seems_lost(name)}:
            loss = self._losses.get(name)
            if not is_current:
                if loss is None:
                    continue
                loss.since, loss.confirmed = now, None  # what was not heard does not count
            elif loss is None:
                loss = self._begin(name, now)
            loss.asked = now
            lost[name] = self._clock.now() - self._lasted(loss, now)
        return lost

    async def confirm(self, names: Iterable[str]) -> bool:
        """Reads those nodes whose grace is over, unless that was done just now; returns whether there were any."""
        doubtful = [name for name in names if self._is_doubtful(name)]
        await asyncio.gather(*(self._look(name) for name in doubtful))
        return bool(doubtful)

    def _seems_lost(self, name: str) -> bool:
        node = self._cache.get(ObjectKey("", name))
        return node is None or node.is_silent

    def _begin(self, name: str, now: float) -> _Loss:
        forgotten = now - _KEPT_GRACES * self._grace
        self._losses = {name: loss for name, loss in self._losses.items() if loss.asked > forgotten}
        self._losses[name] = _Loss(now, now)
        return self._losses[name]

    def _lasted(self, loss: _Loss, now: float) -> float:
        elapsed = now - loss.since
        if _is_confirmed(loss, now):
            return elapsed
        return min(elapsed, self._grace - max(_LEAST_WAIT, loss.doubted_until - now))

    def _is_doubtful(self, name: str) -> bool:
        loss, now = self._losses.get(name), self._clock.monotonic()
        if loss is None or _is_confirmed(loss, now):
            return False
        return now - loss.since >= self._grace and now >= loss.doubted_until

    async def _look(self, name: str) -> None:
        async with self._gate:
            try:
                is_lost = await self._is_lost(name)
            except CorralError as error:
                is_lost = None
                _log.warning("lost node cannot be read", extra={"node": name, "reason": error.message})
        loss, now = self._losses.get(name), self._clock.monotonic()
        if loss is None:
            return
        if is_lost is None:
            loss.doubted_until = now + ASKED_AGAIN_AFTER
        elif is_lost:
            loss.confirmed = now
        else:
            _log.warning("node is well, though it seemed to be lost", extra={"node": name})
            loss.since = now

    async def _is_lost(self, name: str) -> bool:
        try:
            found = await self._reader.get(NODE, ObjectKey("", name))
        except NotFoundError:
            return True
        return msgspec.convert(found, NodeView).is_silent

    def _take(self, deltas: Sequence[Delta[NodeView]]) -> None:
        for key, old, new in deltas:
            if new is not None and not new.is_silent:
                self._losses.pop(key.name, None)
            if new is None or old is None or new.is_silent != old.is_silent:
                self._on_change(key.name)


def _is_confirmed(loss: _Loss, now: float) -> bool:
    return loss.confirmed is not None and now - loss.confirmed <= CONFIRMED_FOR

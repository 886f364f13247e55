"""Nodes as the operator sees them: whether they are there and ready, and since when not."""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.kinds.objects import Metadata
from corral.kinds.references import ObjectKey
from corral.ports.clock import Clock
from corral.reconcile.moments import seconds_of


class NodeCondition(msgspec.Struct, rename="camel", kw_only=True):
    """One condition of a node."""

    type: str = ""
    status: str = ""
    last_transition_time: str | None = None


class NodeStatus(msgspec.Struct, kw_only=True):
    """How a node is."""

    conditions: list[NodeCondition] = []


class NodeView(msgspec.Struct, kw_only=True):
    """One node; only its readiness is kept."""

    metadata: Metadata
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)

    @property
    def ready(self) -> NodeCondition | None:
        """Returns the condition that tells whether it is ready, None before it has said anything."""
        return next((one for one in self.status.conditions if one.type == "Ready"), None)

    @property
    def is_lost(self) -> bool:
        """Whether it has said once that it is ready, and is not any more or cannot be asked."""
        return self.ready is not None and self.ready.status != "True"


class LostNodes:
    """Knows which of some nodes are lost; a node that never was heard of counts from when it was first missed."""

    def __init__(self, cache: ObjectCache[NodeView], clock: Clock, on_change: Callable[[str], None]) -> None:
        self._cache = cache
        self._clock = clock
        self._on_change = on_change
        self._missed: dict[str, float] = {}
        cache.subscribe(self._take)

    def among(self, names: Iterable[str]) -> dict[str, float]:
        """Returns the lost ones of these nodes, and since when; none while nodes are not known at all."""
        if not self._cache.has_synced:
            return {}
        lost: dict[str, float] = {}
        for name in {name for name in names if name}:
            node = self._cache.get(ObjectKey("", name))
            if node is None:
                lost[name] = self._missed.setdefault(name, self._clock.now())
            elif node.is_lost:
                assert node.ready is not None
                lost[name] = seconds_of(node.ready.last_transition_time) or self._clock.now()
        return lost

    def _take(self, deltas: Sequence[Delta[NodeView]]) -> None:
        for key, old, new in deltas:
            if new is None:
                self._missed[key.name] = self._clock.now()
            else:
                self._missed.pop(key.name, None)
            if new is None or old is None or new.is_lost != old.is_lost:
                self._on_change(key.name)

"""Kubernetes Events for people: the same thing said again raises a count instead of making another object.

`emit` never waits and never fails; a few tasks send, those about one object always in the same one, so in order, only that
what is told with a status overtakes the rest. What cannot be sent, or is said too often for one reason about one object,
is counted and dropped: events are a courtesy, and must never hold up or flood what they tell about. A thousand pods that
were made use up their own allowance, not that of the failure which matters. While there is work to write, events go one
by one with pauses.
"""

import asyncio
import hashlib
import logging
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

import msgspec

from corral.errors import CorralError
from corral.kinds.objects import Object, object_reference
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import EVENT
from corral.ports.clock import Clock
from corral.ports.object_store import ObjectWriter, Patch, WriteOptions
from corral.ports.refusals import AlreadyExistsError, NotFoundError, is_namespace_leaving
from corral.reconcile.plan import EmitEvent

K = TypeVar("K")
V = TypeVar("V")

_log = logging.getLogger("corral.control.events")

_LANES = 4
"""Events that are sent at the same time: few, so that what they tell about goes first."""
_PAUSE = 0.05
"""Seconds between two events while plans are carried out."""
_QUEUE = 5000
"""Events of either urgency that wait in one lane."""
_REMEMBERED = 4000
_WINDOW = 600.0
_BUDGETS = 20_000
_BURST = 25
_REFILL = 300.0
"""For one reason an object gets `_BURST` events at once and then one more each `_REFILL` seconds."""


class _Said(NamedTuple):
    key: ObjectKey
    times: int
    since: float


class _Purse(NamedTuple):
    """Whose events share an allowance: those of one reason about one object, told with its status or beside it."""

    uid: str
    reason: str
    with_status: bool


class _Lane:
    """Events that wait for one sender."""

    def __init__(self) -> None:
        self._urgent: deque[EmitEvent] = deque()
        self._usual: deque[EmitEvent] = deque()
        self.filled = asyncio.Event()

    def put(self, event: EmitEvent, *, is_urgent: bool) -> bool:
        """Appends an event; returns whether the oldest of its urgency had to go for it."""
        line = self._urgent if is_urgent else self._usual
        is_full = len(line) >= _QUEUE
        if is_full:
            line.popleft()
        line.append(event)
        self.filled.set()
        return is_full

    def take(self) -> EmitEvent | None:
        """Returns the next event, None when none waits any more."""
        line = self._urgent or self._usual
        if not line:
            self.filled.clear()
            return None
        return line.popleft()


class EventCounts(msgspec.Struct):
    """What happened so far."""

    sent: int = 0
    dropped: int = 0


Component = str | Callable[[EmitEvent], str]
"""In whose name events are told: always the same, or by what they tell."""


class EventRecorder:
    """Sends events in the name of a component."""

    def __init__(self, writer: ObjectWriter, clock: Clock, component: Component) -> None:
        self.counts = EventCounts()
        self._writer = writer
        self._clock = clock
        self._component = component
        self._lanes = [_Lane() for _ in range(_LANES)]
        self._plans = 0
        self._turn = asyncio.Lock()
        self._idle = asyncio.Event()
        self._said: OrderedDict[str, _Said] = OrderedDict()
        self._kept_quiet: OrderedDict[str, float] = OrderedDict()
        self._budgets: OrderedDict[_Purse, tuple[float, float]] = OrderedDict()

    def emit(self, event: EmitEvent, *, with_status: bool = False) -> None:
        """Queues an event; when too many wait, the oldest goes.

        What is told together with a status that was written is few and matters, so nothing else uses up its allowance.
        """
        if not event.repeats and self._is_kept_quiet(event):
            return
        uid = event.about["metadata"].get("uid", "")
        if not self._is_affordable(_Purse(uid, event.reason, with_status)):
            self.counts.dropped += 1
            return
        if not event.repeats:
            _put(self._kept_quiet, self._digest(event), self._clock.monotonic(), _REMEMBERED)
        lane = self._lanes[zlib.crc32(uid.encode()) % _LANES]
        self.counts.dropped += lane.put(event, is_urgent=with_status)

    @contextmanager
    def stepping_back(self) -> Iterator[None]:
        """Lets events go one by one and slowly for the length of a block, so that the writes in it come first."""
        self._plans += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._plans -= 1
            if not self._plans:
                self._idle.set()

    async def run(self) -> None:
        """Sends until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number, lane in enumerate(self._lanes):
                group.create_task(self._send_lane(lane), name=f"events-{number}")

    async def flush(self) -> None:
        """Sends everything that waits; failures are counted."""
        for lane in self._lanes:
            await self._empty(lane)

    async def _send_lane(self, lane: _Lane) -> None:
        while True:
            await lane.filled.wait()
            await self._empty(lane)

    async def _empty(self, lane: _Lane) -> None:
        while (event := lane.take()) is not None:
            try:
                await self._send_in_turn(event)
                self.counts.sent += 1
            except CorralError as error:
                self.counts.dropped += 1
                if not event.repeats:
                    self._kept_quiet.pop(self._digest(event), None)
                if not is_namespace_leaving(error):
                    _log.info("event not sent", extra={"reason": event.reason, "failure": error.message})

    async def _send_in_turn(self, event: EmitEvent) -> None:
        if self._plans:
            async with self._turn:
                await self._send(event)
                if self._plans:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._idle.wait(), _PAUSE)
        else:
            await self._send(event)

    def _is_kept_quiet(self, event: EmitEvent) -> bool:
        """Whether this was said, or is about to be, and not long ago."""
        since = self._kept_quiet.get(self._digest(event))
        return since is not None and self._clock.monotonic() - since < _WINDOW

    def _is_affordable(self, purse: _Purse) -> bool:
        now = self._clock.monotonic()
        left, since = self._budgets.get(purse, (float(_BURST), now))
        left = min(float(_BURST), left + (now - since) / _REFILL)
        affordable = left >= 1.0
        _put(self._budgets, purse, (left - 1.0 if affordable else left, now), _BUDGETS)
        return affordable

    async def _send(self, event: EmitEvent) -> None:
        digest = self._digest(event)
        now = self._clock.monotonic()
        said = self._said.get(digest)
        if said is not None and now - said.since < _WINDOW:
            try:
                await self._repeat(said)
            except NotFoundError:  # events are short-lived in every server
                self._said.pop(digest, None)
            else:
                _put(self._said, digest, said._replace(times=said.times + 1), _REMEMBERED)
                return
        key = ObjectKey(event.about["metadata"].get("namespace") or "default", _name(event, digest, self._clock.now()))
        try:
            await self._writer.create(EVENT, self._object(event, key), WriteOptions(deterministic=True))
        except AlreadyExistsError:
            pass  # our own earlier try, whose answer was lost
        _put(self._said, digest, _Said(key, 1, now), _REMEMBERED)

    async def _repeat(self, said: _Said) -> None:
        body = {"count": said.times + 1, "lastTimestamp": self._stamp()}
        await self._writer.patch(EVENT, said.key, Patch("merge", body))

    def _digest(self, event: EmitEvent) -> str:
        metadata = event.about["metadata"]
        parts = (metadata.get("uid", ""), metadata["name"], event.type, event.reason, event.message)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _stamp(self) -> str:
        return datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _object(self, event: EmitEvent, key: ObjectKey) -> Object:
        stamp = self._stamp()
        component = self._component if isinstance(self._component, str) else self._component(event)
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": key.name, "namespace": key.namespace},
            "involvedObject": object_reference(event.resource, event.about),
            "reason": event.reason,
            "message": event.message[:1024],
            "type": event.type,
            "source": {"component": component},
            "reportingComponent": component,
            "reportingInstance": "",
            "firstTimestamp": stamp,
            "lastTimestamp": stamp,
            "count": 1,
        }


def _put(memory: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Remembers something as the latest; beyond `most`, what was longest untouched is forgotten."""
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > most:
        memory.popitem(last=False)


def _name(event: EmitEvent, digest: str, now: float) -> str:
    """Returns a name that a repeated try has again and a later saying of the same has not."""
    return f"{event.about['metadata']['name'][:200]}.{digest[:10]}{int(now * 1000):x}"

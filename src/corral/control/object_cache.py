"""The list-watch cache: a local, indexed copy of one resource that follows the server and knows how old it is.

The loop lists once, then watches from the list's revision. What it does about each way a watch can end:

    ended by the server           watch again from the last revision seen
    silent beyond the limit       the same: a half-open connection looks exactly like a quiet resource
    cut, or server unreachable    wait (growing, scattered), check that the revision did not go back, watch again
    410, revision gone            list again; what the new list lacks was deleted, and subscribers are told so
    revision went back            list again; what the list lacks is kept for a grace time, then another list decides
    refused (401, 403, 404)       wait and try again, after 403 more and more rarely; `failure` and health say why

Absence is never taken for deletion except by a complete list. Objects are shared by all readers: copy before changing.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Generic, NamedTuple, TypeVar

import msgspec

from corral.control import heap
from corral.control.backoff import Backoff
from corral.control.health import Verdict
from corral.control.mirror import Delta, IndexFunction, Mirror, order_of
from corral.errors import CorralError, RetryError
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.clock import Clock
from corral.ports.identity import Randomness
from corral.ports.object_store import EVERYTHING, Change, ObjectWatcher, Scope, Start
from corral.ports.refusals import (
    ExpiredError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnreachableError,
    UnsupportedError,
)

T = TypeVar("T")

Subscriber = Callable[[Sequence[Delta[T]]], None]

_QUIET_AND_BACK = 1.2
"""The longest time between two signs of a server that is well, in quiet limits: silence, and beginning a new watch."""

_log = logging.getLogger("corral.control.cache")


class CacheSettings(NamedTuple):
    """How a cache follows its resource; times in seconds."""

    page_size: int = 500
    streaming_list: bool = False
    """Whether to get the state as a stream (less memory in the server); falls back to pages by itself."""
    watch_seconds: int = 300
    quiet_limit: float = 40.0
    """Silence that ends a watch: a dead connection is noticed after this, at most 45 s by the fault matrix (F11)."""
    relist_every: float = 600.0
    """A full list at this interval repairs what no rule foresaw, such as an event that was never sent."""
    stale_after: float = 90.0
    """Health fails when nothing was heard from the server for so long."""
    rollback_grace: float = 60.0
    backoff: Backoff = Backoff(0.2, 4.0)
    """Also for kinds that are not installed: whoever installs them waits for it."""
    backoff_if_forbidden: Backoff = Backoff(0.2, 60.0)
    """A right that is withheld may stay so; asking every few seconds would fill the server's audit log."""


class CacheCounts(msgspec.Struct):
    """What happened so far, for metrics and tests."""

    lists: int = 0
    watches: int = 0
    changes: int = 0
    unreadable: int = 0
    expired: int = 0
    rollbacks: int = 0
    failures: int = 0


class ObjectCache(Generic[T]):
    """Follows one resource; `run` it in a task, `await wait_synced()`, then read."""

    def __init__(
        self,
        watcher: ObjectWatcher,
        resource: ApiResource,
        shape: type[T],
        *,
        clock: Clock,
        randomness: Randomness,
        scope: Scope = EVERYTHING,
        settings: CacheSettings = CacheSettings(),  # noqa: B008 - a frozen value
    ) -> None:
        self.resource = resource
        self.scope = scope
        self.title = resource.qualified
        """How health names it."""
        self.counts = CacheCounts()
        self.failure: CorralError | None = None
        """Why the last try failed, while it does."""
        self.way_to_install = ""
        """How to get the kind when the server lacks it; when given, its absence is a warning."""
        self._watcher = watcher
        self._shape = shape
        self._clock = clock
        self._randomness = randomness
        self._settings = settings
        self._mirror: Mirror[T] = Mirror()
        self._subscribers: list[Subscriber[T]] = []
        self._synced = asyncio.Event()
        self._started = clock.monotonic()
        self._heard = self._started
        self._list_due = self._started
        self._trust_absence_from = self._started
        self._must_check_revision = False
        self._was_accepted = False
        self._failures = 0
        self._streams = settings.streaming_list

    # --- reading ---

    def get(self, key: ObjectKey) -> T | None:
        """Returns the object as last heard, or None."""
        return self._mirror.get(key)

    def objects(self, namespace: str = "") -> list[T]:
        """Returns all objects, or those of one namespace."""
        if not namespace:
            return list(self._mirror)
        return [held for key, held in self._mirror.items() if key.namespace == namespace]

    def by_index(self, name: str, value: str) -> list[T]:
        """Returns the objects under one value of an index."""
        return self._mirror.by_index(name, value)

    def add_indexes(self, indexes: Mapping[str, IndexFunction[T]]) -> None:
        """Adds indexes; a name that is already there is kept as it is."""
        for name, function in indexes.items():
            self._mirror.add_index(name, function)

    def __len__(self) -> int:
        return len(self._mirror)

    def subscribe(self, subscriber: Subscriber[T]) -> None:
        """Calls `subscriber` with each batch of differences from now on, first with everything that is held."""
        self._subscribers.append(subscriber)
        held = [Delta(key, None, obj) for key, obj in self._mirror.items()]
        if held:
            subscriber(held)

    def unsubscribe(self, subscriber: Subscriber[T]) -> None:
        """Stops calling `subscriber`."""
        self._subscribers.remove(subscriber)

    # --- how fresh ---

    @property
    def has_synced(self) -> bool:
        """Whether the first complete list was taken; before that, absence means nothing."""
        return self._synced.is_set()

    async def wait_synced(self) -> None:
        """Returns when the first complete list was taken."""
        await self._synced.wait()

    def has_seen(self, version: str) -> bool:
        """Whether everything up to this version of an object is contained, so that a write of ours is visible here."""
        return self.has_synced and order_of(self._mirror.revision) >= order_of(version)

    @property
    def revision(self) -> str:
        """Returns the revision up to which everything is contained."""
        return self._mirror.revision

    def age(self) -> float:
        """Returns the seconds since the server was last heard."""
        return self._clock.monotonic() - self._heard

    @property
    def is_current(self) -> bool:
        """Whether the server is being heard, so that what is held is what there is, but for the last moments."""
        return self.has_synced and self.age() <= self._settings.quiet_limit * _QUIET_AND_BACK

    @property
    def is_missing(self) -> bool:
        """Whether the server does not know the kind."""
        return isinstance(self.failure, NotFoundError)

    def verdict(self) -> Verdict:
        """Returns whether this cache can be relied on, and why not."""
        name = f"cache of {self.title}"
        reason = f": {self.failure}" if self.failure else ""
        if self.age() > self._settings.stale_after:
            return Verdict(name, False, f"nothing heard for {self.age():.0f} s{reason}")
        if not self.has_synced and self._clock.monotonic() - self._started > self._settings.stale_after:
            return Verdict(name, False, f"no complete list yet{reason}")
        return Verdict(name, True, f"{len(self)} objects, heard {self.age():.0f} s ago{reason}")

    # --- following ---

    async def run(self) -> None:
        """Follows the resource until cancelled."""
        while True:
            started = self._clock.monotonic()
            self._was_accepted = False
            try:
                await self._follow()
            except CorralError as error:
                self._take_failure(error, self._clock.monotonic() - started)
            except Exception:  # noqa: BLE001 - logged; one bug must not blind the whole process
                # In decoding or in a subscriber: the copy may have missed changes, so it is made anew.
                _log.exception("cache failed", extra={"resource": str(self.resource)})
                self._failures += 1
                self._list_due = self._clock.monotonic()
            else:
                # A server that ends each stream at once is treated like one that fails.
                self._failures = 0 if self._clock.monotonic() - started >= 1.0 else self._failures + 1
            await self._pause()

    async def _follow(self) -> None:
        """Lists if that is due, then watches until the stream ends."""
        if self._clock.monotonic() >= self._list_due:
            if self._streams and await self._stream_all():
                return
            await self._list_all()
        elif self._must_check_revision:
            await self._check_revision()
        await self._watch(self._start())

    def _start(self, *, initial_events: bool = False) -> Start:
        left = self._list_due - self._clock.monotonic() if not initial_events else self._settings.relist_every
        seconds = int(max(1.0, min(self._settings.watch_seconds, left + 1)))
        revision = "" if initial_events else self._mirror.revision
        return Start(revision, initial_events, seconds, self._settings.quiet_limit)

    async def _list_all(self) -> None:
        items: list[T] = []
        revision = ""
        pages = self._watcher.pages(self.resource, self.scope, self._shape, page_size=self._settings.page_size)
        with heap.collector_waits():
            async with aclosing(pages):
                async for page in pages:
                    self._hear()
                    if page.is_first:
                        items.clear()
                    items += page.items
                    revision = page.revision
                    self.counts.unreadable += page.unreadable
            self._take_list(items, revision)

    async def _stream_all(self) -> bool:
        """Takes the state from a stream and goes on watching it; False when the server does not stream lists."""
        self.counts.watches += 1
        stream = self._watcher.watch(self.resource, self.scope, self._start(initial_events=True), self._shape)
        try:
            async with aclosing(stream):
                await self._take_stream(stream)
        except (InvalidError, UnsupportedError):
            self._streams = False
            return False
        return True

    async def _take_stream(self, stream: AsyncGenerator[Sequence[Change[T]], None]) -> None:
        initial: Mirror[T] = Mirror()
        complete = False
        async for changes in stream:
            self._was_accepted = True
            self._hear()
            if complete:
                self._take_changes(changes)
                continue
            end = next((i for i, change in enumerate(changes) if change.initial_events_end), None)
            initial.apply(changes if end is None else changes[:end])
            if end is not None:
                complete = True
                self._take_list(list(initial), changes[end].revision)
                self._take_changes(changes[end + 1 :])

    async def _watch(self, start: Start) -> None:
        self.counts.watches += 1
        stream = self._watcher.watch(self.resource, self.scope, start, self._shape)
        async with aclosing(stream):
            async for changes in stream:
                self._was_accepted = True
                self._hear()
                self._take_changes(changes)

    async def _check_revision(self) -> None:
        """Asks for the server's revision after a break: a restored server would leave the watch silent for ever."""
        pages = self._watcher.pages(self.resource, self.scope, self._shape, page_size=1)
        async with aclosing(pages):
            async for page in pages:
                if order_of(page.revision) < order_of(self._mirror.revision):
                    await self._list_all()
                break
        self._must_check_revision = False

    def _take_list(self, items: list[T], revision: str) -> None:
        now = self._clock.monotonic()
        self.counts.lists += 1
        went_back = 0 < order_of(revision) < order_of(self._mirror.revision)
        if went_back:
            self.counts.rollbacks += 1
            self._trust_absence_from = now + self._settings.rollback_grace
            extra = {"resource": str(self.resource), "known": self._mirror.revision, "listed": revision}
            _log.warning("revision went back, nothing is taken for deleted yet", extra=extra)
        trusted = now >= self._trust_absence_from
        deltas = self._mirror.replace(items, revision, absent_is_deleted=trusted)
        interval = self._settings.relist_every * (0.9 + 0.2 * self._randomness.fraction())
        self._list_due = now + interval if trusted else self._trust_absence_from
        self._must_check_revision = False
        self._synced.set()
        heap.keep(len(deltas))
        self._tell(deltas)

    def _take_changes(self, changes: Sequence[Change[T]]) -> None:
        if not changes:
            return
        self.counts.changes += len(changes)
        bookmarks = [order_of(change.revision) for change in changes if change.object is None]
        if bookmarks and 0 < bookmarks[-1] < order_of(self._mirror.revision):
            # Older than something seen: either news out of order, or a restored server. Only a list can tell.
            self._list_due = self._clock.monotonic()
        self._tell(self._mirror.apply(changes))

    def _tell(self, deltas: Sequence[Delta[T]]) -> None:
        if deltas:
            for subscriber in self._subscribers:
                subscriber(deltas)

    def _hear(self) -> None:
        self._heard = self._clock.monotonic()
        self.failure = None

    def _take_failure(self, error: CorralError, lasted: float) -> None:
        if isinstance(error, UnreachableError) and error.timed_out and self._was_accepted:
            # Silence is normal on a quiet resource: look again at once, and from the same place.
            self._failures = 0
            return
        self._failures = 1 if self._was_accepted and lasted >= 1.0 else self._failures + 1
        self.counts.failures += 1
        self._log_failure(error)
        self.failure = error
        if isinstance(error, ExpiredError):
            self.counts.expired += 1
            self._list_due = self._clock.monotonic()
        elif isinstance(error, UnreachableError):
            self._must_check_revision = self.has_synced

    def _log_failure(self, error: CorralError) -> None:
        """Says that following was interrupted; of a kind that is not installed only once, until it was there."""
        if not isinstance(error, NotFoundError):
            _log.info("watch interrupted", extra={"resource": str(self.resource), "reason": error.message})
        elif not isinstance(self.failure, NotFoundError):
            extra = {"resource": self.resource.qualified}
            if self.way_to_install:
                _log.warning("kind not installed; %s", self.way_to_install, extra=extra)
            else:
                _log.info("kind not installed", extra=extra)

    async def _pause(self) -> None:
        failures = self._failures
        if isinstance(self.failure, ExpiredError):
            failures -= 1  # the first list after an expired revision is not a retry
        is_forbidden = isinstance(self.failure, ForbiddenError)
        backoff = self._settings.backoff_if_forbidden if is_forbidden else self._settings.backoff
        wait = backoff.wait(failures, self._randomness.fraction()) if failures > 0 else 0.0
        asked = self.failure.retry_after if isinstance(self.failure, RetryError) else None
        await self._clock.sleep(max(wait, asked or 0.0))

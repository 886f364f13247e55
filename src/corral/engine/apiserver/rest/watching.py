"""Watch: a stream of events that has no gap and no double, from any revision that the history still holds.

A watcher notes what came before (the changes since a revision, or the whole state) and becomes a listener in the same
turn of the event loop, so nothing can fall between. What came before is encoded piece by piece while it is sent; what
comes after is encoded once per form and shared by all watchers. A client that reads too slowly is cut off when its
backlog is full; it resumes from its last revision.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator

from corral.engine.apiserver import failures
from corral.engine.apiserver.http.options import ListOptions
from corral.engine.apiserver.http.request import Request
from corral.engine.apiserver.http.response import Stream
from corral.engine.apiserver.http.target import Target
from corral.engine.apiserver.rest.filter import Filter
from corral.engine.apiserver.rest.view import View
from corral.engine.apiserver.storage.entry import Change, Entry
from corral.engine.apiserver.world import World

BACKLOG_BYTES = 16 << 20
BOOKMARK_SECONDS = 15.0
LONGEST_SECONDS = 3600.0
CHUNK_BYTES = 256 << 10
OVERDUE_SECONDS = 30.0

INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}


class Watcher:
    """The listener behind one watch request."""

    def __init__(self, world: World, view: View, chosen: Filter) -> None:
        self._world = world
        self._view = view
        self._chosen = chosen
        self._frames: list[bytes] = []
        self._backlog = 0
        self._headed = False  # whether a table's head is, or will be, sent with an earlier event
        self._ready = asyncio.Event()
        self._closed = False
        self.cut: Callable[[], None] | None = None

    def changed(self, change: Change) -> None:
        """Queues the event that this client should see of a change, if any."""
        kind = None if self._closed else self._kind(change)
        if kind is None:
            return
        key = (self._view.key, kind, self._headed)
        frame = change.frames.get(key)
        if frame is None:
            frame = change.frames[key] = self._event(kind, change, first=not self._headed)
        self._headed = True
        self._frames.append(frame)
        self._backlog += len(frame)
        if self._backlog > BACKLOG_BYTES:
            self._frames.clear()
            self.close()
            if self.cut is not None:
                self.cut()  # it may wait for ever to send what this client does not read
        self._ready.set()

    def queued(self) -> list[bytes]:
        """Takes the frames that wait to be sent."""
        frames, self._frames, self._backlog = self._frames, [], 0
        return frames

    def close(self) -> None:
        """Ends the stream; what is queued and not yet sent is left to the client's next watch."""
        self._closed = True
        self._ready.set()

    def before(self, options: ListOptions) -> Iterator[bytes]:
        """Returns what came before now, as frames made while they are taken; 410 when it is no longer known."""
        store, resource = self._world.store, self._view.resource
        if options.revision and not options.initial_events:
            if options.revision < store.history.floor:
                raise failures.expired(f"too old resource version: {options.revision} ({store.history.floor + 1})")
            since = (c for c in store.history.since(options.revision) if c.collection == resource.storage_key)
            missed = [(kind, change) for change in since if (kind := self._kind(change))]
            self._headed = bool(missed)
            return (self._event(kind, change, first=n == 0) for n, (kind, change) in enumerate(missed))
        if options.initial_events is False:
            return iter(())
        state = list(self._chosen.among(store.collection(resource.storage_key).scan(self._chosen.namespace)))
        self._headed = bool(state)
        marked = bool(options.initial_events and options.bookmarks)
        return self._whole(state, store.revision if marked else None)

    def _whole(self, state: list[Entry], revision: int | None) -> Iterator[bytes]:
        now = self._world.now()
        for position, entry in enumerate(state):
            yield self._view.event("ADDED", entry, now, first=position == 0)
        if revision is not None:
            yield self._view.bookmark(revision, INITIAL_EVENTS_END)

    async def chunks(self, before: Iterator[bytes], seconds: float, bookmarks: bool) -> AsyncGenerator[bytes, None]:
        """Yields what came before, then what comes, joined; a bookmark when nothing has come for a while."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for chunk in _joined(before):
            yield chunk
        while not self._closed:
            if self._frames:
                yield b"".join(self.queued())
                continue
            wait = end - loop.time()
            if wait <= 0:
                return
            self._ready.clear()
            try:
                async with asyncio.timeout(min(wait, BOOKMARK_SECONDS)):
                    await self._ready.wait()
            except TimeoutError:
                if bookmarks and not self._frames and end > loop.time():
                    yield self._view.bookmark(self._world.store.revision)

    def _kind(self, change: Change) -> str | None:
        """Returns what a change is to this client, whose selectors an object may begin or cease to match."""
        is_now = change.new is not None and self._chosen.matches(change.new)
        was = change.old is not None and self._chosen.matches(change.old)
        if is_now:
            return "MODIFIED" if was else "ADDED"
        return "DELETED" if was else None

    def _event(self, kind: str, change: Change, first: bool) -> bytes:
        entry = change.entry
        if kind == "DELETED" and change.new is not None and change.old is not None:
            entry = _left(change.old, change.rev)
        return self._view.event(kind, entry, self._world.now(), first)


def _left(old: Entry, rev: int) -> Entry:
    """Returns the last matching state of an object that a selector no longer matches, at the revision it left."""
    obj = old.decoded()
    obj["metadata"]["resourceVersion"] = str(rev)
    return Entry.of(old.key, rev, obj)


def _joined(frames: Iterator[bytes]) -> Iterator[bytes]:
    batch: list[bytes] = []
    size = 0
    for frame in frames:
        batch.append(frame)
        size += len(frame)
        if size >= CHUNK_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
    if batch:
        yield b"".join(batch)


def watch(world: World, view: View, target: Target, options: ListOptions, request: Request) -> Stream:
    """Answers with a stream of events."""
    watcher = Watcher(world, view, Filter(view, target, options))
    watcher.cut = request.abort
    before = watcher.before(options)
    stop = world.watches.begin(world.store, view.resource.storage_key, watcher)
    seconds = float(options.timeout_seconds or 0) or LONGEST_SECONDS * (0.5 + 0.5 * world.chance.random())
    if request.abort is not None:
        # A client that reads nothing is not noticed between chunks, so the end of its time is enforced from outside.
        overdue = asyncio.get_running_loop().call_later(max(seconds, 0) + OVERDUE_SECONDS, request.abort)
        stop = _both(stop, overdue.cancel)
    return Stream(_guarded(watcher, watcher.chunks(before, seconds, options.bookmarks), request), ended=stop)


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        first()
        second()

    return call


async def _guarded(
    watcher: Watcher, chunks: AsyncGenerator[bytes, None], request: Request
) -> AsyncGenerator[bytes, None]:
    """Yields chunks until the client goes."""
    gone = asyncio.ensure_future(request.disconnected())
    gone.add_done_callback(lambda _: watcher.close())
    try:
        async for chunk in chunks:
            yield chunk
    finally:
        gone.cancel()

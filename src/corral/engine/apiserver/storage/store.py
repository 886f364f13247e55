"""The store: the read model in memory, kept by committed writes only, and the door through which writes go.

A reader never sees what is not durable, and a writer holds the lock of its key from reading the old state to the fsync
of the new one: that is all there is to compare-and-swap here. Watchers hear of a change after its commit and before the
writer does.
"""

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from corral.engine.apiserver import failures
from corral.engine.apiserver.storage.committer import Committer
from corral.engine.apiserver.storage.damage import DamagedStateError
from corral.engine.apiserver.storage.entry import Change, Collection, Entry
from corral.engine.apiserver.storage.history import History
from corral.engine.apiserver.storage.log import Row, WriteLog
from corral.engine.apiserver.storage.mark import Mark
from corral.errors import CorralError

MAX_OBJECT_BYTES = 1_572_864
"""The limit of etcd's requests, and so of every object of a real server."""


class Listener(Protocol):
    """Hears of every committed change of one collection, in order."""

    def changed(self, change: Change) -> None:
        """Takes note of a change; must not block."""


async def _settled(done: "asyncio.Future[None]") -> None:
    """Waits for a write whose client has gone, however often it is cancelled: its key stays locked until it is done."""
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            continue


class _KeyLock:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class Store:
    """All objects of the server. Lives on one event loop."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._mark, self._log = _opened(directory)
        self._collections: dict[str, Collection] = {}
        self._listeners: dict[str, dict[Listener, Callable[[], None] | None]] = {}
        self._locks: dict[tuple[str, str], _KeyLock] = {}
        self._encode = msgspec.json.Encoder().encode
        self.revision = self._log.compacted
        self.history = History(self._log.compacted)
        try:
            superseded = self._load()
        except CorralError:
            self._log.close()
            self._mark.close()
            raise
        self._next = self.revision
        self._committer = Committer(self._log, self._mark, self._apply)
        self._committer.compact(superseded, self.history.floor)
        self.committed_writes = 0

    def _load(self) -> list[int]:
        superseded: list[int] = []
        for row in self._log.rows():
            change = self._changed(row)
            if row.rev > self._log.compacted:
                superseded += self.history.add(change)
        acknowledged = self._mark.read()
        if acknowledged is not None and acknowledged > self.revision:
            raise DamagedStateError(
                str(self._log.path),
                f"it ends at revision {self.revision}, but revision {acknowledged} was acknowledged",
            )
        self._log.trust()
        if acknowledged is None and self._mark.exists:
            print(
                f"corral: the mark beside {self._log.path} is unreadable: whether the newest acknowledged writes are "
                "all there cannot be told; everything that is there is whole",
                file=sys.stderr,
                flush=True,
            )
        if acknowledged is None:
            self._mark.write(self.revision)  # its block is taken now, not when the disk is full
        return superseded

    def collection(self, name: str) -> Collection:
        """Returns the committed entries of a resource; an empty one, kept by nobody, for one never written."""
        found = self._collections.get(name)
        return Collection(name) if found is None else found

    def collections(self) -> list[Collection]:
        """Returns every collection that was ever written."""
        return list(self._collections.values())

    def at(self, name: str, revision: int) -> Collection:
        """Returns a collection as it was at a revision; raises 410 when the history no longer reaches there."""
        if revision == self.revision:
            return self.collection(name)
        if revision < self.history.floor:
            raise failures.expired(
                f"The resourceVersion for the provided list is too old. ({revision}, oldest is {self.history.floor})"
            )
        return self.history.undone(self.collection(name), revision)

    @asynccontextmanager
    async def locked(self, collection: str, key: str) -> AsyncIterator[Entry | None]:
        """Holds the lock of a key and yields its entry: nobody else writes it until the block ends."""
        where = (collection, key)
        lock = self._locks.setdefault(where, _KeyLock())
        lock.users += 1
        try:
            async with lock.lock:
                yield self.collection(collection).get(key)
        finally:
            lock.users -= 1
            if not lock.users:
                del self._locks[where]

    def is_locked(self, collection: str, key: str) -> bool:
        """Says whether somebody is writing a key right now; if not, its committed entry is its latest."""
        found = self._locks.get((collection, key))
        return found is not None and found.lock.locked()

    async def put(self, collection: str, key: str, obj: dict[str, Any]) -> Entry:
        """Stores an object durably under a locked key; its resourceVersion is set here."""
        rev, value = self._encoded(obj)
        await self._submit(Row(rev, f"{collection}/{key}", False, value))
        return self.collection(collection).get(key) or Entry(key, rev, value)

    async def remove(self, collection: str, key: str, obj: dict[str, Any]) -> Entry:
        """Deletes a locked key durably; `obj` is the last state, told to watchers with the revision of the deletion."""
        rev, value = self._encoded({**obj, "metadata": dict(obj["metadata"])})
        await self._submit(Row(rev, f"{collection}/{key}", True, value))
        return Entry(key, rev, value)

    def listen(
        self, collection: str, listener: Listener, failed: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Tells a listener of every change from now on; returns the function that ends it.

        A listener that raises is reported in the log and to `failed`, and hurts nobody but itself.
        """
        listeners = self._listeners.setdefault(collection, {})
        listeners[listener] = failed

        def stop() -> None:
            listeners.pop(listener, None)

        return stop

    @property
    def waiting_seconds(self) -> float:
        """Returns for how long the writes under way have waited for the disk."""
        return self._committer.waiting_seconds

    @property
    def refused_seconds(self) -> float | None:
        """Returns how long ago a write was refused for lack of room; None when writes are stored."""
        return self._committer.refused_seconds

    def size_on_disk(self) -> int:
        """Returns the bytes that the state takes on disk."""
        return self._log.size()

    async def close(self) -> None:
        """Waits for writes under way and closes the file."""
        await self._committer.close()
        self._log.close()
        self._mark.close()

    def _encoded(self, obj: dict[str, Any]) -> tuple[int, bytes]:
        rev = self._next + 1
        obj["metadata"]["resourceVersion"] = str(rev)
        value = self._encode(obj)
        if len(value) > MAX_OBJECT_BYTES:
            raise failures.ApiFailure(
                413,
                "RequestEntityTooLarge",
                f"etcdserver: request is too large: {len(value)} bytes, {MAX_OBJECT_BYTES} allowed",
            )
        return rev, value

    async def _submit(self, row: Row) -> None:
        self._next = row.rev
        done = self._committer.submit(row)
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:
            await _settled(done)
            raise

    def _apply(self, rows: Sequence[Row]) -> None:
        """Brings the whole batch into the read model first, and only then tells those who listen."""
        changes = []
        for row in rows:
            change = self._changed(row)
            changes.append(change)
            superseded = self.history.add(change)
            if superseded:
                self._committer.compact(superseded, self.history.floor)
        self.committed_writes += len(rows)
        for change in changes:
            self._tell(change)

    def _tell(self, change: Change) -> None:
        for listener, failed in list(self._listeners.get(change.collection, {}).items()):
            try:
                listener.changed(change)
            except Exception:  # noqa: BLE001 - one listener's bug must not stop the writers or the other listeners
                print(f"corral: a listener failed at revision {change.rev}:", file=sys.stderr)
                traceback.print_exc(file=sys.stderr)
                if failed is not None:
                    failed()
        change.frames.clear()

    def _changed(self, row: Row) -> Change:
        group, plural, key = row.key.split("/", 2)
        name = f"{group}/{plural}"
        collection = self._collections.setdefault(name, Collection(name))
        entry = Entry(key, row.rev, row.value)
        old = collection.get(key)
        if row.gone:
            if old is not None:
                collection.remove(key)
        else:
            collection.put(entry)
        self.revision = max(row.rev, self.revision)  # after a salvage the floor is above every row
        return Change(row.rev, name, old, None if row.gone else entry, entry)


def _opened(directory: Path) -> tuple[Mark, WriteLog]:
    mark = Mark(directory / "acknowledged")
    try:
        return mark, WriteLog(directory / "state.db", used=mark.exists)
    except CorralError:
        mark.close()
        raise

"""The history: the newest committed changes, in memory, bounded by number and by bytes.

Watches resume from it, and lists at an exact earlier revision (and the later pages of a list) are made from it by
undoing. What it has let go of is gone: 410 for clients, and food for compaction on disk.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice

from corral.engine.apiserver.storage.entry import Change, Collection

MOST_CHANGES = 20_000
MOST_BYTES = 32 << 20


class History:
    """A bounded run of consecutive changes; everything after revision `floor` is in it."""

    def __init__(self, floor: int, *, most: int | None = None, most_bytes: int | None = None) -> None:
        self.floor = floor
        self._most = MOST_CHANGES if most is None else most
        self._most_bytes = MOST_BYTES if most_bytes is None else most_bytes
        self._changes: deque[Change] = deque()
        self._bytes = 0

    def add(self, change: Change) -> list[int]:
        """Adds the newest change; returns the revisions of rows that no reader can need any more."""
        self._changes.append(change)
        self._bytes += change.weight
        superseded: list[int] = []
        while len(self._changes) > self._most or self._bytes > self._most_bytes:
            oldest = self._changes.popleft()
            self._bytes -= oldest.weight
            self.floor = oldest.rev
            if oldest.old is not None:
                superseded.append(oldest.old.rev)
            if oldest.new is None:
                superseded.append(oldest.rev)
        return superseded

    def since(self, revision: int) -> Iterator[Change]:
        """Yields the changes after a revision, oldest first; the caller checks `floor` first."""
        return islice(self._changes, bisect_right(self._changes, revision, key=lambda c: c.rev), None)

    def undone(self, collection: Collection, revision: int) -> Collection:
        """Returns the collection as it was at an earlier revision that is not below `floor`."""
        earlier = collection.copied()
        for change in reversed(self._changes):
            if change.rev <= revision:
                break
            if change.collection != collection.name:
                continue
            if change.old is not None:
                earlier.put(change.old)
            elif change.new is not None:
                earlier.remove(change.entry.key)
        return earlier

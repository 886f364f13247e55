"""An entry of the read model, a change of it, and the collection of all entries of one resource.

The whole live state is held in memory as encoded JSON, because one machine's cluster fits there: a list is a join of
bytes, and only what a selector asks about is ever decoded.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Any

import msgspec


class _Metadata(msgspec.Struct):
    labels: dict[str, str] | None = None
    deletion: str | None = msgspec.field(name="deletionTimestamp", default=None)


class _Object(msgspec.Struct):
    metadata: _Metadata


_METADATA = msgspec.json.Decoder(_Object)


class Entry:
    """One object as it was committed at `rev`; `value` never changes."""

    __slots__ = ("_fields", "_labels", "_terminating", "key", "rev", "shown_by", "value")

    def __init__(self, key: str, rev: int, value: bytes) -> None:
        self.key = key  # namespace/name, or /name for what has no namespace
        self.rev = rev
        self.value = value
        self.shown_by: object = None  # the resource by which it was last found to be shown just as it rests
        self._labels: dict[str, str] | None = None
        self._fields: dict[str, dict[str, str]] | None = None
        self._terminating: bool | None = None

    @classmethod
    def of(cls, key: str, rev: int, obj: dict[str, Any]) -> "Entry":
        """Returns an entry of an object as it would be stored."""
        return cls(key, rev, msgspec.json.encode(obj))

    @property
    def namespace(self) -> str:
        """Returns the namespace, "" for what has none."""
        return self.key[: self.key.index("/")]

    @property
    def name(self) -> str:
        """Returns the object's name."""
        return self.key[self.key.index("/") + 1 :]

    def labels(self) -> dict[str, str]:
        """Returns the object's labels, decoded on first use."""
        if self._labels is None:
            self._labels = _METADATA.decode(self.value).metadata.labels or {}
        return self._labels

    @property
    def fields(self) -> dict[str, dict[str, str]]:
        """Returns the selectable fields already found, by API version; filters fill it."""
        if self._fields is None:
            self._fields = {}
        return self._fields

    def is_terminating(self) -> bool:
        """Says whether the object is being deleted; decoded on first use, as every create in a namespace asks."""
        if self._terminating is None:
            self._terminating = _METADATA.decode(self.value).metadata.deletion is not None
        return self._terminating

    def decoded(self) -> dict[str, Any]:
        """Returns a fresh decoded copy of the object."""
        obj: dict[str, Any] = msgspec.json.decode(self.value)
        return obj


class Change:
    """One committed write: what stood under the key before, and what stands there now (None when deleted)."""

    __slots__ = ("collection", "entry", "frames", "new", "old", "rev")

    def __init__(self, rev: int, collection: str, old: Entry | None, new: Entry | None, entry: Entry) -> None:
        self.rev = rev
        self.collection = collection
        self.old = old
        self.new = new
        self.entry = entry  # the state to report: the new one, or the last one of a deleted object
        self.frames: dict[object, bytes] = {}  # encoded once per form and event type, sent to many watchers

    @property
    def weight(self) -> int:
        """Returns roughly how many bytes this change keeps alive."""
        old = len(self.old.value) if self.old else 0
        return old + (len(self.entry.value) if self.new is None else 0) + 200


class Collection:
    """All live entries of one resource, in the order of their keys (that of etcd: namespace/name as text)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._entries: dict[str, Entry] = {}
        self._order: list[str] = []

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Entry | None:
        """Returns the entry under a key, or None."""
        return self._entries.get(key)

    def put(self, entry: Entry) -> None:
        """Sets the entry of its key."""
        if entry.key not in self._entries:
            insort(self._order, entry.key)
        self._entries[entry.key] = entry

    def remove(self, key: str) -> None:
        """Removes a key that must be there."""
        del self._entries[key]
        del self._order[bisect_left(self._order, key)]

    def scan(self, namespace: str = "", after: str = "") -> Iterator[Entry]:
        """Yields entries in order, of one namespace if given, beginning behind the key `after` if given."""
        start, stop = self._span(namespace, after)
        return map(self._entries.__getitem__, self._order[start:stop])

    def count(self, namespace: str = "", after: str = "") -> int:
        """Returns how many entries `scan` would yield."""
        start, stop = self._span(namespace, after)
        return max(0, stop - start)

    def _span(self, namespace: str, after: str) -> tuple[int, int]:
        order = self._order
        start = bisect_right(order, after) if after else 0
        if not namespace:
            return start, len(order)
        # "0" is the character after "/"
        return max(start, bisect_left(order, namespace + "/")), bisect_left(order, namespace + "0")

    def copied(self) -> "Collection":
        """Returns a collection with the same entries that may be changed on its own."""
        other = Collection(self.name)
        other._entries = dict(self._entries)
        other._order = list(self._order)
        return other

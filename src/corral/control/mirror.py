"""A replica of one resource in memory: takes lists and changes, tells what became different. Pure; no loop, no clock.

The cache loop feeds it and controllers read it. Changes may come twice or out of order, so each is compared with what is
known about its key; a list is a statement about everything at once, and the only thing that proves absence.

Versions of the API are numbers that grow with each write. One that is not a number cannot be compared, then the order of
arrival counts.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from corral.kinds.objects import identity_of
from corral.kinds.references import ObjectKey
from corral.ports.object_store import Change

T = TypeVar("T")

IndexFunction = Callable[[T], Iterable[str]]

_TOMBSTONES = 10_000


class Delta(NamedTuple, Generic[T]):
    """What became different about one key: `old` is None when it appeared, `new` when it went."""

    key: ObjectKey
    old: T | None
    new: T | None


class _Mark(NamedTuple):
    """What is known about a held object without looking at it."""

    uid: str
    order: int


def order_of(version: str) -> int:
    """Returns a version as a number to compare, 0 when it is none."""
    return int(version) if version.isdecimal() else 0


class Mirror(Generic[T]):
    """The objects of one resource by key, with secondary indexes."""

    def __init__(self, indexes: Mapping[str, IndexFunction[T]] | None = None) -> None:
        self.revision = ""
        """Everything up to this revision is contained; a watch resumes from here."""
        self._held: dict[ObjectKey, T] = {}
        self._marks: dict[ObjectKey, _Mark] = {}
        self._gone: OrderedDict[ObjectKey, int] = OrderedDict()
        self._gone_floor = 0
        self._functions: dict[str, IndexFunction[T]] = dict(indexes or {})
        self._indexes: dict[str, dict[str, dict[ObjectKey, None]]] = {name: {} for name in self._functions}

    # --- reading ---

    def get(self, key: ObjectKey) -> T | None:
        """Returns the object, or None."""
        return self._held.get(key)

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._held.values()))

    def __len__(self) -> int:
        return len(self._held)

    def items(self) -> list[tuple[ObjectKey, T]]:
        """Returns everything held, with keys."""
        return list(self._held.items())

    def by_index(self, name: str, value: str) -> list[T]:
        """Returns the objects for which the index function gave `value`, in order of arrival."""
        return [self._held[key] for key in self._indexes[name].get(value, ())]

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Adds an index over what is held and what comes; the same name again changes nothing."""
        if name in self._functions:
            return
        self._functions[name] = function
        self._indexes[name] = {}
        for key, held in self._held.items():
            self._file(name, key, held)

    # --- taking ---

    def apply(self, changes: Sequence[Change[T]]) -> list[Delta[T]]:
        """Takes changes from a watch and returns what is different now; old news changes nothing."""
        deltas: list[Delta[T]] = []
        for change in changes:
            if change.object is None:
                self._advance(order_of(change.revision), change.revision)
                continue
            namespace, name, uid, version = identity_of(change.object)
            key, order = ObjectKey(namespace, name), order_of(version)
            self._advance(order, version)
            if change.verb == "DELETED":
                delta = self._take_deletion(key, order)
            else:
                delta = self._take_state(key, _Mark(uid, order), change.object)
            if delta is not None:
                deltas.append(delta)
        return deltas

    def replace(self, items: Iterable[T], revision: str, *, absent_is_deleted: bool = True) -> list[Delta[T]]:
        """Takes a complete list and returns the differences to what was held, deletions included.

        Without `absent_is_deleted` what the list lacks stays, until a later list is believed: used when the server's
        revision went back, since then the list may be a restored old one.
        """
        deltas: list[Delta[T]] = []
        seen: set[ObjectKey] = set()
        for item in items:
            namespace, name, uid, version = identity_of(item)
            key, mark = ObjectKey(namespace, name), _Mark(uid, order_of(version))
            seen.add(key)
            if self._marks.get(key) != mark or mark.order == 0:
                deltas.append(self._put(key, mark, item))
        for key in [key for key in self._held if key not in seen]:
            if absent_is_deleted:
                deltas.append(self._drop(key))
            else:
                self._marks[key] = _Mark(self._marks[key].uid, 0)
        self._gone.clear()
        self._gone_floor = order_of(revision)
        self.revision = revision
        return deltas

    def _advance(self, order: int, revision: str) -> None:
        if revision and (order == 0 or order > order_of(self.revision)):
            self.revision = revision

    def _take_state(self, key: ObjectKey, mark: _Mark, held: T) -> Delta[T] | None:
        known = self._marks.get(key)
        if mark.order and known is not None and known.order >= mark.order:
            return None
        if mark.order and known is None and mark.order <= self._gone.get(key, self._gone_floor):
            return None
        return self._put(key, mark, held)

    def _take_deletion(self, key: ObjectKey, order: int) -> Delta[T] | None:
        known = self._marks.get(key)
        if known is not None and order and known.order > order:
            return None
        self._bury(key, order)
        return self._drop(key) if known is not None else None

    def _bury(self, key: ObjectKey, order: int) -> None:
        """Remembers a deletion, so that older news about the key cannot bring the object back."""
        self._gone[key] = max(order, self._gone.pop(key, 0), self._gone_floor)
        if len(self._gone) > _TOMBSTONES:
            _, forgotten = self._gone.popitem(last=False)
            self._gone_floor = max(self._gone_floor, forgotten)

    def _put(self, key: ObjectKey, mark: _Mark, held: T) -> Delta[T]:
        old = self._held.get(key)
        if old is not None:
            self._unfile(key, old)
        self._held[key] = held
        self._marks[key] = mark
        self._gone.pop(key, None)
        for name in self._functions:
            self._file(name, key, held)
        return Delta(key, old, held)

    def _drop(self, key: ObjectKey) -> Delta[T]:
        old = self._held.pop(key)
        del self._marks[key]
        self._unfile(key, old)
        return Delta(key, old, None)

    def _file(self, name: str, key: ObjectKey, held: T) -> None:
        index = self._indexes[name]
        for value in _values(self._functions[name], held):
            index.setdefault(value, {})[key] = None

    def _unfile(self, key: ObjectKey, held: T) -> None:
        for name, function in self._functions.items():
            index = self._indexes[name]
            for value in _values(function, held):
                keys = index.get(value)
                if keys is not None:
                    keys.pop(key, None)
                    if not keys:
                        del index[value]


def _values(function: IndexFunction[T], held: T) -> Sequence[str]:
    """Returns the index values of an object; one whose fields are not what the function expects is in no index."""
    try:
        return tuple(function(held))
    except (AttributeError, LookupError, TypeError, ValueError):
        return ()

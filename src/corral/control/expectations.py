"""Waiting to see one's own writes: a decision made from a cache that lacks the last plan's writes would repeat them.

After a plan, every write is noted for its key. Before the next reconcile of that key the caches are asked whether they
have seen it all; if not, the key comes again a moment later. Caches whose scope leaves the object out are not asked. What
never shows (a restored server) lapses after a while, since fixed names and versions keep even a blind repetition harmless.
"""

from collections.abc import Mapping
from typing import NamedTuple

from corral.control.caches import Caches
from corral.kinds.objects import Object, identity_of, is_deleting, labels_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.ports.clock import Clock
from corral.ports.object_store import Scope

LAPSE = 30.0


class _Written(NamedTuple):
    resource: ApiResource
    version: str
    since: float
    namespace: str
    labels: Mapping[str, str]


class _Deleted(NamedTuple):
    resource: ApiResource
    key: ObjectKey
    uid: str
    since: float


class Expectations:
    """What each reconcile key has written and its caches have not shown yet."""

    def __init__(self, caches: Caches, clock: Clock) -> None:
        self._caches = caches
        self._clock = clock
        self._open: dict[ObjectKey, list[_Written | _Deleted]] = {}

    def wrote(self, owner: ObjectKey, resource: ApiResource, stored: Object) -> None:
        """Notes an object as the server has stored it."""
        place = identity_of(stored)
        written = _Written(resource, place.version, self._clock.monotonic(), place.namespace, labels_of(stored))
        self._open.setdefault(owner, []).append(written)

    def deleted(self, owner: ObjectKey, resource: ApiResource, key: ObjectKey, uid: str) -> None:
        """Notes that deletion of an object was accepted."""
        self._open.setdefault(owner, []).append(_Deleted(resource, key, uid, self._clock.monotonic()))

    def forget(self, owner: ObjectKey) -> None:
        """Drops what was noted for a key that is gone, or that does not decide from caches."""
        self._open.pop(owner, None)

    def are_met(self, owner: ObjectKey) -> bool:
        """Whether the caches show everything that was written for a key."""
        waiting = [one for one in self._open.get(owner, ()) if not self._is_seen(one)]
        if waiting:
            self._open[owner] = waiting
        else:
            self._open.pop(owner, None)
        return not waiting

    def _is_seen(self, one: _Written | _Deleted) -> bool:
        if self._clock.monotonic() - one.since > LAPSE:
            return True
        caches = list(self._caches.find(one.resource))
        if isinstance(one, _Written):
            return all(cache.has_seen(one.version) for cache in caches if _holds(cache.scope, one))
        for cache in caches:
            held = cache.get(one.key)
            if held is not None and identity_of(held).uid == one.uid and not is_deleting(held):
                return False
        return True


def _holds(scope: Scope, written: _Written) -> bool:
    """Whether an object belongs into a scope; of selectors `name` and `name=value` are understood, others may hold it."""
    if scope.namespace not in ("", written.namespace):
        return False
    if not scope.labels or "(" in scope.labels or "!" in scope.labels:
        return True
    for term in scope.labels.split(","):
        name, equals, value = term.partition("=")
        found = written.labels.get(name.strip())
        if found is None or (equals and found != value.lstrip("=").strip()):
            return False
    return True

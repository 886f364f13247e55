"""Keeping what is known of a collection in step with the store, for those who may not look it up again and again."""

from collections.abc import Callable

from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.storage.entry import Change
from corral.engine.apiserver.storage.store import Store

Note = Callable[[str, Object | None], None]
"""Takes note of the object under a key as it is stored now; None when it is gone."""


class _Follower:
    def __init__(self, note: Note) -> None:
        self._note = note

    def changed(self, change: Change) -> None:
        """Passes one committed change on."""
        self._note(change.entry.key, change.new.decoded() if change.new else None)


def follow(store: Store, collection: str, note: Note) -> None:
    """Tells of everything in a collection, and then of every committed change before its writer hears of it."""
    for entry in store.collection(collection).scan():
        note(entry.key, entry.decoded())
    store.listen(collection, _Follower(note))

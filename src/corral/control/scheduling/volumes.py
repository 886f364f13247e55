"""Claims, volumes and classes of storage: followed where a server has volumes, and told the node of the first pod that uses them.

A volume that is made for its first pod is made where that pod will run, so its claim is told the node before the pod is bound there.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.installed_kinds import known
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.volume_view import SELECTED_NODE, ClaimView, ClassView, VolumeView
from corral.kinds.well_known import PERSISTENT_VOLUME, PERSISTENT_VOLUME_CLAIM, STORAGE_CLASS
from corral.ports.object_store import Patch
from corral.ports.refusals import ConflictError, NotFoundError

_NOT_READABLE: Final = (
    "the scheduler may not read persistentvolumes, persistentvolumeclaims or storageclasses: see scheduler-rights"
)


class FollowedVolumes:
    """Tells the board of them."""

    def __init__(self, runtime: Runtime, board: Board) -> None:
        self._runtime = runtime
        self._board = board
        self.on_news: Callable[[], None] = lambda: None

    async def follow(self) -> None:
        """Returns when all are known. A server without volumes is not asked again: there claims are folders, and bind nobody."""
        storage, caches = self._board.reader.storage, self._runtime.caches
        volumes = caches.shaped(PERSISTENT_VOLUME, VolumeView)
        volumes.subscribe(lambda deltas: self._take(storage.volumes, deltas, by_name=True))
        await known(volumes, self._runtime.clock)
        if not volumes.has_synced and isinstance(volumes.failure, NotFoundError):
            await caches.drop(PERSISTENT_VOLUME)
            return
        storage.is_followed = True
        classes = caches.shaped(STORAGE_CLASS, ClassView)
        classes.subscribe(lambda deltas: self._take(storage.classes, deltas, by_name=True))
        claims = caches.shaped(PERSISTENT_VOLUME_CLAIM, ClaimView)
        claims.subscribe(lambda deltas: self._take(storage.claims, deltas, by_name=False))
        followed: tuple[ObjectCache[Any], ...] = (volumes, classes, claims)
        for cache in followed:
            await known(cache, self._runtime.clock)
        storage.unreadable = lambda: "" if all(one.has_synced for one in followed) else _NOT_READABLE

    def _take(self, known_ones: dict[Any, Any], deltas: Sequence[Delta[Any]], *, by_name: bool) -> None:
        for delta in deltas:
            key = delta.key.name if by_name else delta.key
            if delta.new is None:
                known_ones.pop(key, None)
            else:
                known_ones[key] = delta.new
        self._board.take_storage()
        self.on_news()

    async def choose(self, decision: Decision) -> None:
        """Tells claims of a pod where it will be bound; raises ConflictError when it cannot be there any more."""
        stored = self._board.stored(decision)
        if stored is None:
            return
        if not stored.is_had_on(self._board.places[decision.node].offer):
            raise ConflictError(
                f"volumes of {decision.key} cannot be had on {decision.node}: {stored.complaint or 'they are elsewhere'}"
            )
        for key in stored.to_choose:
            version = self._board.reader.storage.claims[key].metadata.resource_version
            body = {"metadata": {"resourceVersion": version, "annotations": {SELECTED_NODE: decision.node}}}
            await self._runtime.store.patch(PERSISTENT_VOLUME_CLAIM, key, Patch("merge", body))

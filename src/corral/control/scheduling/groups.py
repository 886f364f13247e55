"""PodGroups of other schedulers: followed as soon as their kinds are installed, and told how far their gangs are.

An operator that announces gangs to Volcano makes no pods until the group was let in, so whoever serves Volcano's name must say that;
and people look at the phase of a group to see whether it runs.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from corral.control.mirror import Delta
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import GroupKey
from corral.control.scheduling.dialects.gang_words import PLUGINS_PODGROUP, VOLCANO_PODGROUP
from corral.control.scheduling.installed_kinds import InstalledKinds, Listener
from corral.errors import PermanentError, RetryError
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.group_view import GroupView
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError

_log = logging.getLogger("corral.control.scheduling")

_GAP: Final = 0.2
"""How long phases are gathered before they are written, in seconds."""


class _Phases(NamedTuple):
    """The words by which a kind of group tells how far it is."""

    scheduler: str
    """The scheduler that lets such groups in; only who serves this name does."""
    before: frozenset[str]
    """Phases of a group that was not let in."""
    let_in: str
    running: str


_PHASES: Final = {
    VOLCANO_PODGROUP: _Phases("volcano", frozenset({"", "Pending"}), "Inqueue", "Running"),
    PLUGINS_PODGROUP: _Phases("", frozenset({"", "Pending", "PreScheduling", "Scheduling"}), "", "Running"),
}


class Groups:
    """Follows group objects and writes their phases."""

    def __init__(self, runtime: Runtime, board: Board, names: Iterable[str], fence: Fence) -> None:
        self._store = runtime.store
        self._clock = runtime.clock
        self._board = board
        self._names = frozenset(names)
        self._fence = fence
        self._kinds = InstalledKinds(
            runtime, {resource: Listener(GroupView, partial(self._take, resource)) for resource in _PHASES}
        )
        self._news = asyncio.Event()
        self._to_look: dict[GroupKey, None] = {}
        self.on_news: Callable[[], None] = lambda: None

    async def follow(self) -> None:
        """Returns when all groups there are now are known; kinds that come later are followed as they come."""
        await self._kinds.follow()

    def _take(self, resource: ApiResource, deltas: Sequence[Delta[GroupView]]) -> None:
        for delta in deltas:
            group = GroupKey(resource, delta.key)
            view = delta.new
            self._board.take_group(
                group, view.size if view is not None else None, view.queue if view is not None else ""
            )
            if view is not None:
                self.look(group)
        self.on_news()

    def look(self, group: GroupKey) -> None:
        """Asks for a look at the phase of a group."""
        if self._kinds.get(group.resource) is not None:
            self._to_look[group] = None
            self._news.set()

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._kinds.run(), name="group-kinds")
            tasks.create_task(self._write_phases(), name="group-phases")

    async def _write_phases(self) -> None:
        while True:
            await self._news.wait()
            await self._clock.sleep(_GAP)
            self._news.clear()
            groups, self._to_look = list(self._to_look), {}
            for group in groups:
                if not await self._tell(group):
                    self.look(group)

    async def _tell(self, group: GroupKey) -> bool:
        """Writes the phase of a group where it is another one; returns whether that is done."""
        cache = self._kinds.get(group.resource)
        view = cache.get(group.key) if cache is not None else None
        phase = self._phase_of(group, view) if view is not None else ""
        if view is None or not phase or phase == view.phase:
            return True
        self._fence()
        metadata = {"uid": view.metadata.uid, "resourceVersion": view.metadata.resource_version}
        body = {"metadata": metadata, "status": {"phase": phase}}
        try:
            await self._store.patch(group.resource, group.key, Patch("merge", body), subresource="status")
        except RetryError:
            return False
        except PermanentError as error:
            if not isinstance(error, NotFoundError):
                _log.info("phase not written", extra={"group": str(group.key), "reason": error.message})
        return True

    def _phase_of(self, group: GroupKey, view: GroupView) -> str:
        words = _PHASES[group.resource]
        gang = f"{group.key.namespace}/{group.key.name}"
        if self._board.crowd.seated_beside(gang, ()) >= max(1, view.size or 1):
            return words.running
        may_let_in = words.scheduler in self._names and view.phase in words.before
        return words.let_in if may_let_in else ""

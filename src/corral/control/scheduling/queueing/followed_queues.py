"""Queues: followed as soon as their kinds are installed, and told how they stand, seldom and only where something is new."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from corral.control.mirror import Delta
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.board import Board
from corral.control.scheduling.installed_kinds import InstalledKinds, Listener
from corral.control.scheduling.queueing.register import Given, Register, Unreadable
from corral.control.scheduling.queueing.standings import change_to, status_of
from corral.control.scheduling.reading.queues import UnreadableQueueError, terms_of, terms_of_volcano
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import key_of
from corral.kinds.queues.queue import QUEUE, QueueView
from corral.kinds.references import ApiResource
from corral.placement.admission.queues import QueueTerms
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError
from corral.reconcile.plan import EmitEvent

_log = logging.getLogger("corral.control.scheduling")

VOLCANO_QUEUE: Final = ApiResource("scheduling.volcano.sh", "v1beta1", "Queue", "queues", namespaced=False)
_READERS: Final[dict[ApiResource, Callable[[QueueView], QueueTerms]]] = {
    QUEUE: terms_of,
    VOLCANO_QUEUE: terms_of_volcano,
}
_GAP: Final = 1.0
"""How long news is gathered before statuses are written, in seconds."""
_PAUSE: Final = 0.05
"""Between two writes, in seconds: many queues must not keep the server from binding pods."""
_REFUSED: Final = 60.0
"""How long a queue is left alone whose status the server does not take, in seconds."""


class FollowedQueues:
    """Follows queues of all kinds, and writes the status of our own."""

    def __init__(
        self, runtime: Runtime, board: Board, desk: AdmissionDesk, fence: Fence, *, writes: bool = True
    ) -> None:
        self.on_news: Callable[[], None] = lambda: None
        """Told when another decision may follow."""
        self._store = runtime.store
        self._clock = runtime.clock
        self._events = runtime.events
        self._board = board
        self._desk = desk
        self._fence = fence
        self._writes = writes
        self._register = Register(desk, tuple(_READERS))
        self._kinds = InstalledKinds(
            runtime, {kind: Listener(QueueView, partial(self._take, kind)) for kind in _READERS}
        )
        self._news = asyncio.Event()
        self._left_alone: dict[str, float] = {}

    # --- following ---

    async def follow(self) -> None:
        """Returns when all queues there are now are known to the desk; kinds that come later are followed as they come."""
        await self._kinds.follow()

    def _take(self, kind: ApiResource, deltas: Sequence[Delta[QueueView]]) -> None:
        for delta in deltas:
            name = delta.key.name
            if delta.new is None:
                self._left_alone.pop(name, None)
                is_new = self._register.remove(kind, name)
            else:
                given = given_by(kind, delta.new)
                is_new = self._register.put(kind, name, given)
                if is_new and isinstance(given, Unreadable):
                    self._complain(kind, delta.new, given)
            self._board.changes += is_new
        self.look()
        self.on_news()

    def _complain(self, kind: ApiResource, view: QueueView, given: Unreadable) -> None:
        _log.warning("queue not understood", extra={"queue": view.metadata.name, "reason": given.complaint})
        about = {"metadata": {"name": view.metadata.name, "uid": view.metadata.uid}}
        self._events.emit(EmitEvent(kind, about, "UnreadableQueue", given.complaint, "Warning"))

    # --- telling ---

    def look(self) -> None:
        """Asks for a look at how the queues stand."""
        self._news.set()

    async def run(self) -> None:
        """Works until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._kinds.run(), name="queue-kinds")
            if self._writes:
                tasks.create_task(self._write_statuses(), name="queue-statuses")
                tasks.create_task(self._look_again(), name="queue-refusals")

    async def _write_statuses(self) -> None:
        while True:
            await self._news.wait()
            await self._clock.sleep(_GAP)
            self._news.clear()
            cache = self._kinds.get(QUEUE)
            for view in cache.objects() if cache is not None else ():
                if not await self._tell(view):
                    self.look()

    async def _look_again(self) -> None:
        """Asks for another look while a status was refused: whoever gives the right that lacked tells nobody."""
        while True:
            await self._clock.sleep(_REFUSED)
            if self._left_alone:
                self.look()

    async def _tell(self, view: QueueView) -> bool:
        """Writes the status of a queue where it is another one; returns whether that is done."""
        metadata, name, now = view.metadata, view.metadata.name, self._clock.monotonic()
        wanted = status_of(self._desk, name, view.status, self._clock.now())
        if wanted == view.status or self._left_alone.get(name, now) > now:
            return True
        self._left_alone.pop(name, None)
        self._fence()
        held = {"uid": metadata.uid, "resourceVersion": metadata.resource_version}
        body = {"metadata": held, "status": change_to(view.status, wanted)}
        try:
            with self._events.stepping_back():
                await self._store.patch(QUEUE, key_of(view), Patch("merge", body), subresource="status")
        except RetryError:  # changed meanwhile, or no answer: the next round looks again
            return False
        except PermanentError as error:
            if not isinstance(error, NotFoundError):
                self._left_alone[name] = now + _REFUSED
                _log.warning("status of a queue not written", extra={"queue": name, "reason": error.message})
        await self._clock.sleep(_PAUSE)
        return True


def given_by(kind: ApiResource, view: QueueView) -> Given:
    """Returns what an object says of its queue."""
    try:
        return _READERS[kind](view)
    except UnreadableQueueError as error:
        return Unreadable(str(error))

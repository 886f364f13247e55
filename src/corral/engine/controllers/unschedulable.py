"""Telling pods why they wait: their condition and one event, slowly and only when the sentence changes.

Binding never waits for this. A pod that fits a moment later is told nothing; while much changes, sentences are looked at
once in a while and not with every change. A thousand pods are told in groups with pauses, since whoever owns them all
looks at them again after every change, and sees a group at one glance.
"""

import asyncio
import logging
from collections.abc import Iterator

from corral.control.event_recorder import EventRecorder
from corral.control.object_cache import ObjectCache
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.well_known import POD
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError
from corral.reconcile.builtin.binding.board import Board
from corral.reconcile.builtin.binding.telling import is_told, telling
from corral.reconcile.plan import EmitEvent

_log = logging.getLogger("corral.engine.controllers.binding")

_FIRST = 0.3
"""How long a pod waits before it is told anything, in seconds."""
_GAP = 1.0
"""How long nothing is told again after a round."""
_GROUP = 100
_PAUSE = 0.5
"""How many of a round are told without a pause, and how long that is."""
_AT_ONCE = 8


class Unschedulable:
    """Goes round among the pods that fit nowhere whenever `look` was called."""

    def __init__(self, board: Board, runtime: Runtime, events: EventRecorder, fence: Fence) -> None:
        self._board = board
        self._store = runtime.store
        self._clock = runtime.clock
        self._pods: ObjectCache[Object] = runtime.caches.of(POD)
        self._events = events
        self._fence = fence
        self._asked = asyncio.Event()

    def look(self) -> None:
        """Asks for a round."""
        self._asked.set()

    async def run(self) -> None:
        """Works until cancelled."""
        while True:
            await self._asked.wait()
            await self._clock.sleep(_FIRST)
            self._asked.clear()
            if not await self._go_round():
                self._asked.set()
            await self._clock.sleep(_GAP)

    async def _go_round(self) -> bool:
        """Tells whoever does not know yet; returns whether all could be told."""
        found = [(self._pods.get(key), sentence) for sentence, keys in self._board.refused() for key in keys]
        untold = [(pod, sentence) for pod, sentence in found if pod is not None and not is_told(pod, sentence)]
        is_complete = True
        for first in range(0, len(untold), _GROUP):
            if first:
                await self._clock.sleep(_PAUSE)
            is_complete &= await self._tell_group(iter(untold[first : first + _GROUP]))
        return is_complete

    async def _tell_group(self, group: Iterator[tuple[Object, str]]) -> bool:
        async def tell_some() -> bool:
            is_complete = True
            for pod, sentence in group:
                if self._board.is_waiting(uid_of(pod)):
                    is_complete &= await self._tell(pod, sentence)
            return is_complete

        return all(await asyncio.gather(*(tell_some() for _ in range(_AT_ONCE))))

    async def _tell(self, pod: Object, sentence: str) -> bool:
        self._fence()
        body = telling(pod, sentence, self._clock.now())
        try:
            await self._store.patch(POD, key_of(pod), Patch("strategic", body), subresource="status")
        except RetryError:  # changed meanwhile, or no answer: the next round looks again
            return False
        except PermanentError as error:
            if not isinstance(error, NotFoundError):
                _log.info("reason not written", extra={"pod": str(key_of(pod)), "reason": error.message})
            return True
        self._events.emit(EmitEvent(POD, pod, "FailedScheduling", sentence, "Warning"), with_status=True)
        return True

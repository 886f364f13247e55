"""Telling pods why they wait: their condition and one event, slowly and only when the sentence changes.

Binding never waits for this. A pod that fits a moment later is told nothing. Each pod is told at once when it did not know, and then
more and more rarely while the numbers in its sentence change: a thousand waiting pods must not be written to at every bind. They
are told in groups with pauses, since whoever owns them all looks at them again after every change, and sees a group at one glance.
"""

import asyncio
import logging
from collections.abc import Iterator

from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import Known, Standing
from corral.control.scheduling.sentences import Sentences, complaint_of
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.well_known import POD
from corral.ports.object_store import Patch
from corral.ports.refusals import NotFoundError
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent

_log = logging.getLogger("corral.control.scheduling")

_TYPE = "PodScheduled"
_NO_ROOM, _NOT_READ = "Unschedulable", "SchedulerError"
"""By the first, autoscalers of nodes know for whom to add some; to a pod that cannot be read no node would be of use."""
_FIRST = 0.3
"""How long a pod waits before it is told anything, in seconds."""
_GAP = 1.0
"""How long nothing is told again after a round."""
_LONGEST = 64.0
"""How long a pod at most believes an old sentence whose code has not changed."""
_GROUP = 100
_PAUSE = 0.5
"""How many of a round are told without a pause, and how long that is."""
_AT_ONCE = 8


class Telling:
    """Goes round among the pods that wait whenever `look` was called."""

    def __init__(self, board: Board, runtime: Runtime, fence: Fence) -> None:
        self._board = board
        self._store = runtime.store
        self._clock = runtime.clock
        self._events = runtime.events
        self._fence = fence
        self._asked = asyncio.Event()
        self._told: dict[str, tuple[float, float]] = {}
        """Of each pod when it may be told again, and how long it waited the last time."""

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
        sentences, now = Sentences(self._board), self._clock.monotonic()
        waiting = list(self._board.waiting())
        self._told = {one.uid: self._told[one.uid] for one in waiting if one.uid in self._told}
        found = [(one, sentences.of(one)) for one in waiting]
        untold = [(one, said) for one, said in found if said and not is_told(one, said)]
        due = [(one, said) for one, said in untold if self._told.get(one.uid, (0.0, 0.0))[0] <= now]
        is_complete = len(due) == len(untold)
        for first in range(0, len(due), _GROUP):
            if first:
                await self._clock.sleep(_PAUSE)
            is_complete &= await self._tell_group(iter(due[first : first + _GROUP]))
        return is_complete

    async def _tell_group(self, group: Iterator[tuple[Known, str]]) -> bool:
        async def tell_some() -> bool:
            is_complete = True
            for pod, said in group:
                known = self._board.crowd.get(pod.uid)
                if known is not None and known.standing in (Standing.WAITING, Standing.HELD_BACK):
                    is_complete &= await self._tell(known, said)
            return is_complete

        return all(await asyncio.gather(*(tell_some() for _ in range(_AT_ONCE))))

    async def _tell(self, pod: Known, said: str) -> bool:
        self._fence()
        body = telling(pod, said, self._clock.now())
        try:
            await self._store.patch(POD, pod.key, Patch("strategic", body), subresource="status")
        except RetryError:  # changed meanwhile, or no answer: the next round looks again
            return False
        except PermanentError as error:
            if not isinstance(error, NotFoundError):
                _log.info("reason not written", extra={"pod": str(pod.key), "reason": error.message})
            return True
        _, waited = self._told.get(pod.uid, (0.0, _GAP / 2))
        waits = min(2 * waited, _LONGEST)
        self._told[pod.uid] = (self._clock.monotonic() + waits, waits)
        self._events.emit(EmitEvent(POD, reference_to(pod.view), "FailedScheduling", said, "Warning"), with_status=True)
        return True


def reason_for(pod: Known) -> str:
    """Returns the reason of a pod that waits, as kube-scheduler has it."""
    return _NOT_READ if complaint_of(pod) else _NO_ROOM


def is_told(pod: Known, said: str) -> bool:
    """Whether a pod says this already."""
    told = next((one for one in pod.view.status.conditions if one.type == _TYPE), None)
    return told is not None and (told.status, told.reason, told.message) == ("False", reason_for(pod), said)


def telling(pod: Known, said: str, now: float) -> Object:
    """Returns the strategic patch of a pod's status; it holds for this version of the pod only."""
    told = next((one for one in pod.view.status.conditions if one.type == _TYPE), None)
    since = told.last_transition_time if told is not None and told.status == "False" else None
    condition = {
        "type": _TYPE,
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": since or stamp_of(now),
        "reason": reason_for(pod),
        "message": said,
    }
    metadata = {"uid": pod.uid, "resourceVersion": pod.view.metadata.resource_version}
    return {"metadata": metadata, "status": {"conditions": [condition]}}


def reference_to(pod: SchedulingPod) -> Object:
    """Returns as much of a pod as an event needs to say whom it is about."""
    metadata = pod.metadata
    return {
        "metadata": {
            "name": metadata.name,
            "namespace": metadata.namespace,
            "uid": metadata.uid,
            "resourceVersion": metadata.resource_version,
        }
    }

"""The single writes by which somebody gives way, each repeated until the server has said yes, or that there is nobody any more.

A server that does not let us is asked again now and then: it is told of once, in the log and by an event, and nothing else stops.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

from corral.control.backoff import Backoff
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.concession import JobName, Leaver
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions, Patch
from corral.ports.refusals import ConflictError, NotFoundError
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent

T = TypeVar("T")

_log = logging.getLogger("corral.control.scheduling")
_BACKOFF: Final = Backoff(0.1, 5.0)
_REFUSED: Final = Backoff(5.0, 60.0)

CONDITION: Final = "DisruptionTarget"
REASON: Final = "PreemptionByScheduler"


class Acts:
    """Writes to pods and jobs on behalf of those that give way."""

    def __init__(self, runtime: Runtime, fence: Fence) -> None:
        self._store = runtime.store
        self._clock = runtime.clock
        self._randomness = runtime.randomness
        self._events = runtime.events
        self._fence = fence
        self._complaints: set[str] = set()

    async def mark(self, pod: Leaver, sentence: str) -> None:
        """Lets a pod say that it is taken away, so that its end is not taken for a failure; returns when it does or is gone."""
        body = {"metadata": {"uid": pod.uid}, "status": {"conditions": [condition(sentence, self._clock.now())]}}
        patch = Patch("strategic", body)
        await self._insist("mark pods", pod, lambda: self._store.patch(POD, pod.key, patch, subresource="status"))

    async def delete(self, pod: Leaver) -> None:
        """Asks for the deletion of exactly this pod; returns when it was asked for, or there is no such pod."""
        await self._insist("delete pods", pod, lambda: self._store.delete(POD, pod.key, DeleteOptions(uid=pod.uid)))

    async def touch(self, pod: Leaver, annotations: dict[str, str]) -> Object | None:
        """Changes annotations of exactly this pod, so that binds of an earlier version fail; returns it as it is then, None when it is gone."""
        patch = Patch("merge", {"metadata": {"uid": pod.uid, "annotations": annotations}})
        while True:
            try:
                return await self._insist(
                    "change pods", pod, lambda: self._store.patch(POD, pod.key, patch), is_versioned=True
                )
            except ConflictError:  # another pod of this name, or somebody else changed it meanwhile
                found = await self._insist("read pods", pod, lambda: self._store.get(POD, pod.key))
                if found is None or found["metadata"].get("uid") != pod.uid:
                    return None

    async def change(self, job: JobName, decide: Callable[[Object], Object | None]) -> Object | None:
        """Changes a job by what `decide` makes of its newest version; returns what it is then, None when it is gone.

        A change whose answer was lost is found by looking again.
        """
        while True:
            found = await self._insist("read jobs", job, lambda: self._store.get(job.resource, job.key))
            if found is None or found["metadata"].get("uid") != job.uid:
                return None
            body = decide(found)
            if body is None:
                return found
            patched = partial(self._store.patch, job.resource, job.key, Patch("merge", body))
            try:
                return await self._insist("change jobs", job, patched, is_versioned=True)
            except ConflictError:
                continue

    def tell(self, resource: ApiResource, about: Leaver | JobName, reason: str, message: str) -> None:
        """Tells people."""
        self._events.emit(EmitEvent(resource, reference_to(about), reason, message))

    async def _insist(
        self,
        what: str,
        about: Leaver | JobName,
        send: Callable[[], Awaitable[T]],
        *,
        is_versioned: bool = False,
    ) -> T | None:
        """Returns the answer, None when what it is about is gone, or another one by now has its name."""
        failures = 0
        while True:
            self._fence()
            try:
                with self._events.stepping_back():
                    return await send()
            except NotFoundError:
                return None
            except ConflictError as error:
                if is_versioned or isinstance(about, JobName):
                    raise
                failures += 1
                if not await self._is_the_same(about, failures):
                    return None
                _log.info("nobody gave way yet", extra={"about": str(about.key), "reason": error.message})
            except RetryError as error:
                failures += 1
                _log.info("nobody gave way yet", extra={"about": str(about.key), "reason": error.message})
                await self._pause(_BACKOFF, failures)
                if is_versioned:
                    raise ConflictError(error.message) from error
            except PermanentError as error:
                failures += 1
                self._complain(what, about, error)
                await self._pause(_REFUSED, failures)

    async def _is_the_same(self, pod: Leaver, failures: int) -> bool:
        """Whether a pod whose write met a conflict is still the one that was meant: then others change it all the time."""
        await self._pause(_BACKOFF, failures)
        try:
            found = await self._store.get(POD, pod.key)
        except NotFoundError:
            return False
        except RetryError:
            return True
        return bool(found["metadata"].get("uid") == pod.uid)

    def _complain(self, what: str, about: Leaver | JobName, error: PermanentError) -> None:
        if what in self._complaints:
            return
        self._complaints.add(what)
        _log.warning(
            "the server does not let the scheduler %s: %s", what, error.message, extra={"about": str(about.key)}
        )
        resource = about.resource if isinstance(about, JobName) else POD
        message = f"the scheduler may not {what}, so nothing gives way: {error.message}"
        self._events.emit(EmitEvent(resource, reference_to(about), "FailedGivingWay", message, "Warning"))

    async def _pause(self, backoff: Backoff, failures: int) -> None:
        await self._clock.sleep(backoff.wait(failures, self._randomness.fraction()))


def condition(sentence: str, now: float) -> Object:
    """Returns the condition by which everybody knows a pod that a scheduler takes away, as kube-scheduler writes it."""
    return {
        "type": CONDITION,
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": stamp_of(now),
        "reason": REASON,
        "message": sentence,
    }


def reference_to(about: Leaver | JobName) -> Object:
    """Returns as much of an object as an event needs to say whom it is about."""
    return {"metadata": {"name": about.key.name, "namespace": about.key.namespace, "uid": about.uid}}

"""Carrying decisions out: binds that stand in the ledger, a few at a time, each repeated until the server has said yes or no.

What may happen to a bind, and what it means:

    accepted                     bound; its annotations came with it, in the same write
    no answer                    sent again: the same pod in the same version to the same node is the same bind
    refused                      the pod is read: bound there by an earlier try, bound elsewhere, gone, or changed meanwhile
    changed meanwhile            the new version counts once the ledger was found to be ours after it was seen
    refused again and again      the place is taken back
"""

import asyncio
import logging
from collections import deque
from enum import Enum
from typing import Any, NamedTuple

from corral.control.backoff import Backoff
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.ledger_keeper import LedgerKeeper
from corral.control.scheduling.promises import PodNow, State, state_now
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.names import TAKEN_BACK
from corral.kinds.well_known import POD
from corral.ports.object_store import DeleteOptions, Patch, WriteOptions
from corral.ports.refusals import ConflictError, NotFoundError

_log = logging.getLogger("corral.control.scheduling")
_BACKOFF = Backoff(0.1, 5.0)
_REFUSALS = 3
"""So often a bind of a pod that waits may be refused before its place is taken back."""
_AFTER_REFUSALS = Backoff(1.0, 300.0)
"""How long a pod is left alone after that, in seconds, longer each time."""


class Outcome(Enum):
    """What became of a decision."""

    BOUND = "bound"
    GONE = "gone"
    REFUSED = "refused"


class Settled(NamedTuple):
    """A decision, what became of it, and on which node its pod is."""

    decision: Decision
    outcome: Outcome
    node: str = ""
    reason: str = ""


class Binder:
    """Sends binds of decisions that were written to the ledger."""

    def __init__(self, runtime: Runtime, board: Board, keeper: LedgerKeeper, fence: Fence) -> None:
        self.bound = 0
        """How many pods were bound so far."""
        self._store = runtime.store
        self._clock = runtime.clock
        self._randomness = runtime.randomness
        self._events = runtime.events
        self._board = board
        self._keeper = keeper
        self._fence = fence
        self._line: deque[Decision] = deque()
        self._filled = asyncio.Event()
        self._marks = 0

    def put(self, decisions: list[Decision]) -> None:
        """Lets decisions be carried out; they stand in the ledger."""
        self._line.extend(decisions)
        if decisions:
            self._filled.set()

    async def take(self) -> Settled:
        """Carries out the next decision and returns what became of it; called by several tasks at a time."""
        while not self._line:
            self._filled.clear()
            await self._filled.wait()
        return await self._carry_out(self._line.popleft())

    # --- binding ---

    async def _carry_out(self, decision: Decision) -> Settled:
        version = self._version(decision)
        failures = refusals = 0
        while version:
            self._fence()
            try:
                with self._events.stepping_back():
                    await self._store.create(
                        POD, self._binding(decision, version), WriteOptions(deterministic=True), subresource="binding"
                    )
            except (ConflictError, PermanentError) as refused:
                settled, seen = await self._look(decision, refused)
                if settled is not None:
                    return settled
                refusals += seen == version
                if refusals >= _REFUSALS:
                    return Settled(decision, Outcome.REFUSED, reason=refused.message)
                if seen and seen != version:
                    await self._keeper.confirm()
                version = seen or version
            except RetryError as error:
                _log.info("bind without an answer", extra={"pod": str(decision.key), "reason": error.message})
            else:
                self.bound += 1
                return Settled(decision, Outcome.BOUND, decision.node)
            failures += 1
            await self._clock.sleep(_BACKOFF.wait(failures, self._randomness.fraction()))
        return Settled(decision, Outcome.GONE)

    def _version(self, decision: Decision) -> str:
        """Returns the version of the pod that the decision rests on, "" when the pod is gone."""
        known = self._board.crowd.get(decision.uid)
        return known.view.metadata.resource_version if known is not None else ""

    async def _look(self, decision: Decision, refused: CorralError) -> tuple[Settled | None, str]:
        """Asks for the pod whose bind was refused; returns what became of it, or else the version in which it waits."""
        try:
            pod = await self._read(decision.key)
        except RetryError:
            return None, ""
        now = pod_now(pod)
        match state_now(decision, now):
            case State.BOUND:
                assert now is not None
                self.bound += now.node == decision.node
                return Settled(decision, Outcome.BOUND, now.node), ""
            case State.PROMISED:
                assert pod is not None
                _log.info("bind refused", extra={"pod": str(decision.key), "reason": refused.message})
                return None, pod["metadata"]["resourceVersion"]
            case _:
                return Settled(decision, Outcome.GONE), ""

    async def _read(self, key: ObjectKey) -> Object | None:
        try:
            return await self._store.get(POD, key)
        except NotFoundError:
            return None

    def _binding(self, decision: Decision, version: str) -> Object:
        metadata: dict[str, Any] = {
            "name": decision.key.name,
            "namespace": decision.key.namespace,
            "uid": decision.uid,
            "resourceVersion": version,
        }
        annotations = self._board.handed_over(decision, self._clock.now())
        if annotations:
            metadata["annotations"] = annotations
        target = {"apiVersion": "v1", "kind": "Node", "name": decision.node}
        return {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}

    # --- taking back ---

    async def take_back(self, decision: Decision) -> Settled:
        """Makes sure that a pod is not bound by any bind of this decision that is still on its way, or finds it bound.

        The decision must stand in the ledger as one that is undone, or have been given up by the bind itself.
        """
        self._marks += 1
        mark = f"{self._keeper.epoch}.{self._marks}"
        body = {"metadata": {"uid": decision.uid, "annotations": {TAKEN_BACK: mark}}}
        failures = 0
        while True:
            self._fence()
            try:
                pod: Object | None = await self._store.patch(POD, decision.key, Patch("merge", body))
            except NotFoundError:
                pod = None
            except ConflictError:  # another pod of this name
                pod = await self._read_patiently(decision.key)
            except RetryError as error:
                failures += 1
                _log.info("place not taken back yet", extra={"pod": str(decision.key), "reason": error.message})
                await self._clock.sleep(_BACKOFF.wait(failures, self._randomness.fraction()))
                continue
            now = pod_now(pod)
            if state_now(decision, now) is State.BOUND and now is not None:
                return Settled(decision, Outcome.BOUND, now.node)
            return Settled(decision, Outcome.GONE)

    async def evict(self, decision: Decision) -> None:
        """Lets a bound pod go, so that whoever made it makes it anew; one that is gone already is a success."""
        failures = 0
        while True:
            self._fence()
            try:
                await self._store.delete(POD, decision.key, DeleteOptions(uid=decision.uid))
            except (NotFoundError, ConflictError):
                return
            except RetryError as error:
                failures += 1
                _log.info("pod not evicted yet", extra={"pod": str(decision.key), "reason": error.message})
                await self._clock.sleep(_BACKOFF.wait(failures, self._randomness.fraction()))
            else:
                return

    async def _read_patiently(self, key: ObjectKey) -> Object | None:
        failures = 0
        while True:
            try:
                return await self._read(key)
            except RetryError:
                failures += 1
                await self._clock.sleep(_BACKOFF.wait(failures, self._randomness.fraction()))


def pod_now(pod: Object | None) -> PodNow | None:
    """Returns what the server says of a pod."""
    if pod is None:
        return None
    metadata, spec, phase = pod["metadata"], pod.get("spec") or {}, (pod.get("status") or {}).get("phase")
    is_leaving = bool(metadata.get("deletionTimestamp")) or phase in ("Succeeded", "Failed")
    return PodNow(metadata["uid"], spec.get("nodeName") or "", is_leaving)


def patience_after(refusals: int, fraction: float) -> float:
    """Returns how long a pod is left alone after so many decisions about it in a row were refused."""
    return _AFTER_REFUSALS.wait(refusals, fraction)

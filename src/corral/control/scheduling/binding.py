"""Carrying decisions out: binds that stand in the ledger, a few at a time, each repeated until the server has said yes or no.

What may happen to a bind, and what it means:

    accepted                     bound; its annotations came with it, in the same write
    no answer                    sent again: the same pod in the same version to the same node is the same bind
    no answer for long           given up while the server answers reads; the pod is changed, so that no late bind lands
    refused                      the pod is read: bound there by an earlier try, bound elsewhere, gone, or changed meanwhile
    changed meanwhile            the new version counts once the ledger was found to be ours after it was seen
    refused again and again      the place is taken back
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from heapq import heappop, heappush
from typing import Any, NamedTuple

from corral.control.backoff import Backoff
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.ledger_keeper import LedgerKeeper
from corral.control.scheduling.promises import PodNow, State, state_now
from corral.control.scheduling.turns import Turns
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.well_known import POD
from corral.ports.object_store import WriteOptions
from corral.ports.refusals import ConflictError, NotFoundError

_log = logging.getLogger("corral.control.scheduling")
_BACKOFF = Backoff(0.1, 5.0)
_TURN = 0.5
"""How long a bind waits until it is looked again whether another pod of its node was served, in seconds."""
_REFUSALS = 3
"""So often a bind of a pod that waits may be refused before its place is taken back."""
_FAILURES = 12
"""So often a bind may have no answer, half a minute or so, before it is given up."""
_LOOKED = 0.1
"""How long at most it takes until a bind is sent again whose time has come, in seconds."""
_AFTER_REFUSALS = Backoff(1.0, 300.0)
"""How long a pod is left alone after that, in seconds, longer each time."""


class Outcome(Enum):
    """What became of a decision."""

    BOUND = "bound"
    GONE = "gone"
    REFUSED = "refused"
    UNANSWERED = "unanswered"
    """Given up, while some bind may yet be on its way: the place is not free before the pod was changed."""


class Settled(NamedTuple):
    """A decision, what became of it, and on which node its pod is."""

    decision: Decision
    outcome: Outcome
    node: str = ""
    reason: str = ""


class _Try(NamedTuple):
    """A decision that is being carried out, and what happened so far."""

    decision: Decision
    version: str = ""
    """The version of the pod that the next bind names; "" before the first one."""
    failures: int = 0
    refusals: int = 0
    is_unanswered: bool = False
    """Whether some bind of it had no answer, and may be on its way."""

    @property
    def given_up(self) -> Outcome:
        """Returns what it comes to when it is not tried any more."""
        return Outcome.UNANSWERED if self.is_unanswered else Outcome.REFUSED


class Binder:
    """Sends binds of decisions that were written to the ledger."""

    def __init__(self, runtime: Runtime, board: Board, keeper: LedgerKeeper, fence: Fence) -> None:
        self.bound = 0
        """How many pods were bound so far."""
        self.before: Callable[[Decision], Awaitable[None]] = _nothing
        """What is done before a bind is sent; it raises as a server does that refuses the bind."""
        self._turns = Turns(board)
        self._store = runtime.store
        self._clock = runtime.clock
        self._randomness = runtime.randomness
        self._events = runtime.events
        self._board = board
        self._keeper = keeper
        self._fence = fence
        self._line: deque[_Try] = deque()
        self._filled = asyncio.Event()
        self._later: list[tuple[float, int, _Try]] = []
        self._is_later = asyncio.Event()
        self._count = 0

    def put(self, decisions: Iterable[Decision]) -> None:
        """Lets decisions be carried out; they stand in the ledger."""
        self._line.extend(_Try(one) for one in decisions)
        if self._line:
            self._filled.set()

    async def take(self) -> Settled:
        """Carries out decisions until of one it is known what became of it; called by several tasks at a time."""
        while True:
            while not self._line:
                self._filled.clear()
                await self._filled.wait()
            one = self._line.popleft()
            if self._turns.must_wait(one.decision, self._clock.now()):
                self._put_off(one, _TURN)
                continue
            found = await self._carry_out(one)
            if isinstance(found, Settled):
                return found
            self._put_off(found, _BACKOFF.wait(found.failures, self._randomness.fraction()))

    def _put_off(self, one: _Try, wait: float) -> None:
        due = self._clock.monotonic() + wait
        self._count += 1
        heappush(self._later, (due, self._count, one))
        self._is_later.set()

    async def bring_back(self) -> None:
        """Lets those be tried again whose time has come; works until cancelled. Nobody waits in the place of somebody else."""
        while True:
            while not self._later:
                self._is_later.clear()
                await self._is_later.wait()
            await self._clock.sleep(max(0.0, min(self._later[0][0] - self._clock.monotonic(), _LOOKED)))
            while self._later and self._later[0][0] <= self._clock.monotonic():
                self._line.append(heappop(self._later)[2])
                self._filled.set()

    # --- binding ---

    async def _carry_out(self, one: _Try) -> "Settled | _Try":
        decision, version = one.decision, one.version or self._version(one.decision)
        if not version:
            return Settled(decision, Outcome.GONE)
        self._fence()
        one = one._replace(version=version, failures=one.failures + 1)
        try:
            with self._events.stepping_back():
                await self.before(decision)
                await self._store.create(
                    POD, self._binding(decision, version), WriteOptions(deterministic=True), subresource="binding"
                )
        except (ConflictError, PermanentError) as refused:
            return await self._after_refusal(one, refused)
        except RetryError as error:
            return await self._after_silence(one, error)
        self.bound += 1
        return Settled(decision, Outcome.BOUND, decision.node)

    async def _after_refusal(self, one: _Try, refused: CorralError) -> "Settled | _Try":
        settled, seen = await self._look(one.decision, refused)
        if settled is not None:
            return settled
        refusals = one.refusals + (seen == one.version)
        if refusals >= _REFUSALS:
            return Settled(one.decision, one.given_up, reason=refused.message)
        if seen and seen != one.version:
            await self._keeper.confirm()
        return one._replace(version=seen or one.version, refusals=refusals)

    async def _after_silence(self, one: _Try, error: CorralError) -> "Settled | _Try":
        """Tries on, but not for ever while the server answers others: a bind that fails so often is not the server's trouble alone."""
        _log.info("bind without an answer", extra={"pod": str(one.decision.key), "reason": error.message})
        one = one._replace(is_unanswered=True)
        if one.failures < _FAILURES:
            return one
        settled, seen = await self._look(one.decision, error)
        if settled is None and seen:
            return Settled(one.decision, one.given_up, reason=error.message)
        return settled or one

    def _version(self, decision: Decision) -> str:
        """Returns the version of the pod that the decision rests on, "" when the pod is gone."""
        known = self._board.crowd.get(decision.uid)
        return known.view.metadata.resource_version if known is not None else ""

    async def _look(self, decision: Decision, refused: CorralError) -> tuple[Settled | None, str]:
        """Asks for the pod whose bind was refused; returns what became of it, or else the version in which it waits."""
        try:
            pod = await self._read(decision.key)
        except (RetryError, PermanentError):
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


async def _nothing(_: Decision) -> None:
    """Does nothing."""


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

"""The scheduler: a loop that lets placement decide, writes what it decided to the ledger, and binds.

A reign goes like this, and each step rests on the one before (see `promises.py` for why):

1. Raise the epoch; from now on nobody who began earlier can promise anything.
2. List and follow pods and nodes. What was bound is in the list, what was promised is in the ledger.
3. Make sure that the epoch is still ours. Finish, or take back, what was promised before.
4. Decide, write, bind; again and again. One write carries all that was decided while the last one was on its way.

Four tasks share the work: deciding, writing, a few binders, telling. None waits for another one but through the board.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from corral.control.health import Verdict
from corral.control.leadership import LeadershipLostError
from corral.control.mirror import Delta
from corral.control.object_cache import ObjectCache
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.admission_desk import AdmissionDesk
from corral.control.scheduling.binding import Binder, Outcome, Settled, patience_after
from corral.control.scheduling.board import Board, Decided
from corral.control.scheduling.crowd import group_of
from corral.control.scheduling.explaining import Explaining
from corral.control.scheduling.foretelling import Foretelling
from corral.control.scheduling.giving_way.acts import Acts
from corral.control.scheduling.giving_way.giving_way import GivingWay
from corral.control.scheduling.groups import Groups
from corral.control.scheduling.ledger_keeper import LedgerKeeper
from corral.control.scheduling.measures import Measures
from corral.control.scheduling.orders import Orders
from corral.control.scheduling.outbox import Outbox, Writing
from corral.control.scheduling.promises import State
from corral.control.scheduling.queueing.followed_queues import FollowedQueues
from corral.control.scheduling.queueing.followed_quotas import FollowedQuotas
from corral.control.scheduling.room import FleetRoom
from corral.control.scheduling.taking_back import TakingBack
from corral.control.scheduling.telling import Telling, reference_to
from corral.control.scheduling.volumes import FollowedVolumes
from corral.errors import first_cause
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.kinds.well_known import NODE, POD
from corral.placement.fleet import Fleet
from corral.ports.refusals import InvalidError
from corral.reconcile.plan import EmitEvent

_log = logging.getLogger("corral.control.scheduling")

_BINDERS: Final = 16
"""Binds on their way at the same time."""
_GANGS_AT_ONCE: Final = 32
"""Gangs that have their turn before others may run: at a third of a millisecond each, a pause nobody notices."""
_MOST_PROMISED: Final = 512
"""When so many pods are promised and not bound, deciding waits: the later a decision, the more it knows."""
_TIDY_AFTER: Final = 0.5
"""How long the ledger may keep what is settled when nothing else is to be written, in seconds."""
_PATIENCE: Final = 3.0
"""How long a gang may be half bound before it is taken back, in seconds."""
_REMINDED: Final = 10.0
"""How often it is decided although nothing is new, in seconds, while somebody waits."""
_AFTER_TOO_LARGE: Final = 300.0
"""How long a gang is left alone that does not fit into the ledger, in seconds."""
_AFTER_LOSS: Final = 1.0
"""How long a pod is left alone whose place was taken back, in seconds."""


class Scheduler:
    """One reign; `run` ends with LeadershipLostError when another one has begun."""

    def __init__(self, runtime: Runtime, orders: Orders, measures: Measures, fence: Fence) -> None:
        self._runtime = runtime
        self._clock = runtime.clock
        self._orders = orders
        self._measures = measures
        self._pods: ObjectCache[SchedulingPod] = runtime.caches.shaped(POD, SchedulingPod)
        self._nodes: ObjectCache[SchedulingNode] = runtime.caches.shaped(NODE, SchedulingNode)
        room = FleetRoom(Fleet())
        self.desk = AdmissionDesk(room, orders.terms)
        self.board = Board(room, self.desk, orders.names.__contains__, orders.is_used)
        self._keeper = LedgerKeeper(runtime, orders.ledger, runtime.randomness.token(), fence)
        self._binder = Binder(runtime, self.board, self._keeper, fence)
        self._taking_back = TakingBack(self.board, self._keeper, Acts(runtime, fence), self._take_settled, self._tell)
        self._telling = Telling(self.board, runtime, fence)
        foretelling = Foretelling(self.desk, self._pods.objects, orders.names, runtime.clock)
        self.explaining = Explaining(self.board, self.desk, runtime.clock, runtime.events.emit, fence, foretelling)
        self._groups = Groups(runtime, self.board, orders.names, fence)
        self._groups.on_news = self._tell_news
        self.queues = FollowedQueues(runtime, self.board, self.desk, fence, writes=not orders.shard)
        self.queues.on_news = self._tell_news
        self._volumes = FollowedVolumes(runtime, self.board)
        self._volumes.on_news = self._tell_news
        self._binder.before = self._volumes.choose
        self._quotas = FollowedQuotas(runtime, self.desk)
        self.giving_way = GivingWay(runtime, self.board, self._keeper, fence)
        self.giving_way.on_done = self._tell_news
        self.giving_way.on_evicted = measures.evicted.add
        self._heard = 0
        self._news = asyncio.Event()
        self._to_write = asyncio.Event()
        self._room_to_promise = asyncio.Event()
        self._outbox = Outbox()
        self._half: dict[str, float] = {}
        """Since when gangs are half bound."""
        self._refusals: dict[str, int] = {}
        """How many decisions about a pod in a row the server refused."""
        self._left_alone: dict[str, float] = {}
        """Pods that do not stand in line for a while, and until when."""
        self._promised = asyncio.Event()

    async def run(self) -> None:
        """Works until cancelled, or until the ledger is somebody else's."""
        earlier = await self._keeper.begin()
        self.giving_way.begin(earlier)
        lost: LeadershipLostError | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._runtime.caches.run(), name="scheduling-caches")
                group.create_task(self._runtime.events.run(), name="scheduling-events")
                await self._follow()
                await self._keeper.confirm()
                self._take_over(earlier.decisions)
                group.create_task(self._decide(), name="deciding")
                group.create_task(self._remind(), name="reminding")
                group.create_task(self._write(), name="writing")
                self._taking_back.begin(group)
                group.create_task(self._tidy(), name="tidying")
                group.create_task(self._binder.bring_back(), name="binding-again")
                group.create_task(self._telling.run(), name="telling")
                group.create_task(self.explaining.run(), name="explaining")
                group.create_task(self._groups.run(), name="groups")
                group.create_task(self.queues.run(), name="queues")
                group.create_task(self.giving_way.run(), name="giving-way")
                for number in range(_BINDERS):
                    group.create_task(self._bind(), name=f"binding-{number}")
        except* LeadershipLostError as losses:
            lost = LeadershipLostError(str(first_cause(losses)))
        if lost is not None:
            raise lost

    def verdicts(self) -> list[Verdict]:
        """Returns how every part is."""
        return self._runtime.caches.verdicts()

    def unsynced(self) -> list[Verdict]:
        """Returns what keeps it from working yet."""
        caches = (self._nodes, self._pods)
        return [Verdict(f"cache of {one.title}", False, "no complete list yet") for one in caches if not one.has_synced]

    def follow_epoch(self, epoch: int) -> None:
        """Lets its epoch be above one that is known, also when somebody has deleted the ledger; before `run`."""
        self._keeper.least_epoch = epoch

    @property
    def epoch(self) -> int:
        """Returns the epoch of this reign, 0 before it began."""
        return self._keeper.epoch

    # --- hearing ---

    async def _follow(self) -> None:
        await self.queues.follow()  # no gang may be let in by no terms
        await self._quotas.follow()
        await self._volumes.follow()  # no pod may be bound away from its volumes
        await self._groups.follow()
        self._nodes.subscribe(self._take_nodes)
        await self._nodes.wait_synced()  # a pod that is bound holds its place only where the node is known
        self._pods.subscribe(self._take_pods)
        await self._pods.wait_synced()

    def _take_nodes(self, deltas: Sequence[Delta[SchedulingNode]]) -> None:
        for delta in deltas:
            try:
                self.board.take_node(delta.key.name, delta.new)
            except Exception:  # noqa: BLE001 - logged; a poison object hurts only itself
                _log.exception("node not understood", extra={"node": delta.key.name})
        self._tell_news()

    def _take_pods(self, deltas: Sequence[Delta[SchedulingPod]]) -> None:
        now = self._clock.now()
        for delta in deltas:
            try:
                self.board.take_pod(delta.old, delta.new, now)
            except Exception:  # noqa: BLE001 - logged; a poison object hurts only itself
                _log.exception("pod not understood", extra={"pod": str(delta.key)})
        self._tell_news()

    def _tell_news(self) -> None:
        if self.board.changes != self._heard:
            self._heard = self.board.changes
            self._news.set()

    # --- taking over ---

    def _take_over(self, decisions: Sequence[Decision]) -> None:
        """Holds what was promised before anything else is decided, and lets it be finished, or taken back with its nodes."""
        if not decisions:
            return
        now = self._clock.now()
        for decision in decisions:
            self.board.assume(decision, now)
        for name, group in self.board.promises.groups():
            if any(one.node not in self.board.places for one in group.decisions.values()) and not group.is_settled:
                self.board.undo(name)
        waiting = [one for one in self.board.promises.rows() if self.board.promises.state(one.uid) is State.PROMISED]
        _log.info("finishing what was promised before", extra={"promised": len(decisions), "unbound": len(waiting)})
        self._binder.put([one for one in waiting if not one.is_undone])
        self._promised.set()
        self._to_write.set()

    # --- deciding, writing, binding ---

    async def _decide(self) -> None:
        self._news.set()
        while True:
            await self._news.wait()
            self._news.clear()
            is_complete = False
            while not is_complete:
                await self._wait_for_room()
                began = self._clock.monotonic()
                decided = self.board.decide(self._clock.now(), _GANGS_AT_ONCE, self._keeper.epoch)
                self._measures.decided.observe(self._clock.monotonic() - began)
                is_complete = decided.is_complete
                self._take_decided(decided)
                await asyncio.sleep(0)
            self._telling.look()
            self.queues.look()

    async def _remind(self) -> None:
        """Lets it be decided again where time alone may change the answer: rests end, gangs become old, sizes may change."""
        while True:
            await self._clock.sleep(_REMINDED)
            if self.desk.is_restless:
                self._news.set()

    async def _wait_for_room(self) -> None:
        while len(self.board.promises) >= _MOST_PROMISED:
            self._room_to_promise.clear()
            self._to_write.set()
            await self._room_to_promise.wait()

    def _take_decided(self, decided: Decided) -> None:
        for certificate in decided.certificates:
            self._orders.on_certificate(certificate)
        if decided.evictions or decided.migrations or decided.resizings:
            self.giving_way.take(decided.evictions, decided.migrations, decided.resizings)
        if decided.decisions:
            self._outbox.put(decided.decisions)
            self._promised.set()
            self._to_write.set()

    async def _write(self) -> None:
        while True:
            await self._to_write.wait()
            self._to_write.clear()
            await self._write_once()

    async def _write_once(self) -> None:
        writing = Writing((), ())

        def rows() -> tuple[Decision, ...]:
            nonlocal writing
            for name in list(self.board.closable()):
                self.board.close(name)
                self._half.pop(name, None)
            writing = self._outbox.take(self.board.promises, self._keeper.taken)
            return writing.rows

        began = self._clock.monotonic()
        try:
            await self._keeper.write(rows)
        except InvalidError as error:
            await self._write_less(writing, error)
            return
        self._outbox.was_written()
        self._measures.written.observe(self._clock.monotonic() - began)
        self._refuse(writing.too_large)
        self._tell_news()
        self._room_to_promise.set()
        self._binder.put(writing.fresh)

    async def _write_less(self, writing: Writing, error: InvalidError) -> None:
        """Lets a smaller write follow one that the server did not take; what it takes is its own affair, and no end of the reign."""
        _log.warning("the server does not take the ledger: %s", error.message, extra={"rows": len(writing.rows)})
        self._outbox.was_refused(writing)
        self._refuse(writing.too_large)
        if not writing.fresh:
            await self._clock.sleep(_TIDY_AFTER)
        self._to_write.set()

    def _refuse(self, gangs: Iterable[Sequence[Decision]]) -> None:
        """Takes back what was never promised, because it cannot be written down."""
        for gang in gangs:
            for one in gang:
                said = (
                    f"a gang of {len(gang)} pods is more than one object of the server takes, in which it is promised"
                )
                self._tell(one, "FailedScheduling", said, "Warning")
                self._take_back(one, _AFTER_TOO_LARGE)

    async def _bind(self) -> None:
        while True:
            self._take_settled(await self._binder.take())

    def _take_settled(self, settled: Settled) -> None:
        decision = settled.decision
        match settled.outcome:
            case Outcome.BOUND:
                self.board.settle(decision.uid, State.BOUND, settled.node)
                self._refusals.pop(decision.uid, None)
                if settled.node == decision.node:
                    self._tell_bound(decision)
                known = self.board.crowd.get(decision.uid)
                group = group_of(known) if known is not None else None
                if group is not None:
                    self._groups.look(group)
            case Outcome.GONE:
                self._take_back(decision, _AFTER_LOSS)
            case Outcome.UNANSWERED:
                self._taking_back.give_up(settled)
            case Outcome.REFUSED:
                # All binds of it were answered, or the pod was changed since: none is on its way any more.
                self._measures.refused.add()
                refusals = self._refusals[decision.uid] = self._refusals.get(decision.uid, 0) + 1
                self._tell(decision, "FailedScheduling", f"binding rejected: {settled.reason}", "Warning")
                self._take_back(decision, patience_after(refusals, self._runtime.randomness.fraction()))
        self._tell_news()

    def _take_back(self, decision: Decision, waits: float) -> None:
        """Frees the place of a pod that is certain not to be bound there, and leaves it alone for a while."""
        self.board.take_back(decision.uid, self._clock.now() + waits)
        self._left_alone[decision.uid] = self._clock.monotonic() + waits

    def _tell_bound(self, decision: Decision) -> None:
        self._measures.bound.add()
        known = self.board.crowd.get(decision.uid)
        if known is not None:
            self._measures.waited.observe(max(0.0, self._clock.now() - known.arrived))
        self._tell(decision, "Scheduled", f"Successfully assigned {decision.key} to {decision.node}")

    def _tell(
        self, decision: Decision, reason: str, message: str, kind: Literal["Normal", "Warning"] = "Normal"
    ) -> None:
        known = self.board.crowd.get(decision.uid)
        if known is not None:
            self._runtime.events.emit(EmitEvent(POD, reference_to(known.view), reason, message, kind))

    # --- tidying ---

    async def _tidy(self) -> None:
        """Lets the ledger forget what is settled, gangs go that stay half bound, and pods come back that were left alone."""
        while True:
            if not len(self.board.promises) and not self._left_alone:
                self._promised.clear()
                await self._promised.wait()
            await self._clock.sleep(_TIDY_AFTER)
            now = self._clock.monotonic()
            self._half = {name: self._half.get(name, now) for name in self.board.half_started()}
            for name, since in self._half.items():
                if now - since >= _PATIENCE:
                    self.board.undo(name)
                    self._to_write.set()
            if any(True for _ in self.board.closable()):
                self._to_write.set()
            self._taking_back.look()
            self._let_wait(now)

    def _let_wait(self, now: float) -> None:
        for uid in [uid for uid, due in self._left_alone.items() if due <= now]:
            del self._left_alone[uid]
            self.board.let_wait(uid, self._clock.now())
        self._tell_news()

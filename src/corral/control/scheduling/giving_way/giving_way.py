"""Carrying out what placement asked of gangs that run: to go, to move, to have another size.

    decided ── take ──> in line ── written to the ledger ──> carried out ── its pods are gone ──> leaves the ledger

What was asked is written down before anything is done about it, so whoever takes over after a crash finds it and finishes it:

- An eviction goes on where it was: pods are named by uid, so those that came anew are never meant. All of a gang are marked before
  any is deleted, and nothing of it may start before all of it is gone: it gives way whole.
- A move of which nothing was begun is given up, since the seats it was for are promised to nobody any more. One that was begun is
  finished: the job is resumed. So no job stays suspended by us.
- A resizing is done again, which changes nothing when it was done.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from corral.control.mirror import Delta
from corral.control.plan_executor import Fence
from corral.control.runtime import Runtime
from corral.control.scheduling.board import Board
from corral.control.scheduling.crowd import Standing
from corral.control.scheduling.giving_way.acts import Acts
from corral.control.scheduling.giving_way.bell import Bell
from corral.control.scheduling.giving_way.intents import eviction, migration, resizing
from corral.control.scheduling.giving_way.jobs import Rest, is_sized, rest_of, resuming, scaling, suspending
from corral.control.scheduling.giving_way.memory import kept, past_after
from corral.control.scheduling.ledger_keeper import LedgerKeeper
from corral.kinds.objects import Object
from corral.kinds.scheduling.concession import Concession, JobName, Past, Verb
from corral.kinds.scheduling.ledger import MOST_LEAVERS, Ledger
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.well_known import POD
from corral.placement.admission.cycle import Eviction, Migration, Resizing
from corral.ports.refusals import InvalidError

_log = logging.getLogger("corral.control.scheduling")
_UNTIL_LESS: Final = 1.0
"""How long it takes until a ledger is written again that was too large for the server, in seconds."""
_AT_ONCE: Final = 8
"""Pods of one gang that are written to at the same time."""
_GLANCE: Final = 30.0
"""How often a job is looked at whose pods do not go, in seconds: somebody may have changed it meanwhile."""


class GivingWay:
    """Takes what a cycle decided about gangs that run, and works until each has done it."""

    def __init__(self, runtime: Runtime, board: Board, keeper: LedgerKeeper, fence: Fence) -> None:
        self.on_evicted: Callable[[str], None] = lambda _: None
        """Told of every pod that is sent away, and why."""
        self.on_done: Callable[[], None] = lambda: None
        """Told when somebody gave way: others may have their turn."""
        self._runtime = runtime
        self._clock = runtime.clock
        self._board = board
        self._keeper = keeper
        self._acts = Acts(runtime, fence)
        self._line: deque[Concession] = deque()
        """Taken, and not written yet."""
        self._open: dict[str, Concession] = {}
        """What stands in the ledger, or will with the next write."""
        self._inherited: dict[str, Concession] = {}
        self._pasts: dict[str, Past] = {}
        self._moves = 0
        self._to_do = asyncio.Event()
        self._working: dict[str, asyncio.Task[None]] = {}
        self._pods = Bell(runtime.clock)
        keeper.beside = self._beside

    # --- what is taken ---

    def begin(self, earlier: Ledger) -> None:
        """Takes up what an earlier reign has left; before anything is heard of pods."""
        for past in earlier.pasts:
            self._remember(past)
        for one in earlier.concessions:
            self._board.concede(one)
            self._open[one.gang] = self._inherited[one.gang] = one
        self._to_do.set()

    def take(
        self, evictions: Sequence[Eviction], migrations: Sequence[Migration], resizings: Sequence[Resizing]
    ) -> None:
        """Takes what a cycle decided; from now on nothing of these gangs starts before it is done."""
        crowd = self._board.crowd
        decided = (
            *(eviction(crowd, one) for one in evictions),
            *(migration(crowd, one) for one in migrations),
            *(resizing(crowd, one) for one in resizings),
        )
        for one in decided:
            if one is not None and not self._is_going(one.gang):
                self._line.append(one)
                self._board.concede(one)
                self._to_do.set()

    def _is_going(self, gang: str) -> bool:
        """Whether all of a gang was asked to go already: no more can be asked of it."""
        found = self._board.conceding.get(gang)
        return found is not None and found.takes_all

    def _remember(self, past: Past) -> None:
        self._pasts[past.name] = past
        self._board.crowd.put_past(past)

    # --- the ledger ---

    def _beside(self, ledger: Ledger) -> Ledger:
        """Returns the ledger with what is asked of whom, and what is remembered."""
        return ledger._replace(concessions=tuple(self._open.values()), pasts=tuple(self._pasts.values()))

    async def _write(self) -> None:
        """Writes what is asked of whom; where the server takes no more it waits until less is promised."""
        while True:
            try:
                await self._keeper.write(lambda: self._keeper.ledger.decisions)
            except InvalidError as error:
                _log.warning("the server does not take the ledger: %s", error.message)
                await self._runtime.clock.sleep(_UNTIL_LESS)
            else:
                return

    # --- working ---

    async def run(self) -> None:
        """Works until cancelled, or until the ledger is somebody else's."""
        self._runtime.caches.shaped(POD, SchedulingPod).subscribe(self._take_pods)
        async with asyncio.TaskGroup() as tasks:
            for one in self._inherited.values():
                self._begin_one(tasks, one)
            while True:
                await self._to_do.wait()
                self._to_do.clear()
                fresh = self._open_next()
                await self._write()
                for one in fresh:
                    self._begin_one(tasks, one)

    def _begin_one(self, tasks: asyncio.TaskGroup, concession: Concession) -> None:
        """Begins with a gang; what it was asked before is asked no more."""
        before = self._working.pop(concession.gang, None)
        if before is not None:
            before.cancel()
        name = f"{concession.verb.value} {concession.gang}"
        self._working[concession.gang] = tasks.create_task(self._carry_out(concession), name=name)

    def _take_pods(self, _: Sequence[Delta[SchedulingPod]]) -> None:
        self._pods.ring()

    def _open_next(self) -> list[Concession]:
        """Returns what is carried out next: as much as the ledger has room for, the first in line first."""
        fresh: list[Concession] = []
        named = sum(len(one.pods) for one in self._open.values())
        while self._line and (not named or named + len(self._line[0].pods) <= MOST_LEAVERS):
            one = self._line.popleft()
            named += len(one.pods)
            self._open[one.gang] = one
            self._inherited.pop(one.gang, None)
            fresh.append(one)
            if one.takes_all:
                self._note_past(one)
        self._forget_old()
        return fresh

    def _note_past(self, concession: Concession) -> None:
        crowd = self._board.crowd
        members = [one for one in crowd.members(concession.gang) if one.standing is Standing.SEATED]
        if members:
            arrived = min(one.arrived for one in members)
            past = past_after(crowd, members[0], arrived, self._clock.now())
            if past is not None:
                self._remember(past)

    def _forget_old(self) -> None:
        worth = {one.name: one for one in kept(self._pasts.values(), self._clock.now())}
        for name in self._pasts.keys() - worth.keys():
            self._board.crowd.forget_past(name)
        self._pasts = worth

    async def _carry_out(self, concession: Concession) -> None:
        match concession.verb:
            case Verb.EVICT:
                await self._evict(concession)
            case Verb.MOVE:
                await self._move(concession)
            case Verb.RESIZE:
                await self._resize(concession)
        if self._open.get(concession.gang) is concession:
            del self._open[concession.gang], self._working[concession.gang]
            self._inherited.pop(concession.gang, None)
            self._board.has_conceded(concession)
            self._to_do.set()
            self.on_done()

    # --- eviction ---

    async def _evict(self, concession: Concession) -> None:
        """Sends all pods away: every one is marked before the first is deleted."""
        if concession.job is not None:
            told = f"Its pods make room: {concession.sentence}"
            self._acts.tell(concession.job.resource, concession.job, "Preempted", told)
        left = [one for one in concession.pods if self._stays(one.uid)]
        await self._at_once(partial(self._acts.mark, sentence=concession.sentence), left)
        for one in left:
            self._acts.tell(POD, one, "Preempted", concession.sentence)
            self.on_evicted(concession.reason)
        await self._at_once(self._acts.delete, left)
        await self._until_gone(concession)

    def _stays(self, uid: str) -> bool:
        """Whether a pod is there and was not asked to go; what somebody else deletes is left to them."""
        known = self._board.crowd.get(uid)
        return known is not None and not known.view.metadata.deletion_timestamp

    async def _at_once(self, act: Callable[[Any], Any], what: Iterable[Any]) -> None:
        left = iter(what)

        async def lane() -> None:
            for one in left:
                await act(one)

        async with asyncio.TaskGroup() as lanes:
            for _ in range(_AT_ONCE):
                lanes.create_task(lane())

    async def _until_gone(self, concession: Concession) -> None:
        while self._are_there(concession):
            await self._pods.heard(_GLANCE)

    def _are_there(self, concession: Concession) -> bool:
        return any(self._board.crowd.get(one.uid) is not None for one in concession.pods)

    # --- moving ---

    async def _move(self, concession: Concession) -> None:
        """Suspends a job, and resumes it when its pods are gone; whoever else suspends or resumes it has the last word."""
        job = concession.job
        assert job is not None
        if concession.gang in self._inherited:
            await self._finish_move(concession, job)
        elif await self._suspend(concession, job):
            self._acts.tell(job.resource, job, "Moving", f"Suspended for a moment: {concession.sentence}")
            await self._until_gone(concession)
            await self._resume(job)
            self._acts.tell(job.resource, job, "Moved", "Resumed; it starts on other nodes.")

    async def _finish_move(self, concession: Concession, job: JobName) -> None:
        found = await self._acts.change(job, lambda _: None)
        if found is not None and rest_of(job.resource, found) is Rest.OURS:
            await self._until_gone(concession)
        await self._resume(job)

    async def _suspend(self, concession: Concession, job: JobName) -> bool:
        """Returns whether the job is suspended, and by us."""

        def decide(found: Object) -> Object | None:
            is_free = rest_of(job.resource, found) is Rest.NONE
            return suspending(job.resource, found, concession) if is_free else None

        found = await self._acts.change(job, decide)
        return found is not None and rest_of(job.resource, found) is Rest.OURS

    async def _resume(self, job: JobName) -> None:
        """Resumes a job if it is suspended by us; a suspension of ours that is still on its way fails from now on."""
        self._moves += 1
        mark = f"{self._keeper.epoch}.{self._moves}"
        await self._acts.change(job, lambda found: resuming(job.resource, found, mark))

    # --- resizing ---

    async def _resize(self, concession: Concession) -> None:
        """Tells a job its new size; where no job says it, the pods that are too many are sent away one by one."""
        job = concession.job
        if job is None:
            await self._evict(concession)
            return
        is_changed = False

        def decide(found: Object) -> Object | None:
            nonlocal is_changed
            change = scaling(job.resource, found, concession)
            is_changed = is_changed or change is not None
            return change

        found = await self._acts.change(job, decide)
        if is_changed:
            reason = "Shrunk" if concession.becomes < concession.was else "Grown"
            sizes = f"from {concession.was} to {concession.becomes} pods"
            self._acts.tell(job.resource, job, reason, f"{reason} {sizes}: {concession.sentence}")
        while found is not None and is_sized(job.resource, found, concession) and self._are_there(concession):
            await self._pods.heard(_GLANCE)
            found = await self._acts.change(job, lambda _: None)

"""Taking promises back, each group in a task of its own: one pod that cannot be reached holds up nobody else.

A place is free again when the pod is certain not to be bound there: it is changed first, so that binds which are still on their way
fail, and what the server says then counts. Until that is done the place counts as taken.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from corral.control.scheduling.binding import Outcome, Settled, pod_now
from corral.control.scheduling.board import Board
from corral.control.scheduling.giving_way.acts import Acts
from corral.control.scheduling.ledger_keeper import LedgerKeeper
from corral.control.scheduling.promises import State, state_now
from corral.kinds.scheduling.concession import Leaver
from corral.kinds.scheduling.ledger import Decision
from corral.kinds.scheduling.names import TAKEN_BACK

Tell = Callable[[Decision, str, str, Literal["Normal", "Warning"]], None]


class TakingBack:
    """Takes back groups that the ledger says are undone, and binds that nobody answers."""

    def __init__(
        self, board: Board, keeper: LedgerKeeper, acts: Acts, on_settled: Callable[[Settled], None], tell: Tell
    ) -> None:
        self._board = board
        self._keeper = keeper
        self._acts = acts
        self._on_settled = on_settled
        self._tell = tell
        self._tasks: asyncio.TaskGroup | None = None
        self._under_way: set[str] = set()
        self._marks = 0

    def begin(self, tasks: asyncio.TaskGroup) -> None:
        """Lets everything be done by tasks of a group."""
        self._tasks = tasks

    def look(self) -> None:
        """Begins to take back every group that the ledger says is undone, but for those that are under way."""
        written = {one.uid for one in self._keeper.ledger.decisions if one.is_undone}
        for name, group in self._board.promises.groups():
            if not written.isdisjoint(uid for uid, state in group.states.items() if state in _OPEN):
                self._start(name, self._undo_group(name, written))

    def give_up(self, settled: Settled) -> None:
        """Begins to take back a decision whose binds nobody answers; it may yet turn out to be bound."""
        self._start(settled.decision.uid, self._give_up(settled))

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        assert self._tasks is not None, "it was begun"
        if name in self._under_way:
            work.close()
            return
        self._under_way.add(name)
        self._tasks.create_task(work, name=f"taking-back-{name}").add_done_callback(
            lambda _: self._under_way.discard(name)
        )

    async def _give_up(self, settled: Settled) -> None:
        found = await self._touched(settled.decision)
        if found.outcome is Outcome.GONE:
            found = settled._replace(outcome=Outcome.REFUSED)
        self._on_settled(found)

    async def _undo_group(self, name: str, written: set[str]) -> None:
        group = self._board.promises.group(name)
        for uid, decision in list(group.decisions.items()) if group is not None else ():
            if uid in written and group is not None:
                await self._undo(decision, group.states[uid])

    async def _undo(self, decision: Decision, state: State) -> None:
        if state is State.PROMISED:
            found = await self._touched(decision)
            if found.outcome is Outcome.GONE:
                self._on_settled(found)
                return
            state = State.BOUND
        if state is State.BOUND:
            await self._evict(decision)
            self._board.promises.settle(decision.uid, State.GONE)

    async def _touched(self, decision: Decision) -> Settled:
        """Makes sure that a pod is not bound by any bind of this decision that is still on its way, or finds it bound.

        The decision must stand in the ledger as one that is undone, or have been given up by the bind itself.
        """
        self._marks += 1
        pod = Leaver(decision.uid, decision.key)
        now = pod_now(await self._acts.touch(pod, {TAKEN_BACK: f"{self._keeper.epoch}.{self._marks}"}))
        if state_now(decision, now) is State.BOUND and now is not None:
            return Settled(decision, Outcome.BOUND, now.node)
        return Settled(decision, Outcome.GONE)

    async def _evict(self, decision: Decision) -> None:
        """Lets a pod go whose gang cannot start, if somebody will make it anew; a pod that nobody looks after is only told."""
        known = self._board.crowd.get(decision.uid)
        if known is None:
            return
        if any(one.controller for one in known.view.metadata.owner_references):
            await self._acts.delete(Leaver(decision.uid, decision.key))
            self._tell(decision, "GangTakenBack", "evicted: its gang could not start as a whole", "Warning")
        else:
            said = "its gang could not start as a whole, and holds its places"
            self._tell(decision, "GangIncomplete", said, "Warning")


_OPEN = (State.PROMISED, State.BOUND)
"""Decisions of an undone group that are still to be taken back."""

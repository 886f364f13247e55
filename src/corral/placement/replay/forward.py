"""A line played forward: gangs end when their drawn run times are over, admission decides at every end, until all that can have started.

Nobody comes later. Gangs that are told to give way leave at once, and stand in line again; one that checkpoints goes on where it was.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from corral.placement.admission.admission import Admission
from corral.placement.admission.claims import Running, Waiting
from corral.placement.admission.cycle import Cycle

Length = Callable[[Waiting, float], float]
"""How much longer a gang runs that has run for so long already."""

_MOST_CYCLES = 64
"""Cycles at one moment: each may let others give way, and those that gave way come back in the next."""


class Forward(NamedTuple):
    """When those started that waited, in seconds from the beginning; those that never do are left out."""

    starts: dict[str, float]
    given_way: int
    """How often a gang was told to give way."""


def play_forward(desk: Admission, length: Length, now: float) -> Forward:
    """Plays until nobody waits any more, or nobody runs for whom they could."""
    return _Forward(desk, length, now).play()


class _Forward:
    def __init__(self, desk: Admission, length: Length, now: float) -> None:
        self._desk, self._length, self._began = desk, length, now
        self._left: dict[str, float] = {}
        """How much longer gangs run that were stopped and go on where they were."""
        self._waited = {one.uid for one in desk.line}
        self._starts: dict[str, float] = {}
        self._given_way = 0
        self._due = {uid: now + length(one.claim, now - one.started) for uid, one in desk.ground.running.items()}
        self._ends = [(at, uid) for uid, at in self._due.items()]
        heapify(self._ends)

    def play(self) -> Forward:
        now = self._began
        self._decide(now)
        while self._ends and len(self._starts) < len(self._waited):
            now = self._ends[0][0]
            while self._ends and self._ends[0][0] == now:
                _, uid = heappop(self._ends)
                if self._due.get(uid) == now:
                    del self._due[uid]
                    self._desk.leave(uid)
            self._decide(now)
        return Forward(self._starts, self._given_way)

    def _decide(self, now: float) -> None:
        for _ in range(_MOST_CYCLES):
            cycle = self._desk.cycle(now)
            self._start(cycle, now)
            gone = [*(one.gang for one in cycle.evictions), *(one.gang for one in cycle.migrations)]
            for uid in gone:
                self._stop(uid, now)
            if not gone:
                break

    def _start(self, cycle: Cycle, now: float) -> None:
        for admitted in cycle.admitted:
            uid = admitted.plan.gang
            running = self._desk.ground.running[uid]
            if uid in self._waited:
                self._starts.setdefault(uid, now - self._began)
            length = self._left.pop(uid, None)
            if uid not in self._due:  # those that follow a gang that runs end with it
                self._due[uid] = now + (self._length(running.claim, 0.0) if length is None else length)
                heappush(self._ends, (self._due[uid], uid))

    def _stop(self, uid: str, now: float) -> None:
        running, due = self._desk.ground.running.get(uid), self._due.pop(uid, None)
        if running is None:
            return
        self._given_way += 1
        if running.claim.checkpoints and due is not None:
            self._left[uid] = due - now
        self._desk.unseat(uid)
        self._desk.wait(_again(running))


def _again(running: Running) -> Waiting:
    claim = running.claim
    members = tuple(one._replace(held="") for one in claim.gang.members)
    return claim._replace(gang=claim.gang._replace(members=members), evictions=claim.evictions + 1)

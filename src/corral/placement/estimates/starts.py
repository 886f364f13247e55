"""Estimates of starts, from first to last: asked when a gang has to wait, and told what became of it.

starts = StartEstimates(np.random.default_rng(0))
given = starts.estimate(desk, gang.uid, now)    # after the cycle in which it did not start
starts.started(gang.uid, kind, now)             # of every gang, whether it was asked about or not
starts.ended(kind, run_time)
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from corral.placement.admission.admission import Admission
from corral.placement.admission.amounts import GPU
from corral.placement.admission.order import Entry
from corral.placement.estimates.ahead import ahead_of, waits
from corral.placement.estimates.bands import Bands, Given, Mixture, StartEstimate
from corral.placement.estimates.pace import Pace, Standing
from corral.placement.estimates.run_times import Kind, RunTimes

_DRAWS = 12
_GUESSES = 5
TOGETHER = 3600.0
"""Gangs of a kind that arrive within so many seconds of each other are one batch."""


class _Queue:
    def __init__(self, coverage: float) -> None:
        self.pace, self.mixture, self.bands = Pace(), Mixture(_GUESSES), Bands(coverage)


class _Batch(NamedTuple):
    last: float
    number: int


class StartEstimates:
    """What is known of run times, how fast queues move, and how wrong earlier estimates were."""

    def __init__(self, generator: np.random.Generator, trusts: bool = False, coverage: float = 0.8) -> None:
        self.run_times = RunTimes()
        self._generator = generator
        self._trusts = trusts
        """Whether declared run times are taken as true."""
        self._coverage = coverage
        self._queues: dict[str, _Queue] = {}
        self._given: dict[str, tuple[str, Given]] = {}
        self._latest: list[tuple[float, str]] = []
        self._batches: dict[Kind, _Batch] = {}
        self._count = 0

    def estimate(self, desk: Admission, uid: str, now: float) -> StartEstimate | None:
        """Returns when a gang that waits will start; None when it does not stand in line. The first one of a gang is learnt from."""
        self._judge(now)
        ahead = ahead_of(desk, uid, now, self._trusts)
        entry = desk.line.get(uid)
        if ahead is None or entry is None:
            return None
        queue = self._queue(entry.kind.queue)
        drawn = waits(ahead, self.run_times, 1 if self._trusts else _DRAWS, self._generator)
        standing = _standing(desk, entry, now)
        guess = queue.mixture.weigh(np.array([float(np.median(drawn)), *queue.pace.guesses(standing, now)]))
        band = queue.bands.around(guess, now)
        if uid not in self._given:
            given = Given(now, guess, band, self._batch(Kind(entry.kind.queue, ahead.size), now))
            self._given[uid] = (entry.kind.queue, given)
            queue.bands.give(given)
            heappush(self._latest, (now + band.latest, uid))
        return band

    def started(self, uid: str, kind: Kind, now: float) -> None:
        """Learns that a gang started."""
        self._judge(now)
        queue = self._queue(kind.queue)
        queue.pace.started(now, kind.size / 1000)
        name, given = self._given.pop(uid, ("", None))
        if given is not None:
            queue = self._queue(name)
            given.waited = now - given.at
            queue.pace.waited(given.waited)
            queue.mixture.learn(given.guess, given.waited, queue.bands.weight(given))
            queue.bands.judge(given, given.waited < given.band.earliest, given.waited > given.band.latest)

    def left(self, uid: str) -> None:
        """Learns that a gang went away before it started: nothing can be learnt from its estimate."""
        self._given.pop(uid, None)

    def ended(self, kind: Kind, run_time: float) -> None:
        """Learns how long a gang ran."""
        self.run_times.ended(kind, run_time)

    def _queue(self, name: str) -> _Queue:
        return self._queues.setdefault(name, _Queue(self._coverage))

    def _batch(self, kind: Kind, now: float) -> int:
        before = self._batches.get(kind)
        if before is None or now - before.last >= TOGETHER:
            self._count += 1
            before = _Batch(now, self._count)
        self._batches[kind] = before._replace(last=now)
        return before.number

    def _judge(self, now: float) -> None:
        """Counts bands that were missed above already, although their gangs still wait."""
        while self._latest and self._latest[0][0] < now:
            _, uid = heappop(self._latest)
            name, given = self._given.get(uid, ("", None))
            if given is not None and now > given.at + given.band.latest:
                self._queue(name).bands.judge(given, False, True)


def _standing(desk: Admission, entry: Entry, now: float) -> Standing:
    line, rank = desk.line, desk.line.rank(entry.uid)
    others = line.ordered(entry.kind.queue)
    before = [one for one in others if line.rank(one.uid) < rank]
    gpus = sum(one.needs.get(GPU, 0) for one in (*before, entry)) / 1000
    return Standing(len(before), gpus, max((now - one.claim.arrived for one in others), default=0.0))

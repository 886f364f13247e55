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
from corral.placement.admission.order import Entry
from corral.placement.estimates.ahead import Ahead, ahead_of, counted_of, waits
from corral.placement.estimates.bands import ENOUGH, Bands, Given, Mixture, StartEstimate
from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.pace import Pace, Standing
from corral.placement.estimates.run_times import RunTimes

_DRAWS = 12
_GUESSES = 5
TOGETHER = 3600.0
"""Gangs of a kind that arrive within so many seconds of each other are one batch."""


class _Queue:
    def __init__(self, coverage: float) -> None:
        self.pace, self.mixture = Pace(), Mixture(_GUESSES)
        self.bands, self.halves = Bands(coverage), Bands(0.5)


class _Batch(NamedTuple):
    last: float
    number: int


class _Two(NamedTuple):
    """An estimate that was given, as the band that was promised and as the half of it."""

    queue: str
    whole: Given
    half: Given


class StartEstimates:
    """What is known of run times, how fast queues move, and how wrong earlier estimates were."""

    def __init__(self, generator: np.random.Generator, trusts: bool = False, coverage: float = 0.8) -> None:
        self.run_times = RunTimes()
        self._generator = generator
        self._trusts = trusts
        """Whether declared run times are taken as true."""
        self._coverage = coverage
        self._queues: dict[str, _Queue] = {}
        self._given: dict[str, _Two] = {}
        self._latest: list[tuple[float, str]] = []
        self._batches: dict[Kind, _Batch] = {}
        self._count = 0

    def estimate(self, desk: Admission, uid: str, now: float) -> StartEstimate | None:
        """Returns when a gang that waits will start; None when it does not stand in line. The first one of a gang is learnt from."""
        ahead = ahead_of(desk, uid, now, self._trusts)
        entry = desk.line.get(uid)
        return None if ahead is None or entry is None else self.say(uid, ahead, standing_of(desk, entry, now), now)

    def say(self, uid: str, ahead: Ahead, standing: Standing, now: float, least: float = 0.0) -> StartEstimate:
        """Returns when a gang will start that has so much before it. The first one of a gang is learnt from.

        `least` is what is known otherwise of how long it waits; it counts until errors are known, of which it would be a part.
        """
        self._judge(now)
        name = standing.queue
        queue = self._queue(name)
        drawn = waits(ahead, self.run_times, 1 if self._trusts and ahead.is_declared else _DRAWS, self._generator)
        wait = max(float(np.median(drawn)), least if queue.bands.checked < ENOUGH else 0.0)
        guess = queue.mixture.weigh(np.array([wait, *queue.pace.guesses(standing, now)]))
        band, half = queue.bands.around(guess, now), queue.halves.around(guess, now)
        if uid not in self._given:
            batch = self._batch(Kind(name, ahead.size), now)
            given = _Two(name, Given(now, guess, band, batch), Given(now, guess, half, batch))
            self._given[uid] = given
            queue.bands.give(given.whole)
            queue.halves.give(given.half)
            heappush(self._latest, (now + band.latest, uid))
            heappush(self._latest, (now + half.latest, uid))
        likely = max(half.earliest, band.earliest), min(half.latest, band.latest)
        return band._replace(likely_from=likely[0], likely_to=likely[1], checked=queue.bands.checked)

    def started(self, uid: str, kind: Kind, now: float) -> None:
        """Learns that a gang started."""
        self._judge(now)
        queue = self._queue(kind.queue)
        queue.pace.started(now, kind.size / 1000)
        given = self._given.pop(uid, None)
        if given is not None:
            queue, waited = self._queue(given.queue), now - given.whole.at
            given.whole.waited = given.half.waited = waited
            queue.pace.waited(waited)
            queue.mixture.learn(given.whole.guess, waited, queue.bands.weight(given.whole))
            for bands, one in ((queue.bands, given.whole), (queue.halves, given.half)):
                bands.judge(one, waited < one.band.earliest, waited > one.band.latest)

    def checked(self, queue: str) -> int:
        """Returns how many starts in a queue have shown how wrong estimates are."""
        return self._queue(queue).bands.checked

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
            given = self._given.get(uid)
            if given is None:
                continue
            queue = self._queue(given.queue)
            for bands, one in ((queue.bands, given.whole), (queue.halves, given.half)):
                if now > one.at + one.band.latest:
                    bands.judge(one, False, True)


def standing_of(desk: Admission, entry: Entry, now: float) -> Standing:
    """Returns where a gang stands in its queue."""
    line, rank = desk.line, desk.line.rank(entry.uid)
    others = line.ordered(entry.kind.queue)
    before = [one for one in others if line.rank(one.uid) < rank]
    counted = counted_of(entry.needs)
    size = sum(one.needs.get(counted, 0) for one in (*before, entry)) / 1000
    return Standing(len(before), size, max((now - one.claim.arrived for one in others), default=0.0), entry.kind.queue)

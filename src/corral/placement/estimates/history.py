"""What is learnt from gangs that were seen: each estimate that would have been given is held against what came of it.

The past is played through once: how long gangs ran, how fast queues moved, and, for the latest of those that had to wait, what would
have been said when they came. So the band around what is said now is as wide as estimates were wrong here before.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from corral.placement.estimates.ahead import Ahead
from corral.placement.estimates.gang_runs import GangRun
from corral.placement.estimates.kinds import Kind
from corral.placement.estimates.pace import Standing
from corral.placement.estimates.starts import TOGETHER, StartEstimates

_CHECKED = 30
"""So many of the latest gangs that waited are held against an estimate: each costs a few milliseconds."""


class Around(NamedTuple):
    """What there was when a gang came."""

    running: tuple[GangRun, ...]
    waiting: tuple[GangRun, ...]
    capacity: int
    weights: Mapping[str, int]


class _Event(NamedTuple):
    at: float
    order: int
    """Ends come before starts, and starts before arrivals."""
    run: GangRun


_END, _START, _ARRIVAL = range(3)


def learnt_from(runs: Sequence[GangRun], capacity: int, weights: Mapping[str, int], now: float) -> StartEstimates:
    """Returns estimates that have learnt from the past, up to now; of gangs that are counted in the same way."""
    starts = StartEstimates(np.random.default_rng(0), trusts=True)
    _Past(starts, capacity, weights, _to_check(runs, now)).play(_events(runs, now))
    return starts


def _to_check(runs: Sequence[GangRun], now: float) -> set[str]:
    """Returns the latest of those that had to wait, so far apart that they do not err together."""
    had_to_wait = [one for one in runs if one.waited or one.still_waits(now)]
    chosen: set[str] = set()
    last: dict[Kind, float] = {}
    for one in sorted(had_to_wait, key=lambda one: (-one.arrived, one.uid)):
        if last.get(one.kind, inf) - one.arrived >= TOGETHER and len(chosen) < _CHECKED:
            chosen.add(one.uid)
            last[one.kind] = one.arrived
    return chosen


def _events(runs: Sequence[GangRun], now: float) -> list[_Event]:
    found = []
    for one in runs:
        times = ((one.ended, _END), (one.started, _START), (one.arrived, _ARRIVAL))
        found += [_Event(at, order, one) for at, order in times if at is not None and at <= now]
    return sorted(found, key=lambda one: (one.at, one.order, one.run.uid))


class _Past:
    def __init__(self, starts: StartEstimates, capacity: int, weights: Mapping[str, int], asked: set[str]) -> None:
        self._starts, self._capacity, self._weights, self._asked = starts, capacity, weights, asked
        self._waiting: dict[str, GangRun] = {}
        self._running: dict[str, GangRun] = {}

    def play(self, events: Sequence[_Event]) -> None:
        for at, order, run in events:
            if order == _END:
                self._running.pop(run.uid, None)
                self._starts.ended(run.kind, run.ended - run.started if run.ended and run.started else 0.0)
            elif order == _START:
                self._waiting.pop(run.uid, None)
                self._running[run.uid] = run
                self._starts.started(run.uid, run.kind, at)
            else:
                if run.uid in self._asked:
                    running, waiting = tuple(self._running.values()), tuple(self._waiting.values())
                    around = Around(running, waiting, self._capacity, self._weights)
                    self._starts.say(run.uid, ahead_seen(run, around, at), standing_seen(run, around, at), at)
                self._waiting[run.uid] = run


def ahead_seen(run: GangRun, around: Around, now: float) -> Ahead:
    """Returns what stood before a gang when it came."""
    running = tuple((one.kind, now - (one.started or now), None) for one in around.running)
    own = tuple((one.kind, None) for one in around.waiting if one.queue == run.queue)
    others = sorted({one.queue for one in around.waiting} - {run.queue})
    waiting = (own, *(tuple((one.kind, None) for one in around.waiting if one.queue == name) for name in others))
    weights = tuple(max(around.weights.get(name, 1), 1) for name in (run.queue, *others))
    return Ahead(around.capacity, run.size, running, waiting, weights)


def standing_seen(run: GangRun, around: Around, now: float) -> Standing:
    """Returns where a gang stood in its queue when it came."""
    own = [one for one in around.waiting if one.queue == run.queue]
    size = (run.size + sum(one.size for one in own)) / 1000
    return Standing(len(own), size, max((now - one.arrived for one in own), default=0.0), run.queue)

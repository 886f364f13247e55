"""Estimates of starts while a trace of gangs is played: what was said when a job had to wait, and what came of it."""

from typing import NamedTuple

import numpy as np

from corral.placement.admission.admission import Admission
from corral.placement.estimates.bands import StartEstimate
from corral.placement.estimates.starts import StartEstimates
from corral.placement.replay.gangs_foresight import kind_of
from corral.placement.replay.gangs_trace import GangJob


class Guessed(NamedTuple):
    """What was said of one job, and how long it waited, in seconds."""

    job: GangJob
    said: StartEstimate
    by_gaps: float
    """The plain guess: position in its queue times the mean time between starts of the queue so far."""
    by_run_times: float
    """The plainest guess: position times the mean run time so far."""
    waited: float


class Quality(NamedTuple):
    """How good estimates were; errors in seconds."""

    jobs: int
    coverage: float
    half_coverage: float
    """The part of jobs that started in the band of one half."""
    below: float
    above: float
    median_error: float
    median_error_by_gaps: float
    median_error_by_run_times: float
    median_width: float
    median_wait: float


class Guesser:
    """Asks for an estimate whenever a job has to wait; a `Watcher`."""

    def __init__(self, seed: int, trusts: bool = False, coverage: float = 0.8) -> None:
        self.guessed: list[Guessed] = []
        self._estimates = StartEstimates(np.random.default_rng(seed), trusts, coverage)
        self._open: dict[str, tuple[float, StartEstimate, float, float]] = {}
        self._starts: dict[str, tuple[float, float, int]] = {}
        self._run_times: dict[str, tuple[float, int]] = {}

    def waits(self, job: GangJob, desk: Admission, now: float) -> None:
        """Asks for an estimate."""
        said = self._estimates.estimate(desk, job.uid, now)
        if said is None:
            return
        rank = desk.line.rank(job.uid)
        position = 1 + sum(desk.line.rank(one.uid) < rank for one in desk.line.ordered(job.queue))
        first, last, count = self._starts.get(job.queue, (now, now, 1))
        total, ended = self._run_times.get(job.queue, (0.0, 0))
        gap, run_time = (last - first) / max(count - 1, 1), total / max(ended, 1)
        self._open[job.uid] = (now, said, position * gap, position * run_time)

    def started(self, job: GangJob, now: float) -> None:
        """Notes what came of it."""
        first, _, count = self._starts.get(job.queue, (now, now, 0))
        self._starts[job.queue] = (first, now, count + 1)
        self._estimates.started(job.uid, kind_of(job), now)
        found = self._open.pop(job.uid, None)
        if found is not None:
            at, said, by_gaps, by_run_times = found
            self.guessed.append(Guessed(job, said, by_gaps, by_run_times, now - at))

    def ended(self, job: GangJob, now: float) -> None:
        """Learns a run time."""
        total, ended = self._run_times.get(job.queue, (0.0, 0))
        self._run_times[job.queue] = (total + job.duration, ended + 1)
        self._estimates.ended(kind_of(job), job.duration)


def quality_of(guessed: list[Guessed]) -> Quality:
    """Returns how good estimates were."""
    waited = np.array([one.waited for one in guessed])
    earliest, expected, latest = (np.array([one.said[index] for one in guessed]) for index in range(3))
    by_gaps, by_run_times = np.array([one.by_gaps for one in guessed]), np.array([one.by_run_times for one in guessed])
    likely_from, likely_to = (np.array([one.said[index] for one in guessed]) for index in (3, 4))
    below, above = waited < earliest, waited > latest
    return Quality(
        len(guessed),
        float(1 - below.mean() - above.mean()),
        float(((likely_from <= waited) & (waited <= likely_to)).mean()),
        float(below.mean()),
        float(above.mean()),
        float(np.median(np.abs(waited - expected))),
        float(np.median(np.abs(waited - by_gaps))),
        float(np.median(np.abs(waited - by_run_times))),
        float(np.median(latest - earliest)),
        float(np.median(waited)),
    )

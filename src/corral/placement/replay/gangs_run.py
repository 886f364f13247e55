"""A queue of gangs played through: jobs arrive, admission decides at every arrival and end, and time goes on.

The decisions are those of the product: `Admission` on whatever room is given. What is known of run times comes from a `Foresight`:
what owners declare, or what was learnt from jobs that ended before.
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from corral.placement.admission.admission import Admission
from corral.placement.admission.claims import Waiting
from corral.placement.admission.cycle import Cycle
from corral.placement.replay.gangs_trace import GangJob, gang_of


class Foresight(Protocol):
    """What is known of run times, told of every end."""

    is_declared: bool
    """Whether owners say it."""

    def run_time(self, job: GangJob) -> float | None:
        """Returns how long a job is expected to run, as known when it arrives; None when nobody knows."""

    def ended(self, job: GangJob) -> None:
        """Learns from a job that ended now."""


class Watcher(Protocol):
    """Somebody who looks on, such as one who estimates starts."""

    def waits(self, job: GangJob, desk: Admission, now: float) -> None:
        """A job did not start in the cycle of its arrival."""

    def started(self, job: GangJob, now: float) -> None:
        """A job was admitted."""

    def ended(self, job: GangJob, now: float) -> None:
        """A job ended."""


class Played(NamedTuple):
    """What became of a job."""

    job: GangJob
    started: float

    @property
    def waited(self) -> float:
        """Returns how long it waited."""
        return self.started - self.job.arrived

    @property
    def ended(self) -> float:
        """Returns when it ended."""
        return self.started + self.job.duration


def play(
    jobs: Sequence[GangJob], desk: Admission, foresight: Foresight, watchers: Iterable[Watcher] = ()
) -> list[Played]:
    """Returns when each job started, in the order of starts; a job that never fits is not among them."""
    return _Play(jobs, desk, foresight, tuple(watchers)).run()


class _Play:
    def __init__(
        self, jobs: Sequence[GangJob], desk: Admission, foresight: Foresight, watchers: tuple[Watcher, ...]
    ) -> None:
        self._jobs = {job.uid: job for job in jobs}
        self._desk, self._foresight, self._watchers = desk, foresight, watchers
        # At one moment ends come before arrivals: what ends makes room for what arrives.
        self._events: list[tuple[float, int, str]] = []
        for job in jobs:
            heappush(self._events, (job.arrived, 1, job.uid))
        self._played: list[Played] = []
        self._arrived: dict[str, None] = {}

    def run(self) -> list[Played]:
        while self._events:
            now = self._events[0][0]
            while self._events and self._events[0][0] == now:
                _, is_arrival, uid = heappop(self._events)
                self._happen(self._jobs[uid], bool(is_arrival), now)
            self._carry_out(self._desk.cycle(now), now)
            for uid in self._arrived:
                for one in self._watchers:
                    one.waits(self._jobs[uid], self._desk, now)
            self._arrived.clear()
        return self._played

    def _happen(self, job: GangJob, is_arrival: bool, now: float) -> None:
        if is_arrival:
            self._desk.wait(self._claim(job, now))
            self._arrived[job.uid] = None
        else:
            self._desk.leave(job.uid)
            self._foresight.ended(job)
            for one in self._watchers:
                one.ended(job, now)

    def _claim(self, job: GangJob, now: float) -> Waiting:
        run_time = self._foresight.run_time(job)
        return Waiting(gang_of(job), now, run_time=run_time, is_declared=self._foresight.is_declared)

    def _carry_out(self, cycle: Cycle, now: float) -> None:
        for admitted in cycle.admitted:
            job = self._jobs[admitted.plan.gang]
            self._played.append(Played(job, now))
            heappush(self._events, (now + job.duration, 0, job.uid))
            self._arrived.pop(job.uid, None)
            for one in self._watchers:
                one.started(job, now)

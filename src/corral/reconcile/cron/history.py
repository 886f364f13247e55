"""What became of the jobs of a cron: those that go on, those that have ended, and those that are kept no longer."""

from collections.abc import Sequence

from msgspec.structs import replace

from corral.kinds.cron.cron import CronStatus, Ended, Run
from corral.kinds.objects import Object, is_deleting
from corral.reconcile.cron.jobs import ended_of, is_over, run_of
from corral.reconcile.moments import stamp_of


def with_jobs(status: CronStatus, jobs: Sequence[Object], limit: int, now: float) -> CronStatus:
    """Returns the status as the jobs show it; what was told of jobs that are gone stays, as long as there is room."""
    ended = {one.name: one for one in status.history}
    names = {job["metadata"]["name"] for job in jobs}
    ended |= {run.name: _taken_away(run, now) for run in status.active if run.name not in names | ended.keys()}
    ended |= {job["metadata"]["name"]: ended_of(job) for job in jobs if is_over(job)}
    history = sorted(ended.values(), key=lambda one: (one.scheduled, one.name))
    active = sorted((run_of(job) for job in jobs if not is_over(job)), key=lambda one: (one.scheduled, one.name))
    return replace(status, active=active, history=history[-limit:] if limit else [])


def outdated(status: CronStatus, jobs: Sequence[Object]) -> list[Object]:
    """Returns the jobs that have ended and are kept no longer."""
    kept = {one.name for one in status.history}
    return [job for job in jobs if is_over(job) and job["metadata"]["name"] not in kept and not is_deleting(job)]


def _taken_away(run: Run, now: float) -> Ended:
    return Ended(name=run.name, type=run.kind, status="Deleted", scheduled=run.scheduled, finished=stamp_of(now))

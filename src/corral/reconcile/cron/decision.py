"""A cron's next step.

1. What is being deleted is left alone; its jobs go with it.
2. What is seen is told first: which jobs go on, which have ended, which times were missed, and why no jobs are made.
3. Jobs that have ended and are kept no longer are deleted.
4. If a time is due, its job is made, unless another one goes on and may not, or must go first. Of several times that have
   passed only the latest is made up for.

The job is made before the status tells of it. Its name follows from the cron and the minute, so when the second write is
lost, the first is found again: a crash neither doubles a job nor loses it.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from corral.kinds.cron.cron import CRON, HISTORY_LIMIT, CronSpec, CronStatus
from corral.kinds.cron.examination import UnreadableCronError, errors_of, read_spec
from corral.kinds.cron.template import facts_of_template, resource_of_template
from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.training.catalogue import facts_of
from corral.reconcile.cron import notices
from corral.reconcile.cron.history import outdated, with_jobs
from corral.reconcile.cron.jobs import is_over, job_for, run_at
from corral.reconcile.cron.reckoning import Reckoning, reckoned
from corral.reconcile.cron.world import World
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import NOTHING_TO_DO, Action, Create, Delete, EmitEvent, LookAgainAfter, Plan, SetStatus

LONGEST_WAIT: Final = 30.0
"""A cron is looked at so often although nothing is due: clocks are set, and machines sleep without counting the time."""

Examined = tuple[CronSpec | None, list[str]]
"""A cron's spec as it was read, unless that was impossible, and everything that is wrong with it."""


def examined(cron: Object, knows_zone: bool) -> Examined:
    """Returns the spec of a cron, and everything that is wrong with it."""
    try:
        spec = read_spec(cron)
    except UnreadableCronError as error:
        return None, [str(error)]
    return spec, [str(error) for error in errors_of(cron, knows_zone=knows_zone)]


def status_of(cron: Object) -> CronStatus:
    """Returns what was told of a cron before."""
    return msgspec.convert(cron.get("status") or {}, CronStatus)


def decide(world: World, now: float, examine: Callable[[Object, bool], Examined] = examined) -> Plan:
    """Returns what to do for one cron; `examine` may remember what it found, since it depends on the spec alone."""
    cron = world.cron
    if is_deleting(cron):
        return NOTHING_TO_DO
    spec, problems = examine(cron, world.zone is not None)
    before = status_of(cron)
    seen = with_jobs(before, world.jobs, HISTORY_LIMIT if spec is None else spec.history_limit, now)
    if spec is None or problems:
        return _idle(world, seen, notices.invalid(problems), now)
    if spec.suspend:
        return _idle(world, seen, notices.SUSPENDED, now)
    where = reckoned(world, spec, seen, now)
    saying = notices.SCHEDULED if where.following is not None else notices.over(spec)
    after = replace(where.status, conditions=notices.said(seen.conditions, saying, now))
    if after != before:
        events = notices.about_given_up(world.cron, where.given_up)
        return _told(world, after, events).then(*_look_again(where, now))
    if where.due is None:
        return Plan.of(*_removed(world, outdated(after, world.jobs)), *_look_again(where, now))
    return _made(world, spec, where, after, now)


def _idle(world: World, seen: CronStatus, saying: notices.Saying, now: float) -> Plan:
    """Returns what is told of a cron that makes no jobs; it is looked at again when somebody changes it."""
    conditions = notices.said(seen.conditions, saying, now)
    after = replace(seen, in_force=None, next_schedule_time=None, conditions=conditions)
    if after == status_of(world.cron):
        return Plan.of(*_removed(world, outdated(after, world.jobs)))
    return _told(world, after, notices.about_fault(world.cron, saying))


def _told(world: World, after: CronStatus, events: tuple[EmitEvent, ...]) -> Plan:
    told = SetStatus(CRON, world.cron, msgspec.to_builtins(after), events)
    return Plan.of(told).then(*_removed(world, outdated(after, world.jobs)))


def _made(world: World, spec: CronSpec, where: Reckoning, status: CronStatus, now: float) -> Plan:
    """Returns how the job of the time that is due comes to be, or what it waits for."""
    assert where.due is not None
    cron, moment = world.cron, where.due.latest
    leaving = _removed(world, outdated(status, world.jobs))
    active = [job for job in world.jobs if not is_over(job)]
    if active and spec.concurrency_policy == "Forbid":
        return Plan.of(notices.already_active(cron, active[0], moment), *leaving, *_look_again(where, now))
    if active and spec.concurrency_policy == "Replace":
        # Whoever replaces wants no two at once: those of before go first, with their pods.
        going = _removed(world, [job for job in active if not is_deleting(job)], "Foreground")
        return Plan.of(*going, *leaving, *_look_again(where, now))
    facts = facts_of_template(cron)
    assert facts is not None, "a cron of another kind has a fault"
    job = job_for(cron, moment)
    following = where.after(moment)
    after = replace(
        status,
        last_schedule_time=stamp_of(moment),
        next_schedule_time=None if following is None else stamp_of(following),
        missed=status.missed + where.due.times - 1,
        active=[*status.active, run_at(cron, moment)],
    )
    told = notices.about_missed(cron, where.due.times - 1)
    create = Create(resource_of_template(cron, facts), job, told=notices.about_job(cron, job, moment))
    return Plan.of(create, *leaving).then(SetStatus(CRON, cron, msgspec.to_builtins(after), told))


def _removed(world: World, jobs: Sequence[Object], propagation: str = "Background") -> list[Action]:
    return [
        Delete(
            facts_of(job).resource,
            key_of(job),
            uid_of(job),
            "Foreground" if propagation == "Foreground" else "Background",
            told=notices.about_removal(world.cron, job),
        )
        for job in jobs
    ]


def _look_again(where: Reckoning, now: float) -> list[Action]:
    if where.following is None:
        return []
    wait = where.following - now
    return [LookAgainAfter(min(wait, LONGEST_WAIT) if wait > 0 else LONGEST_WAIT)]

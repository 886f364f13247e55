"""Which times of a cron have passed without having been dealt with.

A time is dealt with when a job was made for it, which the job and then the status tell, or when it was given up: too late,
before the schedule was what it is, while the cron was suspended.
"""

from datetime import UTC
from typing import Final, NamedTuple

from msgspec.structs import replace

from corral.kinds.cron.cron import CronSpec, CronStatus, InForce
from corral.kinds.cron.timetable import Passed, Timetable, passed, timetable_of
from corral.reconcile.cron.jobs import scheduled_of
from corral.reconcile.cron.world import World
from corral.reconcile.moments import seconds_of, stamp_of

LEAP: Final = 3600.0
"""What is further in the future than this was not written by a clock that goes right."""


class Reckoning(NamedTuple):
    """Where a cron stands in its timetable."""

    status: CronStatus
    """With the timetable in force, and with everything counted that was given up."""
    due: Passed | None
    """The time for which a job is to be made now, and how many have passed with it."""
    given_up: int
    """How many times are too late, and were counted just now."""
    following: float | None
    """The next time that was not dealt with; the first that is due if there is one."""
    timetable: Timetable
    deadline: float | None

    def after(self, moment: float) -> float | None:
        """Returns the time that comes after one, None when a job would come too late for it."""
        return _next(self.timetable, moment, self.deadline)


def reckoned(world: World, spec: CronSpec, status: CronStatus, now: float) -> Reckoning:
    """Returns where a cron that is neither wrong nor suspended stands."""
    force, status = _with_timetable(world, spec, status, now)
    since, deadline = seconds_of(force.since) or now, seconds_of(spec.deadline)
    timetable = timetable_of(spec.schedule, world.zone or UTC, anchor=since)
    base = max(since, seconds_of(status.last_schedule_time) or since)
    found = _untold(world, base, now)
    if found is not None:
        before = passed(timetable, base, found)
        missed = status.missed + (before.times - 1 if before else 0)
        base, status = found, replace(status, last_schedule_time=stamp_of(found), missed=missed)
    gone = passed(timetable, base, now if deadline is None else min(now, deadline))
    given_up = 0
    if gone is not None and _is_too_late(gone.latest, spec, deadline, now):
        base, given_up, gone = gone.latest, gone.times, None
        force = replace(force, since=stamp_of(base))
    following = _next(timetable, base, deadline)
    stamp = None if following is None else stamp_of(following)
    status = replace(status, in_force=force, missed=status.missed + given_up, next_schedule_time=stamp)
    return Reckoning(status, gone, given_up, following, timetable, deadline)


def _next(timetable: Timetable, moment: float, deadline: float | None) -> float | None:
    found = next(timetable.after(moment), None)
    return None if found is None or (deadline is not None and found > deadline) else found


def _is_too_late(moment: float, spec: CronSpec, deadline: float | None, now: float) -> bool:
    limit = spec.starting_deadline_seconds
    return (limit is not None and now - moment > limit) or (deadline is not None and now > deadline)


def _with_timetable(world: World, spec: CronSpec, status: CronStatus, now: float) -> tuple[InForce, CronStatus]:
    """Returns the timetable that spec asks for; a new one begins now, and makes up for nothing.

    Only of a cron that nobody has looked at, the times since its creation count. When the clock has gone back by much, it
    was wrong before or is wrong now: the timetable begins anew, since waiting for that time to come again may take years.
    """
    held = status.in_force
    is_new = not world.cron.get("status")
    since = world.cron["metadata"].get("creationTimestamp") if is_new else stamp_of(now)
    fresh = InForce(schedule=spec.schedule, time_zone=spec.time_zone, since=since or stamp_of(now))
    if held is None or (held.schedule, held.time_zone) != (spec.schedule, spec.time_zone):
        return fresh, status
    told = (seconds_of(status.last_schedule_time), seconds_of(held.since))
    if any(moment is not None and moment > now + LEAP for moment in told):
        return fresh, replace(status, last_schedule_time=None)
    return held, status


def _untold(world: World, base: float, now: float) -> float | None:
    """Returns the time of a job that was made and that the status does not tell of: the write was lost on the way."""
    made = (scheduled_of(job) for job in world.jobs)
    return max((one for one in made if one is not None and base < one <= now + LEAP), default=None)

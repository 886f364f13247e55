"""What people hear about a cron: one condition that says whether jobs are made, and events under Kubernetes' names."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from corral.kinds.cron.cron import CRON, Condition, CronSpec
from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent, Told

CONDITION: Final = "Scheduled"
INVALID: Final = "Invalid"
_LONGEST: Final = 900


class Saying(NamedTuple):
    """Whether jobs are made: the status of the condition, the reason for machines and the message for people."""

    status: str
    reason: str
    message: str


SCHEDULED: Final = Saying("True", "Scheduled", "jobs are made by the schedule")
SUSPENDED: Final = Saying("False", "Suspended", "no jobs are made until it is resumed")


def invalid(problems: Sequence[str]) -> Saying:
    """Returns that a cron is wrong, with everything that is wrong about it."""
    return Saying("False", INVALID, "; ".join(problems))


def over(spec: CronSpec) -> Saying:
    """Returns that no further time will come."""
    if spec.deadline:
        return Saying("False", "DeadlinePassed", f"no job is made after {spec.deadline}")
    return Saying("False", "NoMoreTimes", "the schedule names no time of the next fifty years")


def said(conditions: Sequence[Condition], saying: Saying, now: float) -> list[Condition]:
    """Returns the conditions with this one; saying the same again changes nothing."""
    held = next((one for one in conditions if one.type == CONDITION), None)
    if held is not None and (held.status, held.reason, held.message) == saying:
        return list(conditions)
    is_same = held is not None and held.status == saying.status
    turned = held.last_transition_time if held is not None and is_same else stamp_of(now)
    fresh = Condition(
        type=CONDITION,
        status=saying.status,
        reason=saying.reason,
        message=saying.message,
        last_transition_time=turned,
    )
    return [*(one for one in conditions if one.type != CONDITION), fresh]


def about_fault(cron: Object, saying: Saying) -> tuple[EmitEvent, ...]:
    """Returns the warning that a cron is wrong, none when it only rests."""
    if saying.reason != INVALID:
        return ()
    return (EmitEvent(CRON, cron, "InvalidCron", saying.message[:_LONGEST], "Warning", repeats=False),)


def about_given_up(cron: Object, count: int) -> tuple[EmitEvent, ...]:
    """Returns the warning that times have passed for which no job will be made."""
    return (_missed(cron, f"{_times(count)} passed without a job, and it is too late for it"),) if count else ()


def about_missed(cron: Object, count: int) -> tuple[EmitEvent, ...]:
    """Returns the warning that several times have passed and only the latest got its job."""
    return (_missed(cron, f"{_times(count)} passed without a job; only the latest is made up for"),) if count else ()


def already_active(cron: Object, job: Object, moment: float) -> EmitEvent:
    """Returns that a job waits for the end of another one."""
    name = job["metadata"]["name"]
    message = f"The job of {stamp_of(moment)} waits for the end of {name}, since concurrency is forbidden"
    return EmitEvent(CRON, cron, "JobAlreadyActive", message, repeats=False)


def about_job(cron: Object, job: Object, moment: float) -> Told:
    """Returns what is said of a job that is made, or cannot be."""
    name = f"{job['kind']} {job['metadata']['name']}"
    return Told(
        done=EmitEvent(CRON, cron, "SuccessfulCreate", f"Created {name} for {stamp_of(moment)}"),
        failed=EmitEvent(CRON, cron, "FailedCreate", f"Error creating {name}: ", "Warning"),
        taken=EmitEvent(CRON, cron, "UnexpectedJob", f"{name} is there and not of this cron", "Warning", repeats=False),
    )


def about_removal(cron: Object, job: Object) -> Told:
    """Returns what is said of a job that is deleted, or cannot be."""
    name = f"{job['kind']} {job['metadata']['name']}"
    return Told(
        done=EmitEvent(CRON, cron, "SuccessfulDelete", f"Deleted {name}"),
        failed=EmitEvent(CRON, cron, "FailedDelete", f"Error deleting {name}: ", "Warning"),
    )


def _missed(cron: Object, message: str) -> EmitEvent:
    return EmitEvent(CRON, cron, "MissSchedule", message, "Warning")


def _times(count: int) -> str:
    return "1 scheduled time" if count == 1 else f"{count} scheduled times"

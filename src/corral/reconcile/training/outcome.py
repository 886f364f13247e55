"""What has become of a job: running, restarting, succeeded or failed, by its framework's rules and its pods.

Success wins: when the replica that decides has finished well, what happened to the others meanwhile does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.framework import Tally
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.conditions import FAILED, RESTARTING, RUNNING, SUCCEEDED, Saying, said
from corral.reconcile.training.mishaps import Mishap, told_uids
from corral.reconcile.training.sight import Sight
from corral.reconcile.training.tally import was_taken_away


@dataclass(frozen=True, slots=True)
class Outcome:
    """The status after a look, and what people shall hear about it."""

    status: JobStatus
    events: list[EmitEvent] = field(default_factory=list)


def outcome_of(sight: Sight, status: JobStatus, tally: Tally, found: Sequence[Mishap]) -> Outcome:
    """Returns what the pods mean for the job."""
    job, framework = sight.job, sight.framework
    if framework.has_succeeded(job, tally):
        return succeeded(sight, status)
    if lost := next((one for one in found if one.remedy == "give up"), None):
        message = f'job "{job.name}" is failing because "{lost.place.role}" replica(s) failed.'
        return failed(sight, status, message, warns=True)
    if role := _failing_role(sight, tally):
        return failed(sight, status, _failure_message(sight, role, tally[role].failed))
    if hurt := [one for one in found if one.remedy in ("replace", "await")]:
        return _restarting(sight, status, tally, hurt)
    if framework.is_running(job, tally):
        return Outcome(_say(sight, status, running(sight)))
    return Outcome(status)


def succeeded(sight: Sight, status: JobStatus, message: str = "") -> Outcome:
    """Returns the end of a job that has done what it was for."""
    if not message:
        full = sight.framework.speaks_in_full(sight.job)
        verb = "successfully completed." if full else "is successfully completed."
        message = f"{sight.job.kind} {_name(sight, in_full=full)} {verb}"
    return _ended(sight, status, SUCCEEDED, message, warns=False)


def failed(sight: Sight, status: JobStatus, message: str, *, warns: bool = False) -> Outcome:
    """Returns the end of a job that cannot do what it was for."""
    return _ended(sight, status, FAILED, message, warns=warns)


def running(sight: Sight) -> Saying:
    """Returns the condition of a job that runs."""
    name = _name(sight, in_full=sight.framework.speaks_in_full(sight.job))
    return Saying(RUNNING, f"{sight.job.kind}Running", f"{sight.job.kind} {name} is running.")


def begun_anew(sight: Sight, status: JobStatus, message: str) -> Outcome:
    """Returns the status of a job whose pods are all started again."""
    reason = f"{sight.job.kind}Restarting"
    return Outcome(_say(sight, status, Saying(RESTARTING, reason, message)), [sight.event(reason, message, warns=True)])


def _ended(sight: Sight, status: JobStatus, kind: str, message: str, *, warns: bool) -> Outcome:
    if sight.framework.was_always_running:
        status = _say(sight, status, running(sight))
    reason = f"{sight.job.kind}{kind}"
    status = _say(sight, status, Saying(kind, reason, message))
    status = replace(status, completion_time=stamp_of(sight.now))
    return Outcome(status, [sight.event(reason, message, warns=warns)])


def _restarting(sight: Sight, status: JobStatus, tally: Tally, hurt: Sequence[Mishap]) -> Outcome:
    kind, known = sight.job.kind, told_uids(sight.status)
    role = hurt[0].place.role
    by_pod = f"job {sight.job.name} is restarting because {role} replica(s) failed."
    by_count = f"{kind} {sight.job.name} is restarting because {tally[role].failed} {role} replica(s) failed."
    if all(was_taken_away(one.pod) for one in hurt):
        by_pod = by_count = f"{kind} {sight.job.name} is restarting because {len(hurt)} replica(s) had to make room."
    is_replaced = hurt[0].remedy == "replace"
    reason = f"{kind}Restarting"
    status = _say(sight, status, Saying(RESTARTING, reason, by_pod if is_replaced else by_count))
    if all(one.pod.uid in known for one in hurt):
        return Outcome(status)
    told = (
        [by_pod]
        if sight.framework.fails_in_full or by_pod == by_count
        else [by_pod, by_count]
        if is_replaced
        else [by_count]
    )
    return Outcome(status, [sight.event(reason, message, warns=True) for message in told])


def _say(sight: Sight, status: JobStatus, saying: Saying) -> JobStatus:
    return replace(status, conditions=said(status.conditions, saying, sight.now))


def _failing_role(sight: Sight, tally: Tally) -> str | None:
    """Returns the first role whose failed pods are not replaced, and fail the job."""
    job = sight.job
    for role, counts in tally.items():
        never_again = job.roles[role].restart_policy == "Never"
        if counts.failed and never_again and not sight.framework.forgives(job, role):
            return role
    return None


def _failure_message(sight: Sight, role: str, count: int) -> str:
    full = sight.framework.fails_in_full
    verb = "has failed" if full else "is failed"
    return f"{sight.job.kind} {_name(sight, in_full=full)} {verb} because {count} {role} replica(s) failed."


def _name(sight: Sight, *, in_full: bool) -> str:
    return str(sight.job.key) if in_full else sight.job.name

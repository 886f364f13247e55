"""Limits that end a job: so many restarts, so much time."""

from corral.kinds.training.job import TrainingJob
from corral.kinds.training.status import JobStatus
from corral.reconcile.moments import seconds_of
from corral.reconcile.training.sight import Roster

GANG_BUDGET = 6
"""How often a whole gang is restarted when the job sets no back-off limit; one fault must not burn GPUs for ever."""


def backoff_exceeded(
    job: TrainingJob, status: JobStatus, roster: Roster, *, has_failed_again: bool, begins_anew: bool
) -> str:
    """Returns the message of a job that has been restarted too often, or nothing.

    Restarts in place count at the limit, as they always have. Replaced pods count too: a limit of three lets a pod be
    replaced three times, and the fourth failure ends the job. `status` must hold the new failures already.
    """
    limit, in_place = job.run_policy.backoff_limit, _restarted_in_place(job, roster)
    if limit is None:
        is_over = begins_anew and status.restarts > GANG_BUDGET
    else:
        is_over = bool(in_place and in_place >= limit) or (has_failed_again and in_place + status.restarts > limit)
    return f"Job {job.name} has failed because it has reached the specified backoff limit" if is_over else ""


def _restarted_in_place(job: TrainingJob, roster: Roster) -> int:
    return sum(
        pod.restarts()
        for place, pod in roster.members.items()
        if pod.phase == "Running" and job.roles[place.role].restart_policy != "Never"
    )


def deadline_passed(job: TrainingJob, status: JobStatus, now: float) -> str:
    """Returns the message of a job that has been active too long, or nothing."""
    left = seconds_to_deadline(job, status, now)
    if left is None or left > 0:
        return ""
    return f"Job {job.name} has failed because it was active longer than specified deadline"


def seconds_to_deadline(job: TrainingJob, status: JobStatus, now: float) -> float | None:
    """Returns how long the job may still be active, None when it has no deadline."""
    started = seconds_of(status.start_time)
    if job.run_policy.active_deadline_seconds is None or started is None:
        return None
    return started + job.run_policy.active_deadline_seconds - now

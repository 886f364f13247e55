"""What a job says about its progress, as its status tells it, and the target at which it may stop."""

from typing import NamedTuple

from msgspec.structs import replace

from corral.kinds.training.status import JobStatus, Progress
from corral.reconcile.training.progress import progress_of, target_reached, wait_before_write
from corral.reconcile.training.sight import Sight


class Followed(NamedTuple):
    """The status with the progress in it, and when there is more to write."""

    status: JobStatus
    wait: float | None = None
    is_at_target: bool = False


def followed(sight: Sight, status: JobStatus, *, is_last: bool = False) -> Followed:
    """Returns what the last report means; writes are spaced, but the end at a target and the last words are told at once."""
    report, policy = sight.world.report, sight.job.run_policy.progress
    if report is None:
        return Followed(status)
    total = policy.total_steps if policy else None
    fresh = progress_of(report, status.progress, total, sight.now)
    if target_reached(policy, report):
        return Followed(replace(status, progress=replace(fresh, target_reached=True)), is_at_target=True)
    wait = wait_before_write(status.progress, fresh, sight.now)
    if is_last and wait is not None:
        wait = 0.0
    return Followed(replace(status, progress=fresh) if wait == 0.0 else status, wait or None)


def target_message(sight: Sight, status: JobStatus) -> str:
    """Returns what is said about a job that has reached its target."""
    policy = sight.job.run_policy.progress
    assert policy is not None
    assert policy.stop_when is not None
    target, progress = policy.stop_when, status.progress or Progress()
    value = progress.metrics.get(target.metric, target.reaches)
    return f"{sight.job.kind} {sight.job.name} stopped at its target: {target.metric} reached {value:g}."

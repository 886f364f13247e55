"""Suspending a job takes everything from it but its place; resuming starts its clock anew."""

from msgspec.structs import replace

from corral.kinds.training.status import JobStatus, ReplicaStatus
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, LookAgainAfter
from corral.reconcile.training.autoscaling import autoscaler_removal
from corral.reconcile.training.conditions import RESTARTING, RUNNING, SUSPENDED, Saying, find, holds, said
from corral.reconcile.training.gangs import removal as group_removal
from corral.reconcile.training.mishaps import next_loss
from corral.reconcile.training.outcome import Outcome
from corral.reconcile.training.removal import pod_removals, service_removals
from corral.reconcile.training.sight import Sight


def suspended(sight: Sight, status: JobStatus) -> Outcome:
    """Returns the status of a job that waits; its start time stays what it was."""
    kind, conditions = sight.job.kind, status.conditions
    reason, message = f"{kind}Suspended", f"{kind} {sight.job.name} is suspended."
    if find(conditions, RUNNING) or find(conditions, RESTARTING):
        conditions = said(conditions, Saying(RUNNING, reason, message, "False"), sight.now)
    is_news = not holds(conditions, SUSPENDED)
    conditions = said(conditions, Saying(SUSPENDED, reason, message), sight.now)
    counts = {role: _without_active(one) for role, one in status.replica_statuses.items()}
    status = replace(status, conditions=conditions, replica_statuses=counts)
    return Outcome(status, [sight.event(reason, message)] if is_news else [])


def _without_active(counts: ReplicaStatus) -> ReplicaStatus:
    return replace(counts, active=0)


def is_not_over(sight: Sight) -> bool:
    """Whether a job that may go on still has pods that were taken from it; those must not be missed as if they had failed."""
    return holds(sight.status.conditions, SUSPENDED) and bool(sight.world.pods)


def resumed(sight: Sight, status: JobStatus) -> Outcome:
    """Returns the status of a job that may go on, if it was suspended."""
    if not holds(status.conditions, SUSPENDED):
        return Outcome(status)
    reason, message = f"{sight.job.kind}Resumed", f"{sight.job.kind} {sight.job.name} is resumed."
    conditions = said(status.conditions, Saying(SUSPENDED, reason, message, "False"), sight.now)
    status = replace(status, conditions=conditions, start_time=stamp_of(sight.now))
    return Outcome(status, [sight.event(reason, message)])


def emptied(sight: Sight) -> list[Action]:
    """Returns what takes pods, services, gang and autoscaler from a job, whatever its clean-up policy says."""
    world, wait = sight.world, next_loss(sight, sight.world.pods)
    return [
        *pod_removals(sight, world.pods),
        *service_removals(sight, world.services),
        *group_removal(world, sight.job),
        *autoscaler_removal(world),
        *([] if wait is None else [LookAgainAfter(wait)]),
    ]

"""Counting the pods of a job by role, and how the counts are told."""

from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import ReplicaStatus
from corral.reconcile.frameworks.framework import RoleTally, Tally
from corral.reconcile.training.labels import selector_text
from corral.reconcile.training.sight import Roster, Sight


def tallied(sight: Sight, roster: Roster) -> dict[str, RoleTally]:
    """Returns the counts of every role that the job has; Pending and Unknown count nowhere, unless the node is lost."""
    return {role: _count(sight, role, roster) for role in sight.job.roles}


def _count(sight: Sight, role: str, roster: Roster) -> RoleTally:
    pods = [pod for place, pod in roster.members.items() if place.role == role]
    return RoleTally(
        expected=sight.job.count(role),
        active=sum(pod.phase == "Running" and not pod.is_terminating and not sight.has_lost(pod) for pod in pods),
        succeeded=sum(pod.phase == "Succeeded" for pod in pods),
        failed=sum(_has_failed(sight, pod) for pod in pods),
        first=roster.members.get(Place(role, 0)),
    )


def _has_failed(sight: Sight, pod: PodView) -> bool:
    """Whether a pod counts as failed; one that a scheduler took away never does, whatever its program ended with."""
    if was_taken_away(pod):
        return False
    return pod.phase == "Failed" or was_interrupted(sight, pod) or _was_lost(sight, pod)


def was_taken_away(pod: PodView) -> bool:
    """Whether a scheduler has sent a pod away to make room for others; it comes back, whatever its restart policy says."""
    if pod.phase == "Succeeded" or not (pod.is_terminating or pod.phase == "Failed"):
        return False
    return any(
        (one.type, one.status, one.reason) == ("DisruptionTarget", "True", "PreemptionByScheduler")
        for one in pod.status.conditions
    )


def was_interrupted(sight: Sight, pod: PodView) -> bool:
    """Whether somebody deleted a pod while it was running."""
    return (
        sight.framework.counts_terminating
        and pod.phase == "Running"
        and pod.is_terminating
        and not sight.has_dismissed(pod)
    )


def _was_lost(sight: Sight, pod: PodView) -> bool:
    """Whether a pod that ran is lost with its node."""
    return sight.has_lost(pod) and pod.phase in ("Running", "Unknown")


def replica_statuses(job: TrainingJob, tally: Tally, *, succeeded: bool) -> dict[str, ReplicaStatus]:
    """Returns the counts as status tells them; in a job that has succeeded, what still runs counts as done."""
    return {
        role: ReplicaStatus(
            active=0 if succeeded else one.active,
            succeeded=one.succeeded + (one.active if succeeded else 0),
            failed=one.failed,
            selector=selector_text(job, role) if job.facts.reports_selector else "",
        )
        for role, one in tally.items()
    }

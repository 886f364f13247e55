"""Counting the pods of a job by role, and how the counts are told."""

from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import ReplicaStatus
from corral.reconcile.frameworks.framework import Framework, RoleTally, Tally
from corral.reconcile.training.labels import selector_text
from corral.reconcile.training.sight import Roster


def tallied(framework: Framework, job: TrainingJob, roster: Roster) -> dict[str, RoleTally]:
    """Returns the counts of every role that the job has; Pending and Unknown count nowhere."""
    return {role: _count(framework, job, role, roster) for role in job.roles}


def _count(framework: Framework, job: TrainingJob, role: str, roster: Roster) -> RoleTally:
    pods = [pod for place, pod in roster.members.items() if place.role == role]
    return RoleTally(
        expected=job.count(role),
        active=sum(pod.phase == "Running" and not pod.is_terminating for pod in pods),
        succeeded=sum(pod.phase == "Succeeded" for pod in pods),
        failed=sum(pod.phase == "Failed" or was_interrupted(framework, pod) for pod in pods),
        first=roster.members.get(Place(role, 0)),
    )


def was_interrupted(framework: Framework, pod: PodView) -> bool:
    """Whether somebody deleted a pod while it was running."""
    return framework.counts_terminating and pod.phase == "Running" and pod.is_terminating


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

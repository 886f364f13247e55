"""What went wrong with single pods, and what is to be done about each.

A pod that failed is replaced or fails the job, by the restart policy of its role. A pod on a node that was lost counts as
failed as well: waiting for the node to come back could take for ever. Each failure is written into status, with the uid of
its pod, before the pod is deleted; so a crash in between neither forgets it nor counts it twice.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import Failure, JobStatus
from corral.reconcile.training.failures import counts, failure_of, is_worth_retrying, retryable_exit
from corral.reconcile.training.hangs import HangStep
from corral.reconcile.training.labels import restarts_as_gang
from corral.reconcile.training.sight import Roster, Sight
from corral.reconcile.training.tally import was_interrupted, was_taken_away

KEPT_FAILURES = 10

Remedy = Literal["replace", "await", "give up", "leave"]


@dataclass(frozen=True, slots=True)
class Mishap:
    """One pod that failed, was lost or was taken away."""

    place: Place
    pod: PodView
    failure: Failure
    remedy: Remedy
    """Delete it to have it made anew, wait until it is gone, fail the job at once, or leave it to the outcome rules."""
    ends_attempt: bool = False
    """Whether all other pods go with it."""


def mishaps(sight: Sight, roster: Roster) -> list[Mishap]:
    """Returns everything that went wrong, in the order of places."""
    found = []
    for place, pod in roster.members.items():
        if was_taken_away(pod) and not sight.has_dismissed(pod):
            # One that is gone already is looked for no more; on a lost node nobody else says that it is.
            remedy = _remedy_of_taken(sight, pod)
        elif pod.phase == "Failed" and not pod.is_terminating:
            remedy = _remedy(sight.job, place, pod)
        elif sight.has_lost(pod) and not pod.is_finished:
            remedy = _remedy_of_lost(sight.job, place, pod)
        elif was_interrupted(sight, pod):
            remedy = "leave" if _policy(sight.job, place) == "Never" else "await"
        else:
            continue
        failure = failure_of(sight.job, place, pod, sight.world, sight.now)
        ends_attempt = restarts_as_gang(sight.job) and remedy in ("replace", "await")
        if ends_attempt and not is_worth_retrying(failure, sight.status.failures):
            remedy, ends_attempt = "give up", False
        found.append(Mishap(place, pod, replace(failure, attempt=sight.status.attempt), remedy, ends_attempt))
    return found


def next_loss(sight: Sight, pods: Iterable[PodView]) -> float | None:
    """Returns in how many seconds a pod on a lost node is given up, if there is one."""
    waits = (sight.seconds_to_loss(pod) for pod in pods if pod.is_terminating or not pod.is_finished)
    return min((wait for wait in waits if wait is not None and 0 < wait < math.inf), default=None)


def _policy(job: TrainingJob, place: Place) -> str:
    return job.roles[place.role].restart_policy


def _remedy(job: TrainingJob, place: Place, pod: PodView) -> Remedy:
    match _policy(job, place):
        case "Never":
            return "leave"
        case "ExitCode" if not retryable_exit(pod.exit_code(job.facts.container)):
            return "give up"
        case _:
            return "replace"


def _remedy_of_taken(sight: Sight, pod: PodView) -> Remedy:
    """Returns what to do about a pod that made room for others: it comes back when it is gone, whatever its policy."""
    return "await" if pod.is_terminating and not sight.has_lost(pod) else "replace"


def _remedy_of_lost(job: TrainingJob, place: Place, pod: PodView) -> Remedy:
    """Returns what to do about a pod on a lost node; what may not be started twice is failed, unless it never began."""
    may_have_run = pod.phase != "Pending" and not pod.is_terminating
    return "leave" if may_have_run and _policy(job, place) == "Never" else "replace"


def told_uids(status: JobStatus) -> set[str]:
    """Returns the pods whose failure the status tells; those that are gone as well, since news about them may come late."""
    return {*status.counted, *(one.pod_uid for one in status.failures)}


def recorded(job: TrainingJob, status: JobStatus, roster: Roster, found: Sequence[Mishap]) -> JobStatus:
    """Returns the status with new failures written down and counted once each; a gang's count as one together.

    Pods that are sent away because the job was made smaller are noted too: should it be made larger before they are gone,
    their end is not taken for a failure.
    """
    known = told_uids(status)
    fresh = [one for one in found if one.pod.uid not in known]
    present = {pod.uid for pod in (*roster.members.values(), *roster.outdated, *roster.strays)}
    dismissed = [pod.uid for pod in roster.strays if pod.uid not in known]
    kept = [uid for uid in status.counted if uid in present]
    counted = [one for one in fresh if one.remedy == "replace" and counts(one.failure)]
    step = min(1, len(counted)) if restarts_as_gang(job) else len(counted)
    failures = [*status.failures, *(one.failure for one in fresh)][-KEPT_FAILURES:]
    return replace(
        status,
        failures=failures,
        counted=[*kept, *(one.pod.uid for one in fresh), *dismissed],
        restarts=status.restarts + step,
    )


def hung(status: JobStatus, hang: HangStep) -> JobStatus:
    """Returns the status with a hang written down, which counts once however many pods it took."""
    failures = [*status.failures, *hang.failures][-KEPT_FAILURES:]
    return replace(status, failures=failures, restarts=status.restarts + 1)

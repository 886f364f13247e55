"""How long a Job waits: after failures before it tries again, until its deadline, until it is cleared away."""

from collections.abc import Sequence

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.failure_policy import judged
from corral.reconcile.builtin.jobs.job import ended_with, has_true, is_suspended
from corral.reconcile.builtin.jobs.tally import counts_as_failed
from corral.reconcile.builtin.pods import condition_of, phase_of
from corral.reconcile.moments import seconds_of

FIRST_WAIT = 10.0
LONGEST_WAIT = 600.0


def retry_in(job: Object, pods: Sequence[Object], now: float) -> float:
    """Returns the seconds until failed pods may be replaced: doubling with each failure since the last success."""
    successes = [finished_at(pod) for pod in pods if phase_of(pod) == "Succeeded"]
    last_success = max(successes, default=0.0)
    failures = [finished_at(pod) for pod in pods if counts_as_failed(job, pod) and judged(job, pod).action != "Ignore"]
    recent = [moment for moment in failures if moment > last_success]
    if not recent:
        return 0.0
    wait = min(FIRST_WAIT * 2.0 ** min(len(recent) - 1, 20), LONGEST_WAIT)
    return max(0.0, max(recent) + wait - now)


def finished_at(pod: Object) -> float:
    """Returns when a pod ended, by the best evidence there is."""
    status, metadata = pod.get("status") or {}, pod["metadata"]
    ended = [
        seconds_of(((one.get("state") or {}).get("terminated") or {}).get("finishedAt"))
        for one in status.get("containerStatuses") or ()
    ]
    if ended and all(ended):
        return max(moment for moment in ended if moment)
    ready = condition_of(pod, "Ready")
    if ready is not None and ready.get("status") == "False" and (since := seconds_of(ready.get("lastTransitionTime"))):
        return since
    if deleted := seconds_of(metadata.get("deletionTimestamp")):
        return deleted - float(metadata.get("deletionGracePeriodSeconds") or 0)
    return seconds_of(metadata.get("creationTimestamp")) or 0.0


def overdue_in(job: Object, now: float) -> float | None:
    """Returns the seconds until the Job has been active for too long, None when it has no such limit or is suspended."""
    limit, started = job["spec"].get("activeDeadlineSeconds"), seconds_of((job.get("status") or {}).get("startTime"))
    if limit is None or started is None or is_suspended(job) or has_true(job, "Suspended"):
        return None  # the clock of a resumed Job starts anew
    return max(0.0, started + float(limit) - now)


def cleared_in(job: Object, now: float) -> float | None:
    """Returns the seconds until an ended Job is deleted, None when it stays."""
    limit, end = job["spec"].get("ttlSecondsAfterFinished"), ended_with(job)
    if limit is None or end is None:
        return None
    ended = seconds_of(end.get("lastTransitionTime"))
    return None if ended is None else max(0.0, ended + float(limit) - now)

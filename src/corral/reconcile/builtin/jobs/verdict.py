"""Whether a Job has succeeded or failed, and in which words."""

from collections.abc import Sequence
from typing import NamedTuple

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.failure_policy import judged
from corral.reconcile.builtin.jobs.job import FAILING, SUCCEEDING, backoff_limit_of, completions_of, has_true
from corral.reconcile.builtin.jobs.per_index import failed_indexes
from corral.reconcile.builtin.jobs.success_policy import met_rule
from corral.reconcile.builtin.jobs.tally import Tally
from corral.reconcile.builtin.jobs.waiting import overdue_in
from corral.reconcile.builtin.pods import condition_of, is_active, phase_of


class Verdict(NamedTuple):
    """The end of a Job: it stands from the moment it is written, also when pods are still on their way out."""

    succeeds: bool
    reason: str
    message: str


COMPLETED = Verdict(True, "CompletionsReached", "Reached expected number of succeeded pods")
TOO_MANY_FAILURES = Verdict(False, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
FAILED_INDEXES = Verdict(False, "FailedIndexes", "Job has failed indexes")
TOO_MANY_FAILED_INDEXES = Verdict(
    False, "MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"
)
TOO_LATE = Verdict(False, "DeadlineExceeded", "Job was active longer than specified deadline")


def spoken(job: Object) -> Verdict | None:
    """Returns the verdict that was written before."""
    for kind in (SUCCEEDING, FAILING):
        if has_true(job, kind):
            said = condition_of(job, kind) or {}
            return Verdict(kind == SUCCEEDING, said.get("reason", ""), said.get("message", ""))
    return None


def reached(job: Object, tally: Tally, pods: Sequence[Object], now: float) -> Verdict | None:
    """Returns the verdict, None while the Job goes on; what was once written stands."""
    if said := spoken(job):
        return said
    for pod in pods:
        judgement = judged(job, pod)
        if judgement.action == "FailJob":
            return Verdict(False, "PodFailurePolicy", judgement.message)
    if tally.failed > backoff_limit_of(job) or _restarts_exceed(job, pods):
        return TOO_MANY_FAILURES
    if overdue_in(job, now) == 0.0:
        return TOO_LATE
    return _by_index(job, tally, pods) or _by_count(job, tally, pods)


def _by_index(job: Object, tally: Tally, pods: Sequence[Object]) -> Verdict | None:
    """Returns the verdict of the policies that look at single indexes."""
    rule = met_rule(job, tally.completed)
    if rule is not None:
        return Verdict(True, "SuccessPolicy", f"Matched rules at index {rule}")
    failed = failed_indexes(job, pods, tally.completed)
    most = job["spec"].get("maxFailedIndexes")
    if most is not None and len(failed) > int(most):
        return TOO_MANY_FAILED_INDEXES
    if failed and len(failed) + len(tally.completed) >= (completions_of(job) or 0):
        return FAILED_INDEXES
    return None


def _by_count(job: Object, tally: Tally, pods: Sequence[Object]) -> Verdict | None:
    completions = completions_of(job)
    if completions is None:
        return COMPLETED if tally.succeeded > 0 and not any(is_active(pod) for pod in pods) else None
    return COMPLETED if tally.succeeded >= completions else None


def _restarts_exceed(job: Object, pods: Sequence[Object]) -> bool:
    """Whether containers that are restarted in place have failed too often; those failures end no pod."""
    if (job["spec"]["template"].get("spec") or {}).get("restartPolicy") != "OnFailure":
        return False
    restarts = 0
    for pod in pods:
        if is_active(pod) and phase_of(pod) in ("Running", "Pending"):
            status = pod.get("status") or {}
            containers = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
            restarts += sum(int(one.get("restartCount") or 0) for one in containers)
    limit = backoff_limit_of(job)
    return restarts > 0 if limit == 0 else restarts >= limit

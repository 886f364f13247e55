"""Failures of single indexes: with `backoffLimitPerIndex` an index may fail without failing the Job at once."""

from collections.abc import Sequence

from corral.kinds.objects import Object
from corral.reconcile.builtin.jobs.failure_policy import judged
from corral.reconcile.builtin.jobs.indexes import parsed
from corral.reconcile.builtin.jobs.job import completions_of, index_of
from corral.reconcile.builtin.jobs.tally import counts_as_failed

FAILURES = "batch.kubernetes.io/job-index-failure-count"
"""How often its index had failed when a pod was made: the count outlives the pods that failed."""


def limit_of(job: Object) -> int | None:
    """Returns how often each index may fail, None when failures are counted for the Job as a whole."""
    limit = job["spec"].get("backoffLimitPerIndex")
    return None if limit is None else int(limit)


def failures_of(job: Object, pods: Sequence[Object], index: int) -> int:
    """Returns how often an index has failed."""
    most = 0
    for pod in pods:
        if index_of(pod) == index:
            before = (pod["metadata"].get("annotations") or {}).get(FAILURES, "0")
            counts = counts_as_failed(job, pod) and judged(job, pod).action != "Ignore"
            most = max(most, (int(before) if before.isdecimal() else 0) + counts)
    return most


def failed_indexes(job: Object, pods: Sequence[Object], completed: frozenset[int]) -> frozenset[int]:
    """Returns the indexes that have failed for good; one that has succeeded has not."""
    limit, count = limit_of(job), completions_of(job) or 0
    if limit is None:
        return frozenset()
    known = parsed((job.get("status") or {}).get("failedIndexes"), count)
    seen = {index for pod in pods if (index := index_of(pod)) is not None and index < count} - completed
    given_up = {index for pod in pods if judged(job, pod).action == "FailIndex" and (index := index_of(pod)) in seen}
    return known | given_up | {index for index in seen if failures_of(job, pods, index) > limit}

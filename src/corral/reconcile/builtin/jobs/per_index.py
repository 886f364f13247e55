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


def failures(job: Object, pods: Sequence[Object]) -> dict[int, int]:
    """Returns how often each index that has pods has failed."""
    counts: dict[int, int] = {}
    for pod in pods:
        index = index_of(pod)
        if index is not None:
            before = (pod["metadata"].get("annotations") or {}).get(FAILURES, "0")
            is_counted = counts_as_failed(job, pod) and judged(job, pod).action != "Ignore"
            failed = (int(before) if before.isdecimal() else 0) + is_counted
            counts[index] = max(counts.get(index, 0), failed)
    return counts


def failed_indexes(job: Object, pods: Sequence[Object], completed: frozenset[int]) -> frozenset[int]:
    """Returns the indexes that have failed for good; one that has succeeded has not."""
    limit, count = limit_of(job), completions_of(job) or 0
    if limit is None:
        return frozenset()
    known = parsed((job.get("status") or {}).get("failedIndexes"), count)
    exhausted = {index for index, failed in failures(job, pods).items() if failed > limit}
    given_up = {
        index for pod in pods if judged(job, pod).action == "FailIndex" and (index := index_of(pod)) is not None
    }
    return known | {index for index in exhausted | given_up if index < count and index not in completed}

"""Counting results so that none is lost and none counts twice, whatever crashes when.

A pod that has ended is held by a finalizer. Its uid is first noted in the status (`uncountedTerminatedPods`), then the
finalizer is taken away, and when that is seen the uid is exchanged for one more in the counter. Indexes are a set, which
counts each of them once by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corral.kinds.objects import Object, is_deleting, uid_of
from corral.reconcile.builtin.jobs.failure_policy import judged
from corral.reconcile.builtin.jobs.indexes import parsed
from corral.reconcile.builtin.jobs.job import (
    completions_of,
    index_of,
    is_indexed,
    is_tracked,
    replaces_only_failed,
)
from corral.reconcile.builtin.pods import has_ended, phase_of

MOST_NOTED = 500
"""At most so many uids are noted in the status at a time."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The results so far: counters, uids that are noted but not yet in the counters, and completed indexes."""

    counted_succeeded: int
    counted_failed: int
    noted_succeeded: tuple[str, ...] = ()
    noted_failed: tuple[str, ...] = ()
    completed: frozenset[int] = frozenset()
    released: tuple[Object, ...] = ()
    """Pods that are accounted for once this tally is stored, so that nothing needs to hold them."""
    is_indexed: bool = False

    @property
    def succeeded(self) -> int:
        """Returns all successes."""
        return len(self.completed) if self.is_indexed else self.counted_succeeded + len(self.noted_succeeded)

    @property
    def failed(self) -> int:
        """Returns all failures."""
        return self.counted_failed + len(self.noted_failed)

    @property
    def is_settled(self) -> bool:
        """Whether everything is in the counters."""
        return not self.noted_succeeded and not self.noted_failed


def counts_as_failed(job: Object, pod: Object) -> bool:
    """Whether a pod is a failure: it failed, or is going away without having succeeded.

    With podReplacementPolicy Failed, one that is going may still succeed, so it is waited for.
    """
    if phase_of(pod) == "Failed":
        return True
    return is_deleting(pod) and phase_of(pod) != "Succeeded" and not replaces_only_failed(job)


def tallied(job: Object, pods: Sequence[Object], *, is_failing: bool = False, is_over: bool = False) -> Tally:
    """Counts; when the Job is failing, pods that have not ended count as failed; when it is over, no going pod is held."""
    status = job.get("status") or {}
    noted = status.get("uncountedTerminatedPods") or {}
    by_uid = {uid_of(pod): pod for pod in pods}
    good, good_settled = _settled(noted.get("succeeded") or (), by_uid)
    bad, bad_settled = _settled(noted.get("failed") or (), by_uid)
    completed = set(parsed(status.get("completedIndexes"), completions_of(job) or 0))
    released = [by_uid[uid] for uid in (*good, *bad)]
    known = {*good, *bad}
    for pod in pods:
        if uid_of(pod) in known or not is_tracked(pod) or len(good) + len(bad) >= MOST_NOTED:
            continue
        if phase_of(pod) == "Succeeded":
            index = index_of(pod)
            if not is_indexed(job):
                good.append(uid_of(pod))
            elif index is not None and index < (completions_of(job) or 0):
                completed.add(index)
        elif counts_as_failed(job, pod) or (is_failing and not has_ended(pod)):
            if judged(job, pod).action != "Ignore":
                bad.append(uid_of(pod))
        elif not (is_over and is_deleting(pod)):
            continue
        released.append(pod)
    return Tally(
        int(status.get("succeeded") or 0) + good_settled,
        int(status.get("failed") or 0) + bad_settled,
        tuple(good),
        tuple(bad),
        frozenset(completed),
        tuple(released),
        is_indexed(job),
    )


def _settled(noted: Sequence[str], by_uid: Mapping[str, Object]) -> tuple[list[str], int]:
    """Returns the uids that are still held, and how many no longer are and go into the counter."""
    held = [uid for uid in noted if uid in by_uid and is_tracked(by_uid[uid])]
    return held, len(noted) - len(held)

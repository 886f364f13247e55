"""A Job's next step.

1. Over: nothing is held any more; deleted when its time to live has passed.
2. A verdict was reached: the remaining pods go, and when they are gone and counted the Job is over.
3. Suspended: it has no pods, and those it had do not count.
4. Otherwise there shall be as many pods as parallelism and the missing completions ask for.

The step is carried out in this order: pods are made or deleted, the status is written by compare-and-swap, and only then
are counted pods released.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.well_known import JOB
from corral.reconcile.builtin.jobs import per_index, pods_of_job, waiting
from corral.reconcile.builtin.jobs.job import (
    completions_of,
    ended_with,
    index_of,
    is_indexed,
    is_suspended,
    is_tracked,
    parallelism_of,
    replaces_only_failed,
)
from corral.reconcile.builtin.jobs.tally import Tally, tallied
from corral.reconcile.builtin.jobs.verdict import Verdict, reached, spoken
from corral.reconcile.builtin.pods import dispensable_first, has_ended, is_active
from corral.reconcile.plan import NOTHING_TO_DO, Delete, LookAgainAfter, Plan

BURST = 500


@dataclass(frozen=True, slots=True)
class Observed:
    """A Job and its pods, ended ones included."""

    job: Object
    pods: Sequence[Object]
    taken: Collection[str] = ()
    """Names that new pods must not have."""


@dataclass(frozen=True, slots=True)
class Step:
    """What to do: first the pods, then the status (see `jobs.status.report`)."""

    observed: Observed
    tally: Tally
    verdict: Verdict | None = None
    pods: Plan = NOTHING_TO_DO
    active_after: int = 0
    """How many pods will be active when the plan for the pods has succeeded."""
    look_again: float | None = None


def decide(observed: Observed, now: float) -> Step:
    """Returns the next step of a Job that is not over."""
    job, pods = observed.job, observed.pods
    said = spoken(job)
    tally = tallied(job, pods)
    verdict = said or reached(job, tally, pods, now)
    active = [pod for pod in pods if is_active(pod)]
    if verdict is not None:
        tally = tallied(job, pods, is_failing=not verdict.succeeds, is_over=True)
        plan = pods_of_job.removed(job, active, uncounted=verdict.succeeds)
        return Step(observed, tally, verdict, plan)
    deadline = waiting.overdue_in(job, now)
    if is_deleting(job):
        return Step(observed, tally, active_after=len(active))
    if is_suspended(job):
        return Step(observed, tally, pods=pods_of_job.removed(job, active, uncounted=True))
    return _managed(observed, tally, active, deadline, now)


def _managed(observed: Observed, tally: Tally, active: list[Object], deadline: float | None, now: float) -> Step:
    job = observed.job
    surplus = _surplus(observed, tally, active, now)
    if surplus:
        plan = pods_of_job.removed(job, surplus, uncounted=True)
        return Step(observed, tally, None, plan, len(active) - len(surplus), deadline)
    going = [pod for pod in observed.pods if is_deleting(pod) and not has_ended(pod)]
    occupied = [*active, *going] if replaces_only_failed(job) else active
    missing = min(_wanted(observed, tally, len(active)) - len(occupied), BURST)
    if missing <= 0:
        return Step(observed, tally, None, NOTHING_TO_DO, len(active), deadline)
    indexes, wait = _due(observed, tally, occupied, missing, now)
    again = min((limit for limit in (deadline, wait) if limit), default=None)
    plan = pods_of_job.created(observed.job, indexes, observed.pods, observed.taken)
    return Step(observed, tally, None, plan, len(active) + len(indexes), again)


def _due(
    observed: Observed, tally: Tally, occupied: Sequence[Object], missing: int, now: float
) -> tuple[list[int | None], float]:
    """Returns the indexes to make pods for now, and the seconds until others may be tried again."""
    job, pods = observed.job, observed.pods
    if per_index.limit_of(job) is None:
        wait = waiting.retry_in(job, pods, now)
        return ([], wait) if wait > 0 else (_free_indexes(job, tally, occupied, missing, pods), 0.0)
    due: list[int | None] = []
    waits: list[float] = []
    by_index: dict[int | None, list[Object]] = {}
    for pod in pods:
        by_index.setdefault(index_of(pod), []).append(pod)
    for index in _free_indexes(job, tally, occupied, completions_of(job) or 0, pods):
        wait = waiting.retry_in(job, by_index.get(index, ()), now)
        if wait > 0:
            waits.append(wait)
        elif len(due) < missing:
            due.append(index)
    return due, min(waits, default=0.0)


def _wanted(observed: Observed, tally: Tally, active: int) -> int:
    """Returns how many pods shall run."""
    job = observed.job
    completions, parallelism = completions_of(job), parallelism_of(job)
    if completions is None:
        # A work queue: once one worker has found it empty, no new ones are started.
        return min(active, parallelism) if tally.succeeded else parallelism
    failed = per_index.failed_indexes(job, observed.pods, tally.completed)
    return max(0, min(completions - tally.succeeded - len(failed), parallelism))


def _surplus(observed: Observed, tally: Tally, active: list[Object], now: float) -> list[Object]:
    """Returns the pods to give up: wrong or doubled indexes, then the most dispensable ones."""
    leaving: list[Object] = []
    staying = active
    if is_indexed(observed.job):
        leaving, staying = _without_index(observed.job, tally, active)
    nodes = Counter((pod.get("spec") or {}).get("nodeName") or "" for pod in staying)
    extra = max(0, len(staying) - _wanted(observed, tally, len(staying)))
    return [*leaving, *dispensable_first(staying, nodes, now)[:extra]][:BURST]


def _without_index(job: Object, tally: Tally, active: list[Object]) -> tuple[list[Object], list[Object]]:
    """Parts pods whose index is not needed, is out of range or is taken by an older one from the others."""
    leaving: list[Object] = []
    staying: dict[int, Object] = {}
    limit = completions_of(job) or 0
    for pod in sorted(active, key=lambda one: (str(one["metadata"].get("creationTimestamp")), uid_of(one))):
        index = index_of(pod)
        if index is None or index >= limit or index in tally.completed or index in staying:
            leaving.append(pod)
        else:
            staying[index] = pod
    return leaving, list(staying.values())


def _free_indexes(
    job: Object, tally: Tally, occupied: Sequence[Object], count: int, pods: Sequence[Object]
) -> list[int | None]:
    """Returns the lowest indexes that are neither done nor being worked on."""
    if not is_indexed(job):
        return [None] * count
    failed = per_index.failed_indexes(job, pods, tally.completed)
    busy = {index_of(pod) for pod in occupied} | tally.completed | failed
    free = (index for index in range(completions_of(job) or 0) if index not in busy)
    return [index for index, _ in zip(free, range(count), strict=False)]


def ended(observed: Observed, now: float) -> Plan:
    """Returns what is left to do for a Job that is over."""
    job = observed.job
    assert ended_with(job) is not None
    plan = Plan().then(*(pods_of_job.released(pod) for pod in observed.pods if is_tracked(pod)))
    wait = None if is_deleting(job) else waiting.cleared_in(job, now)
    if wait is None:
        return plan
    if wait > 0:
        return plan.then(LookAgainAfter(wait + 0.05))
    version = job["metadata"]["resourceVersion"]
    return plan.then(Delete(JOB, key_of(job), uid_of(job), "Foreground", version=version))

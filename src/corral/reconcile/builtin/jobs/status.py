"""What a Job tells: counters, conditions and times."""

from corral.kinds.objects import Object, is_deleting
from corral.kinds.well_known import JOB
from corral.reconcile.builtin.jobs import per_index, pods_of_job
from corral.reconcile.builtin.jobs.decision import Step
from corral.reconcile.builtin.jobs.indexes import written
from corral.reconcile.builtin.jobs.job import COMPLETE, FAILED, FAILING, SUCCEEDING, has_true, is_indexed, is_suspended
from corral.reconcile.builtin.jobs.tally import Tally
from corral.reconcile.builtin.jobs.verdict import Verdict
from corral.reconcile.builtin.pods import condition_of, has_ended, is_active, is_ready
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import EmitEvent, LookAgainAfter, Plan, Update


def report(step: Step, now: float, *, has_happened: bool) -> Plan:
    """Returns the write of a changed status, then the release of counted pods.

    `has_happened` tells whether the plan for the pods has succeeded; if not, the status tells of the pods as they were.
    """
    job = step.observed.job
    status = _status(step, now, has_happened=has_happened)
    plan = Plan()
    if status != (job.get("status") or {}):
        plan = Plan.of(Update(JOB, {**job, "status": status}, subresource="status"))
        plan = plan.then(*_events(job, status))
    plan = plan.then(*(pods_of_job.released(pod) for pod in step.tally.released))
    waits = [wait for wait in (step.look_again, _first_deadline(job, status)) if wait is not None]
    return plan.then(LookAgainAfter(min(waits) + 0.05)) if waits else plan


def _first_deadline(job: Object, status: Object) -> float | None:
    """Returns the seconds to the deadline of a Job that starts now: its own clock begins with this write."""
    limit, before = job["spec"].get("activeDeadlineSeconds"), job.get("status") or {}
    has_started = status.get("startTime") != before.get("startTime")
    return float(limit) if limit is not None and has_started and not is_suspended(job) else None


def _status(step: Step, now: float, *, has_happened: bool) -> Object:
    job, tally, pods = step.observed.job, step.tally, step.observed.pods
    before = job.get("status") or {}
    active = [pod for pod in pods if is_active(pod)]
    terminating = [pod for pod in pods if is_deleting(pod) and not has_ended(pod)]
    count = step.active_after if has_happened else len(active)
    is_over = step.verdict is not None and not active and not terminating and tally.is_settled
    status: Object = {
        "active": count,
        "ready": sum(1 for pod in active if is_ready(pod)) if count else 0,
        "terminating": len(terminating),
        "succeeded": len(tally.completed) if tally.is_indexed else tally.counted_succeeded,
        "failed": tally.counted_failed,
        "completedIndexes": written(tally.completed) if is_indexed(job) else "",
        "startTime": before.get("startTime"),
        "completionTime": before.get("completionTime"),
    }
    conditions = list(before.get("conditions") or ())
    if step.verdict is None:
        conditions = _started(job, status, conditions, now)
    else:
        conditions = _judged(conditions, step.verdict, now, is_over=is_over)
        if is_over and step.verdict.succeeds:
            status["completionTime"] = stamp_of(now)
    status["conditions"] = conditions
    kept = {name: value for name, value in status.items() if value or name in ("ready", "terminating")}
    if per_index.limit_of(job) is not None:
        kept["failedIndexes"] = written(per_index.failed_indexes(job, pods, tally.completed))
    return {**kept, "uncountedTerminatedPods": _noted(tally)}


def _noted(tally: Tally) -> Object:
    noted = {"succeeded": list(tally.noted_succeeded), "failed": list(tally.noted_failed)}
    return {name: uids for name, uids in noted.items() if uids}


def _started(job: Object, status: Object, conditions: list[Object], now: float) -> list[Object]:
    """Notes that a Job was started, suspended or resumed."""
    if is_suspended(job):
        if has_true(job, "Suspended"):
            return conditions
        return _with(conditions, "Suspended", ("True", "JobSuspended", "Job suspended"), now)
    if has_true(job, "Suspended"):
        status["startTime"] = stamp_of(now)
        return _with(conditions, "Suspended", ("False", "JobResumed", "Job resumed"), now)
    if not status["startTime"]:
        status["startTime"] = stamp_of(now)
    return conditions


def _judged(conditions: list[Object], verdict: Verdict, now: float, *, is_over: bool) -> list[Object]:
    """Notes the verdict, and the end once the last pod is gone and counted."""
    first, last = (SUCCEEDING, COMPLETE) if verdict.succeeds else (FAILING, FAILED)
    words = ("True", verdict.reason, verdict.message)
    conditions = _with(conditions, first, words, now)
    return _with(conditions, last, words, now) if is_over else conditions


def _with(conditions: list[Object], kind: str, words: tuple[str, str, str], now: float) -> list[Object]:
    status, reason, message = words
    present = next((one for one in conditions if one.get("type") == kind), None)
    if present is not None and present.get("status") == status:
        return conditions
    stamp = stamp_of(now)
    told = {"type": kind, "status": status, "lastProbeTime": stamp, "lastTransitionTime": stamp}
    told |= {"reason": reason, "message": message}
    if present is None:
        return [*conditions, told]
    return [told if one is present else one for one in conditions]


def _events(job: Object, status: Object) -> list[EmitEvent]:
    """Returns what people are told about a change of conditions."""
    told: list[EmitEvent] = []
    after = {"status": status}
    for kind, value, event in (
        (COMPLETE, "True", ("Completed", "Job completed", "Normal")),
        (FAILED, "True", None),
        ("Suspended", "True", ("Suspended", "Job suspended", "Normal")),
        ("Suspended", "False", ("Resumed", "Job resumed", "Normal")),
    ):
        new, old = condition_of(after, kind), condition_of(job, kind)
        if new is None or new.get("status") != value or (old or {}).get("status") == value:
            continue
        if event is None:
            told.append(EmitEvent(JOB, job, new["reason"], new["message"], "Warning"))
        else:
            told.append(EmitEvent(JOB, job, event[0], event[1]))
    return told

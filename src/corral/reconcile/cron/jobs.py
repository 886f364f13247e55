"""The jobs of a cron: how one is made for a time, and how it is read afterwards."""

from typing import Any

from corral.kinds.cron.cron import CRON, SCHEDULED_AT, Ended, Run
from corral.kinds.cron.template import facts_of_template, job_at, job_name
from corral.kinds.objects import Object, owner_reference
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.facts import KindFacts
from corral.reconcile.moments import seconds_of, stamp_of

_ENDS = ("Succeeded", "Failed")


def job_for(cron: Object, moment: float) -> Object:
    """Returns the job of a time, managed by its cron."""
    job = job_at(cron, moment)
    job["metadata"]["annotations"][SCHEDULED_AT] = stamp_of(moment)
    job["metadata"]["ownerReferences"] = [owner_reference(CRON, cron)]
    return job


def scheduled_of(job: Object) -> float | None:
    """Returns the time for which a job was made."""
    return seconds_of((job["metadata"].get("annotations") or {}).get(SCHEDULED_AT))


def is_over(job: Object) -> bool:
    """Whether a job has come to its end, good or bad."""
    return _end(job) is not None


def run_of(job: Object) -> Run:
    """Returns a job that goes on as its cron tells of it."""
    return _run(facts_of(job), job["metadata"]["name"], _stamp(scheduled_of(job)))


def run_at(cron: Object, moment: float) -> Run:
    """Returns the job of a time in the same words, before anybody has seen it."""
    facts = facts_of_template(cron)
    assert facts is not None, "only a cron without faults makes jobs"
    return _run(facts, job_name(cron, moment), stamp_of(moment))


def ended_of(job: Object) -> Ended:
    """Returns a job that is over as its cron tells of it."""
    end = _end(job) or {}
    status = job.get("status") or {}
    return Ended(
        name=job["metadata"]["name"],
        type=job["kind"],
        status=str(end.get("type", "")),
        scheduled=_stamp(scheduled_of(job)),
        created=job["metadata"].get("creationTimestamp"),
        finished=status.get("completionTime") or end.get("lastTransitionTime") or None,
    )


def _run(facts: KindFacts, name: str, scheduled: str) -> Run:
    return Run(api_version=facts.resource.api_version, kind=facts.kind, name=name, scheduled=scheduled)


def _end(job: Object) -> dict[str, Any] | None:
    conditions = (job.get("status") or {}).get("conditions") or []
    ends = (one for one in conditions if one.get("type") in _ENDS and one.get("status") == "True")
    return next(ends, None)


def _stamp(moment: float | None) -> str:
    return "" if moment is None else stamp_of(moment)

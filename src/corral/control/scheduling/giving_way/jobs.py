"""What is written into a job so that it moves, or has another size; each change holds for the version that was looked at. Pure.

A job that was suspended by us says so in an annotation, in the same write. Whoever takes the annotation away, or resumes the job, has
the last word: it is resumed only as long as it is suspended and says that it was us.
"""

from enum import Enum
from typing import Any

from corral.kinds.objects import Object, is_deleting
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.concession import Concession
from corral.kinds.scheduling.names import MOVED, MOVES_FOR
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.reading import UnreadableJobError, read_job
from corral.kinds.well_known import JOB
from corral.reconcile.training.elastic import WORKER, bounds_of

_ENDS = frozenset({"Succeeded", "Failed", "Complete"})


class Rest(Enum):
    """Whether a job is suspended, and by whom."""

    NONE = "none"
    OURS = "ours"
    OTHERS = "others"
    OVER = "over"
    """It has ended, or is being deleted."""


def rest_of(resource: ApiResource, job: Object) -> Rest:
    """Returns whether a job is suspended, and by whom."""
    conditions = (job.get("status") or {}).get("conditions") or []
    if is_deleting(job) or any(one.get("type") in _ENDS and one.get("status") == "True" for one in conditions):
        return Rest.OVER
    if not _at(job, _path(resource)):
        return Rest.NONE
    return Rest.OURS if MOVES_FOR in (job["metadata"].get("annotations") or {}) else Rest.OTHERS


def suspending(resource: ApiResource, job: Object, concession: Concession) -> Object:
    """Returns the change that suspends a job and says for whom."""
    told = {MOVES_FOR: concession.beneficiary}
    return {"metadata": {**_version(job), "annotations": told}, **_body(_path(resource), True)}


def resuming(resource: ApiResource, job: Object, mark: str) -> Object | None:
    """Returns the change that resumes a job which we suspended, and leaves a mark in it: what is older and on its way fails.

    None when it has the mark, is over, or was suspended by somebody else.
    """
    rest, annotations = rest_of(resource, job), job["metadata"].get("annotations") or {}
    if rest in (Rest.OTHERS, Rest.OVER) or annotations.get(MOVED) == mark:
        return None
    change: Object = {"metadata": {**_version(job), "annotations": {MOVES_FOR: None, MOVED: mark}}}
    return change | _body(_path(resource), False) if rest is Rest.OURS else change


def scaling(resource: ApiResource, job: Object, concession: Concession) -> Object | None:
    """Returns the change that gives a job its new size; None when it has it already, or cannot have it."""
    found = _elastic(resource, job)
    if found is None or is_sized(resource, job, concession):
        return None
    if concession.becomes > concession.was != found.total:
        return None  # somebody gave it another size meanwhile, and has the last word
    bounds, workers = bounds_of(found), found.count(WORKER) + concession.becomes - found.total
    if bounds is None or not bounds.least <= concession.becomes <= bounds.most:
        return None
    field = facts_of(found.object).map_field
    roles: dict[str, Any] = (job.get("spec") or {}).get(field) or {}
    role = next(name for name in roles if found.facts.canonical_role(name) == WORKER)
    return {"metadata": _version(job), "spec": {field: {role: {"replicas": workers}}}}


def is_sized(resource: ApiResource, job: Object, concession: Concession) -> bool:
    """Whether a job that goes on is as small, or as large, as was decided, or further on that way."""
    found = _elastic(resource, job)
    if found is None:
        return False
    return (
        found.total <= concession.becomes if concession.becomes < concession.was else found.total >= concession.becomes
    )


def _elastic(resource: ApiResource, job: Object) -> TrainingJob | None:
    if rest_of(resource, job) is not Rest.NONE:
        return None
    try:
        return read_job({"apiVersion": resource.api_version, "kind": resource.kind, **job})
    except UnreadableJobError:
        return None


def _path(resource: ApiResource) -> tuple[str, ...]:
    return ("spec", "suspend") if resource == JOB else ("spec", "runPolicy", "suspend")


def _version(job: Object) -> Object:
    return {name: job["metadata"][name] for name in ("uid", "resourceVersion")}


def _body(path: tuple[str, ...], value: Any) -> Object:
    for step in reversed(path):
        value = {step: value}
    return dict(value)


def _at(job: Object, path: tuple[str, ...]) -> Any:
    found: Any = job
    for step in path:
        found = (found or {}).get(step)
    return found

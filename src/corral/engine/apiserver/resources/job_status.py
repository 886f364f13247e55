"""Validation of the status of a job: numbers, conditions that contradict each other, and no way back from the end.

Most rules are asked only when the fields they speak of have changed, so that an old fault never blocks other news.
"""

from collections.abc import Collection, Mapping
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, duplicate, invalid, required
from corral.engine.apiserver.resources.equality import is_same
from corral.engine.apiserver.resources.job_indexes import count_indexes, overlap
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE
from corral.engine.apiserver.resources.replica_sets import negative_errors
from corral.engine.apiserver.resources.resource import Object

Fields = Mapping[str, Any]

_FINAL = ("Failed", "Complete", "FailureTarget")


def job_status_errors(new: Object, old: Object) -> list[FieldError]:
    """Returns everything wrong with a new status of a job."""
    spec, status, before = new["spec"], new.get("status") or {}, old.get("status") or {}
    states, states_before = _true_conditions(status), _true_conditions(before)
    changed = {field for field in status.keys() | before.keys() if not is_same(status.get(field), before.get(field))}
    changed |= states ^ states_before
    if _is_finished(states) != _is_finished(states_before):
        changed.add("finished")
    errors = negative_errors(status, "status", "active", "succeeded", "failed", "ready", "terminating")
    errors += _uncounted_errors(status.get("uncountedTerminatedPods") or {}, "status.uncountedTerminatedPods")
    errors += _condition_errors(states, changed)
    errors += _time_errors(status, states, changed)
    errors += _finished_errors(spec, status, states, changed)
    errors += _index_errors(spec, status, changed)
    if status.get("ready", 0) > status.get("active", 0) and changed & {"ready", "active"}:
        errors.append(invalid("status.ready", status["ready"], "cannot set more ready pods than active"))
    errors += _criteria_errors(spec, states)
    return errors + _backward_errors(new, old, states, states_before)


def _true_conditions(status: Fields) -> set[str]:
    return {c.get("type", "") for c in status.get("conditions") or () if c.get("status") == "True"}


def _is_finished(states: Collection[str]) -> bool:
    return "Complete" in states or "Failed" in states


def _bad_conditions(detail: str) -> FieldError:
    return FieldError("Invalid value", "status.conditions", detail)


def _uncounted_errors(pods: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for field in ("succeeded", "failed"):
        for index, uid in enumerate(pods.get(field) or ()):
            if not uid:
                errors.append(invalid(f"{path}.{field}[{index}]", uid, "must not be empty"))
            elif uid in seen:
                errors.append(duplicate(f"{path}.{field}[{index}]", uid))
            seen.add(uid)
    return errors


def _condition_errors(states: set[str], changed: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    if "Complete" in states:
        if "Failed" in states and changed & {"Complete", "Failed"}:
            errors.append(_bad_conditions("cannot set Complete=True and Failed=true conditions"))
        if "FailureTarget" in states and changed & {"Complete", "FailureTarget"}:
            errors.append(_bad_conditions("cannot set Complete=True and FailureTarget=true conditions"))
    return errors


def _time_errors(status: Fields, states: set[str], changed: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    started, completed = status.get("startTime"), status.get("completionTime")
    if changed & {"Complete", "completionTime"}:
        if completed is not None and "Complete" not in states:
            detail = "cannot set completionTime when there is no Complete=True condition"
            errors.append(invalid("status.completionTime", completed, detail))
        if completed is None and "Complete" in states:
            errors.append(required("status.completionTime", "completionTime is required for Complete jobs"))
    # Times are stored in one form (UTC, whole seconds), so their texts compare as they do.
    if started and completed and completed < started and changed & {"startTime", "completionTime"}:
        errors.append(invalid("status.completionTime", completed, "must be equal to or after `startTime`"))
    if "Failed" in states and "FailureTarget" not in states and changed & {"Failed", "failedIndexes"}:
        detail = "cannot set Failed=True condition without the FailureTarget=true condition"
        errors.append(_bad_conditions(detail))
    if "Complete" in states and "SuccessCriteriaMet" not in states and changed & {"Complete", "SuccessCriteriaMet"}:
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        errors.append(_bad_conditions(detail))
    return errors


def _finished_errors(spec: Fields, status: Fields, states: set[str], changed: set[str]) -> list[FieldError]:
    if not _is_finished(states):
        return []
    errors: list[FieldError] = []
    if status.get("active", 0) > 0 and changed & {"finished", "active"}:
        errors.append(invalid("status.active", status["active"], "active>0 is invalid for finished job"))
    idle = spec.get("suspend") and spec.get("completions") == 0
    if not status.get("startTime") and changed & {"finished", "startTime"} and not idle:
        errors.append(required("status.startTime", "startTime is required for finished job"))
    uncounted = status.get("uncountedTerminatedPods") or {}
    if (uncounted.get("failed") or uncounted.get("succeeded")) and changed & {"finished", "uncountedTerminatedPods"}:
        errors.append(invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"))
    if status.get("terminating", 0) > 0 and changed & {"finished", "terminating"}:
        detail = "terminating>0 is invalid for finished job"
        errors.append(invalid("status.terminating", status["terminating"], detail))
    return errors


def _index_errors(spec: Fields, status: Fields, changed: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    completed, failed, completions = (
        status.get("completedIndexes", ""),
        status.get("failedIndexes"),
        spec.get("completions"),
    )
    per_index = spec.get("backoffLimitPerIndex")
    for field, text in (("completedIndexes", completed), ("failedIndexes", failed if per_index is not None else None)):
        if text is not None and completions is not None and field in changed:
            fault = count_indexes(text, completions)[1]
            if fault:
                errors.append(invalid(f"status.{field}", text, f"error parsing {field}: {fault}"))
    if completed and spec["completionMode"] != "Indexed" and "completedIndexes" in changed:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        errors.append(invalid("status.completedIndexes", completed, detail))
    if failed is not None and per_index is None and "failedIndexes" in changed:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        errors.append(invalid("status.failedIndexes", failed, detail))
    if failed is not None and completions is not None and changed & {"failedIndexes", "completedIndexes"}:
        fault = overlap(completed, failed, completions)
        if fault:
            errors.append(invalid("status.failedIndexes", failed, fault))
    return errors


def _criteria_errors(spec: Fields, states: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    met = "SuccessCriteriaMet" in states
    if met and "Failed" in states:
        errors.append(_bad_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"))
    if met and "FailureTarget" in states:
        errors.append(_bad_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"))
    if spec.get("successPolicy") is not None and not met and "Complete" in states:
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        errors.append(_bad_conditions(detail))
    return errors


def _backward_errors(new: Object, old: Object, states: set[str], states_before: set[str]) -> list[FieldError]:
    """Finds what a status may never take back."""
    spec, status, before = new["spec"], new.get("status") or {}, old.get("status") or {}
    errors = [
        _bad_conditions(f"cannot disable the terminal {kind}=True condition")
        for kind in _FINAL
        if kind in states_before and kind not in states
    ]
    # An indexed job with as many pods as completions can be scaled down, and then has fewer successes.
    elastic = spec["completionMode"] == "Indexed" and spec.get("completions") == spec.get("parallelism")
    for field in ("failed",) if elastic else ("failed", "succeeded"):
        if status.get(field, 0) < before.get(field, 0):
            detail = f"cannot decrease the {field} counter"
            errors.append(invalid(f"status.{field}", status.get(field, 0), detail))
    completed, completed_before = status.get("completionTime"), before.get("completionTime")
    if completed and completed_before and completed != completed_before:
        errors.append(invalid("status.completionTime", completed, IMMUTABLE))
    started, started_before = status.get("startTime"), before.get("startTime")
    resumes = "Suspended" in states_before and any(
        c.get("type") == "Suspended" and c.get("status") == "False" for c in status.get("conditions") or ()
    )
    if started_before and started != started_before and not spec.get("suspend") and not resumes:
        errors.append(required("status.startTime", "startTime cannot be removed for unsuspended job"))
    if "SuccessCriteriaMet" in states_before and "SuccessCriteriaMet" not in states:
        errors.append(_bad_conditions("cannot disable the SuccessCriteriaMet=True condition"))
    elif "SuccessCriteriaMet" in states and "SuccessCriteriaMet" not in states_before and "Complete" in states_before:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        errors.append(_bad_conditions(detail))
    return errors

"""Rows of Deployment, ReplicaSet and Job."""

from typing import Any

from corral.engine.apiserver.resources.resource import Object, Printer
from corral.engine.apiserver.resources.tables.ages import age, human_duration, instant
from corral.engine.apiserver.resources.tables.columns import columns
from corral.engine.apiserver.resources.tables.selector_text import selector_text

_JOB_STATES = (
    # The first condition that is true names the state; "" stands for a deletion that has begun.
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _parts(obj: Object, now: float) -> tuple[str, dict[str, Any], dict[str, Any], str]:
    metadata = obj["metadata"]
    when = age(metadata.get("creationTimestamp"), now)
    return metadata.get("name", ""), obj.get("spec") or {}, obj.get("status") or {}, when


def _template_cells(spec: dict[str, Any]) -> list[str]:
    containers = ((spec.get("template") or {}).get("spec") or {}).get("containers") or ()
    return [",".join(c.get("name", "") for c in containers), ",".join(c.get("image", "") for c in containers)]


def _deployment(obj: Object, now: float) -> list[Any]:
    name, spec, status, when = _parts(obj, now)
    ready = f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}"
    counts = [status.get("updatedReplicas", 0), status.get("availableReplicas", 0)]
    return [name, ready, *counts, when, *_template_cells(spec), selector_text(spec.get("selector"))]


def _replica_set(obj: Object, now: float) -> list[Any]:
    name, spec, status, when = _parts(obj, now)
    counts = [spec.get("replicas", 0), status.get("replicas", 0), status.get("readyReplicas", 0)]
    return [name, *counts, when, *_template_cells(spec), selector_text(spec.get("selector")) or "<none>"]


def _job(obj: Object, now: float) -> list[Any]:
    name, spec, status, when = _parts(obj, now)
    told = [_job_state(obj, status), _completions(spec, status), _job_duration(status, now)]
    return [name, *told, when, *_template_cells(spec), selector_text(spec.get("selector")) or "<none>"]


def _job_state(obj: Object, status: dict[str, Any]) -> str:
    seen: dict[str, bool] = {}
    for condition in status.get("conditions") or ():
        seen.setdefault(condition["type"], condition.get("status") == "True")  # the first of a type counts
    seen[""] = bool(obj["metadata"].get("deletionTimestamp"))
    return next((state for kind, state in _JOB_STATES if seen.get(kind)), "Running")


def _completions(spec: dict[str, Any], status: dict[str, Any]) -> str:
    done, wanted = status.get("succeeded", 0), spec.get("completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallelism = spec.get("parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _job_duration(status: dict[str, Any], now: float) -> str:
    began = instant(status.get("startTime") or "")
    if began is None:
        return ""
    ended = instant(status.get("completionTime") or "")
    return human_duration((now if ended is None else ended) - began)


DEPLOYMENT = Printer(
    columns("Name", "Ready", "Up-to-date", "Available", "Age", "Containers*", "Images*", "Selector*"), _deployment
)
REPLICA_SET = Printer(
    columns(
        "Name", "Desired:integer", "Current:integer", "Ready:integer", "Age", "Containers*", "Images*", "Selector*"
    ),
    _replica_set,
)
JOB = Printer(columns("Name", "Status", "Completions", "Duration", "Age", "Containers*", "Images*", "Selector*"), _job)

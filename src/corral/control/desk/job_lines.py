"""A training job in one line: what became of it, how many of its pods run, how long it takes. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from corral.control.desk.finding import Found
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.label_names import JOB_NAME
from corral.reconcile.moments import seconds_of

ENDED = ("Succeeded", "Failed")
_BATCH_WORDS = {"Complete": "Succeeded"}
_ANNOUNCED = ("SuccessCriteriaMet", "FailureTarget")


class JobLine(NamedTuple):
    """What a table tells about a job; times are seconds since the epoch."""

    namespace: str
    name: str
    kind: str
    state: str
    ready: int
    total: int
    restarts: int
    created: float | None
    started: float | None
    ended: float | None
    progress: str
    nodes: tuple[str, ...] = ()
    failure: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether it has succeeded or failed."""
        return self.state in ENDED

    def duration(self, now: float) -> float | None:
        """Returns for how long it has worked, None when it has not begun."""
        return None if self.started is None else (self.ended or now) - self.started


def status_of(obj: Object) -> Object:
    """Returns the status, never None."""
    return obj.get("status") or {}


def state_of(obj: Object) -> str:
    """Returns the state that people see: the last condition that holds, Pending before the first."""
    held = [str(one.get("type", "")) for one in conditions_of(obj) if one.get("status") == "True"]
    # A plain Job calls its good end Complete, and announces either end before it is there.
    holding = [_BATCH_WORDS.get(kind, kind) for kind in held if kind not in _ANNOUNCED]
    ended = [kind for kind in holding if kind in ENDED]
    state = ended[-1] if ended else holding[-1] if holding else "Pending"
    if obj["metadata"].get("deletionTimestamp") and not ended:
        return "Deleting"
    return state


def conditions_of(obj: Object) -> list[dict[str, Any]]:
    """Returns the conditions, the latest last."""
    return [one for one in status_of(obj).get("conditions") or [] if isinstance(one, dict)]


def total_of(obj: Object) -> int:
    """Returns for how many pods a job asks."""
    spec = obj.get("spec") or {}
    maps = [value for name, value in spec.items() if name.endswith("ReplicaSpecs") and isinstance(value, dict)]
    roles = [one for named in maps for one in named.values() if isinstance(one, dict)]
    counts = [1 if one.get("replicas") is None else int(one["replicas"]) for one in roles]
    return sum(counts) if maps else int(spec.get("parallelism") or 1)


def job_line(job: Found, pods: Sequence[PodView] = ()) -> JobLine:
    """Returns the line of a job; of one that has ended the pods may be gone, so its own status counts."""
    obj, status = job.object, status_of(job.object)
    state = state_of(obj)
    roles = [one for one in (status.get("replicaStatuses") or {}).values() if isinstance(one, dict)]
    told = sum(one.get("active", 0) + one.get("succeeded", 0) for one in roles)
    ready = sum(pod.is_ready or pod.phase == "Succeeded" for pod in pods) if pods and state not in ENDED else told
    failures = status.get("failures") or []
    return JobLine(
        job.key.namespace,
        job.key.name,
        job.resource.kind,
        state,
        ready,
        total_of(obj),
        int(status.get("restarts") or 0) + sum(pod.restarts() for pod in pods),
        seconds_of(obj["metadata"].get("creationTimestamp")),
        seconds_of(status.get("startTime")),
        seconds_of(status.get("completionTime")) or _failed_at(obj),
        progress_text(status.get("progress") or {}),
        tuple(dict.fromkeys(pod.node for pod in pods if pod.node)),
        failures[-1].get("class", "") if failures else "",
    )


def _failed_at(obj: Object) -> float | None:
    """Returns when a job failed; a plain Job has a completion time only when it has succeeded."""
    ends = [one for one in conditions_of(obj) if one.get("type") == "Failed" and one.get("status") == "True"]
    return seconds_of(ends[-1].get("lastTransitionTime")) if ends else None


def progress_text(progress: Object) -> str:
    """Returns how far a job is: `12% 120/1000`, as much of it as it told."""
    step, total, percent = (progress.get(name) for name in ("step", "total", "percent"))
    parts = [] if percent is None else [f"{percent:g}%"]
    if step is not None:
        parts.append(f"{step}/{total}" if total is not None else f"step {step}")
    return " ".join(parts)


def by_job(pods: Iterable[PodView]) -> dict[tuple[str, str], list[PodView]]:
    """Returns pods by namespace and the name of their job."""
    found: dict[tuple[str, str], list[PodView]] = {}
    for pod in pods:
        found.setdefault((pod.metadata.namespace, pod.metadata.labels.get(JOB_NAME, "")), []).append(pod)
    return found

"""A training job in one line: what became of it, how many of its pods run, how long it takes. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.members import chief_among
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.jobs.status_words import status_word
from corral.control.desk.naming.finding import Found
from corral.control.desk.naming.kinds import OPERATORS
from corral.control.desk.naming.trainers import trainer_of
from corral.kinds.gpus import gpus_of
from corral.kinds.objects import Object
from corral.kinds.training.label_names import JOB_NAME, OPERATOR_NAME
from corral.reconcile.moments import seconds_of

ENDED = ("Succeeded", "Failed")
_BATCH_WORDS = {"Complete": "Succeeded"}
_LAUNCHER_WORDS = {"Active": "Running", "Succeeded": "Succeeded", "Failed": "Failed"}
"""How MPIJobs of the first days, which have no conditions, tell their state."""
_ANNOUNCED = ("SuccessCriteriaMet", "FailureTarget")


class JobLine(NamedTuple):
    """What a table tells about a job; times are seconds since the epoch."""

    namespace: str
    name: str
    kind: str
    state: str
    """The last condition that holds, in the operator's words."""
    status: str
    """The state in Arena's words: QUEUING, PENDING, RUNNING, SUCCEEDED, FAILED, and SUSPENDED of ours."""
    trainer: str
    ready: int
    total: int
    restarts: int
    created: float | None
    started: float | None
    ended: float | None
    progress: str
    nodes: tuple[str, ...] = ()
    failure: str = ""
    gpus_requested: int = 0
    gpus_allocated: int = 0
    chief_address: str = ""
    """The address of the node on which the leading pod is or was."""
    priority: str = ""

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
    ended, holding = "", None
    for one in conditions_of(obj):
        kind = str(one.get("type", ""))
        # A plain Job calls its good end Complete, and announces either end before it is there.
        if one.get("status") == "True" and kind not in _ANNOUNCED:
            holding = _BATCH_WORDS.get(kind, kind)
            ended = holding if holding in ENDED else ended
    if ended:
        return ended
    if obj["metadata"].get("deletionTimestamp"):
        return "Deleting"
    return (
        holding if holding is not None else _LAUNCHER_WORDS.get(status_of(obj).get("launcherStatus") or "", "Pending")
    )


def conditions_of(obj: Object) -> list[dict[str, Any]]:
    """Returns the conditions, the latest last."""
    return [one for one in status_of(obj).get("conditions") or [] if isinstance(one, dict)]


class Role(NamedTuple):
    """One role of a job: how many pods, and of which template."""

    name: str
    replicas: int
    template: Object


def roles_of(obj: Object) -> Iterator[Role]:
    """Yields the roles for which a job asks; a plain Job has one, without a name."""
    spec = obj.get("spec") or {}
    maps = [value for name, value in spec.items() if name.endswith("ReplicaSpecs") and isinstance(value, dict)]
    if not maps:
        yield Role("", int(spec.get("parallelism") or 1), spec.get("template") or {})
    for roles in maps:
        for name, one in roles.items():
            if isinstance(one, dict):
                replicas = one.get("replicas")
                yield Role(name, 1 if replicas is None else int(replicas), one.get("template") or {})


def sizes_of(obj: Object) -> dict[str, int]:
    """Returns how many pods each role has by the job itself, under the names that labels carry; a plain Job has no roles."""
    return {role.name.lower(): role.replicas for role in roles_of(obj) if role.name}


def total_of(obj: Object) -> int:
    """Returns for how many pods a job asks."""
    return sum(role.replicas for role in roles_of(obj))


def names_of_pods(job: Found) -> Iterator[str]:
    """Yields the names that the pods of a training job have, also of those that are gone."""
    for role in roles_of(job.object):
        yield from (f"{job.key.name}-{role.name.lower()}-{index}" for index in range(role.replicas))
    yield f"{job.key.name}-launcher"


def job_line(job: Found, pods: Sequence[JobPod] = ()) -> JobLine:
    """Returns the line of a job; of one that has ended the pods may be gone, so its own status counts."""
    obj, key, status = job.object, job.key, status_of(job.object)
    state = state_of(obj)
    chief, tally = (chief_among(pods), _tally(pods)) if pods else (None, _NO_PODS)
    wanted = list(roles_of(obj))
    total = gpus = 0
    for role in wanted:
        total += role.replicas
        gpus += role.replicas * gpus_of(_pod_spec(role).get("containers") or ())
    failures = status.get("failures") or ()
    return JobLine(
        key.namespace,
        key.name,
        job.resource.kind,
        state,
        status_word(obj, state, pods),
        trainer_of(job.resource.kind, obj),
        _good(state, pods, tally, status.get("replicaStatuses") or {}),
        total,
        int(status.get("restarts") or 0) + tally.restarts,
        seconds_of(obj["metadata"].get("creationTimestamp")),
        seconds_of(status.get("startTime")),
        seconds_of(status.get("completionTime")) or _failed_at(obj),
        progress_text(status["progress"]) if status.get("progress") else "",
        tally.nodes,
        failures[-1].get("class", "") if failures else "",
        gpus,
        tally.gpus,
        chief.status.host_ip if chief is not None else "",
        _priority(obj, wanted),
    )


def _good(state: str, pods: Sequence[JobPod], tally: "_Tally", told: Mapping[str, Any]) -> int:
    """Returns how many pods are as they should be: ready or done while the job goes on, done when it has ended.

    What the job has `told` of its roles may be late, and its pods may be gone: of one that has ended, the larger number is
    true.
    """
    if pods and state not in ENDED:
        return tally.ready
    succeeded = active = 0
    for one in told.values():
        if isinstance(one, dict):
            succeeded += one.get("succeeded", 0)
            active += one.get("active", 0)
    return max(succeeded, tally.succeeded) if state in ENDED else active + succeeded


class _Tally(NamedTuple):
    """What is counted over the pods of a job: those that are ready or done, restarts in place, GPUs of running ones."""

    succeeded: int
    ready: int
    restarts: int
    gpus: int
    nodes: tuple[str, ...]


_NO_PODS: Final = _Tally(0, 0, 0, 0, ())


def _tally(pods: Sequence[JobPod]) -> _Tally:
    """Returns the counts; one pass, since there may be thousands."""
    succeeded = ready = restarts = gpus = 0
    nodes: dict[str, None] = {}
    for pod in pods:
        status, node = pod.status, pod.spec.node_name
        phase = status.phase
        if phase == "Running":
            gpus += pod.gpus
        if phase == "Succeeded":
            succeeded += 1
        if phase == "Succeeded" or pod.is_ready:
            ready += 1
        for held in status.init_container_statuses:
            restarts += held.restart_count
        for held in status.container_statuses:
            restarts += held.restart_count
        if node:
            nodes[node] = None
    return _Tally(succeeded, ready, restarts, gpus, tuple(nodes))


def _pod_spec(role: Role) -> Object:
    return role.template.get("spec") or {}


def _priority(obj: Object, roles: Sequence[Role]) -> str:
    """Returns the class that a role names, else the one of the job itself, as the policy of a gang."""
    for role in roles:
        if named := _pod_spec(role).get("priorityClassName"):
            return str(named)
    policy = ((obj.get("spec") or {}).get("runPolicy") or {}).get("schedulingPolicy") or {}
    return str(policy.get("priorityClass") or "")


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


class PodsByJob:
    """The pods of many jobs; jobs of one name and different kinds each have their own."""

    def __init__(self, pods: Iterable[JobPod]) -> None:
        self._pods: dict[tuple[str, str], list[JobPod]] = {}
        for pod in pods:
            self._pods.setdefault((pod.metadata.namespace, pod.metadata.labels.get(JOB_NAME, "")), []).append(pod)

    def of(self, job: Found) -> list[JobPod]:
        """Returns the pods of a job; one that does not tell the kind belongs to whichever job has that name."""
        kind, pods = job.resource.kind, self._pods.get(job.key)
        if pods is None:
            return []
        return [pod for pod in pods if OPERATORS.get(pod.metadata.labels.get(OPERATOR_NAME, ""), kind) == kind]

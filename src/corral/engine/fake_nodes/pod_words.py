"""What a kubelet writes about a pod at each moment of its life, and that moment read back from it. Pure."""

from typing import NamedTuple

from corral.kinds.nodes import PLAYED
from corral.kinds.objects import Object

_WAITING = "waiting"
_RUNNING = "running"
_ENDED = "terminated"


class Ended(NamedTuple):
    """How one run ended."""

    began: str
    finished: str
    exit_code: int
    reason: str


class Run(NamedTuple):
    """Where the containers of one kind are, which move together: waiting, running since `began`, ended, or resting."""

    number: int = 0
    began: str = ""
    ended: Ended | None = None
    before: Ended | None = None
    """How it ended last: the run before this one, or, while it rests, this one."""

    @property
    def is_running(self) -> bool:
        """Whether it has begun and not ended."""
        return bool(self.began) and self.ended is None

    @property
    def is_waiting(self) -> bool:
        """Whether it has not begun, or rests."""
        return not self.began and self.ended is None

    @property
    def is_resting(self) -> bool:
        """Whether it has ended and waits to be started again."""
        return self.is_waiting and self.before is not None

    @property
    def has_failed(self) -> bool:
        """Whether it has ended badly."""
        return self.ended is not None and self.ended.exit_code != 0

    def running(self, now: str) -> "Run":
        """Returns the run begun now."""
        return self._replace(began=now)

    def end(self, exit_code: int, reason: str, now: str) -> "Run":
        """Returns the run ended now; without a reason it is the usual one."""
        told = "Completed" if exit_code == 0 else reason or "Error"
        return self._replace(ended=Ended(self.began, now, exit_code, told))

    def resting(self) -> "Run":
        """Returns the run that has ended, waiting to be started again."""
        return Run(self.number, "", None, self.ended)

    def again(self, now: str) -> "Run":
        """Returns the next run, begun now."""
        return Run(self.number + 1, now, None, self.ended or self.before)


class Moment(NamedTuple):
    """A pod at one moment: its address and its node's, when the node took it, and where its containers are."""

    address: str
    host: str
    taken: str
    init: Run = Run()
    main: Run = Run()

    @property
    def phase(self) -> str:
        """Returns the phase that follows from where the containers are."""
        if self.init.has_failed:
            return "Failed"
        if self.main.is_running or self.main.is_resting:
            return "Running"
        if self.main.is_waiting:
            return "Pending"
        return "Failed" if self.main.has_failed else "Succeeded"

    @property
    def since(self) -> str:
        """Returns when it began."""
        if self.main.is_resting and self.main.before is not None:
            return self.main.before.finished
        return self.main.began or self.init.began or self.taken

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it will run any more."""
        return self.phase in ("Succeeded", "Failed")


def moment_of(pod: Object) -> Moment | None:
    """Returns the moment that a status tells of, None when no node has taken the pod yet."""
    status = pod.get("status") or {}
    if not status.get("startTime"):
        return None
    init, main = (_run_in(status.get(field)) for field in ("initContainerStatuses", "containerStatuses"))
    return Moment(status.get("podIP") or "", status.get("hostIP") or "", status["startTime"], init, main)


def _run_in(containers: list[Object] | None) -> Run:
    if not containers:
        return Run()
    first = containers[0]
    state, number = first.get("state") or {}, int(first.get("restartCount") or 0)
    before = _ended_in((first.get("lastState") or {}).get(_ENDED))
    ended = _ended_in(state.get(_ENDED))
    began = ended.began if ended is not None else (state.get(_RUNNING) or {}).get("startedAt") or ""
    return Run(number, began, ended, before)


def _ended_in(told: Object | None) -> Ended | None:
    if told is None:
        return None
    return Ended(
        told.get("startedAt") or "",
        told.get("finishedAt") or "",
        int(told.get("exitCode") or 0),
        told.get("reason") or "",
    )


def status_of(pod: Object, moment: Moment, now: str) -> Object:
    """Returns everything that a kubelet says in a pod's status; the rest of it is left as it is."""
    spec, phase = pod["spec"], moment.phase
    inits = spec.get("initContainers") or []
    status: Object = {
        "phase": phase,
        "hostIP": moment.host,
        "hostIPs": [{"ip": moment.host}],
        "podIP": moment.address,
        "podIPs": [{"ip": moment.address}],
        "startTime": moment.taken,
        "conditions": _conditions(pod, phase, moment, now),
        "containerStatuses": [_container(pod, each, moment.main, bool(inits)) for each in spec["containers"]],
    }
    if inits:
        status["initContainerStatuses"] = [_container(pod, each, moment.init, True) for each in inits]
    return status


def _conditions(pod: Object, phase: str, moment: Moment, now: str) -> list[Object]:
    before = {each["type"]: each for each in (pod.get("status") or {}).get("conditions") or []}
    is_done = phase in ("Succeeded", "Failed")
    has_inits = bool(pod["spec"].get("initContainers"))
    is_initialized = not has_inits or (moment.init.ended is not None and not moment.init.has_failed)
    is_ready = moment.main.is_running
    unready = {} if is_ready else {"reason": "PodCompleted" if phase == "Succeeded" else "ContainersNotReady"}
    wanted: dict[str, tuple[bool, Object]] = {
        "PodReadyToStartContainers": (not is_done, {}),
        "Initialized": (is_initialized, {} if is_initialized else {"reason": "ContainersNotInitialized"}),
        "Ready": (is_ready, unready),
        "ContainersReady": (is_ready, unready),
        "PodScheduled": (True, {}),
    }
    of_others = [each for kind, each in before.items() if kind not in wanted]
    return [
        *(_condition(kind, holds, why, before.get(kind), now) for kind, (holds, why) in wanted.items()),
        *of_others,
    ]


def _condition(kind: str, holds: bool, why: Object, before: Object | None, now: str) -> Object:
    is_same = before is not None and before.get("status") == str(holds)
    since = before["lastTransitionTime"] if before is not None and is_same else now
    return {"type": kind, "status": str(holds), "lastProbeTime": None, "lastTransitionTime": since, **why}


def _container(pod: Object, container: Object, run: Run, after_init: bool) -> Object:
    identity = f"{PLAYED}{pod['metadata']['uid']}/{container['name']}"
    last = run.number if run.is_resting else run.number - 1
    told: Object = {
        "name": container["name"],
        "image": container.get("image", ""),
        "imageID": "" if run.is_waiting else f"{PLAYED}{container.get('image', '')}",
        "ready": run.is_running,
        "started": run.is_running,
        "restartCount": run.number,
        "state": _state(run, f"{identity}/{run.number}", after_init),
        "lastState": {_ENDED: _end(run.before, f"{identity}/{last}")} if run.before is not None else {},
    }
    if not run.is_waiting:
        told["containerID"] = f"{identity}/{run.number}"
    return told


def _state(run: Run, identity: str, after_init: bool) -> Object:
    if run.ended is not None:
        return {_ENDED: _end(run.ended, identity)}
    if run.is_running:
        return {_RUNNING: {"startedAt": run.began}}
    if run.is_resting:
        return {_WAITING: {"reason": "CrashLoopBackOff", "message": "back-off restarting a container that is played"}}
    return {_WAITING: {"reason": "PodInitializing" if after_init else "ContainerCreating"}}


def _end(ended: Ended, identity: str) -> Object:
    return {
        "exitCode": ended.exit_code,
        "reason": ended.reason,
        "startedAt": ended.began,
        "finishedAt": ended.finished,
        "containerID": identity,
    }

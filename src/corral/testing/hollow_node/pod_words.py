"""What a kubelet writes about a pod at each moment of its life. Pure: the time is an argument."""

from typing import Any, NamedTuple

from corral.kinds.objects import Object

_WAITING = "waiting"
_RUNNING = "running"
_ENDED = "terminated"


class Run(NamedTuple):
    """Where the containers of one kind are: `waiting`, `running` or `terminated`, in which run, and how it ended."""

    state: str = _WAITING
    number: int = 0
    began: str = ""
    exit_code: int = 0
    last_exit_code: int = 0
    reason: str = ""

    def running(self, now: str) -> "Run":
        """Returns the run begun now."""
        return self._replace(state=_RUNNING, began=now)

    def ended(self, exit_code: int, reason: str = "") -> "Run":
        """Returns the run at its end."""
        return self._replace(state=_ENDED, exit_code=exit_code, reason=reason)

    def again(self, now: str) -> "Run":
        """Returns the next run, begun now."""
        return Run(_RUNNING, self.number + 1, now, 0, self.exit_code, self.reason)


class Moment(NamedTuple):
    """A pod at one moment: its address, when the node took it, and where its containers are."""

    address: str
    taken: str
    init: Run = Run()
    main: Run = Run()


def phase_of(moment: Moment) -> str:
    """Returns the phase that follows from where the containers are."""
    if moment.init.state == _ENDED and moment.init.exit_code:
        return "Failed"
    if moment.main.state == _WAITING:
        return "Pending"
    if moment.main.state == _RUNNING:
        return "Running"
    return "Failed" if moment.main.exit_code else "Succeeded"


def status_of(pod: Object, moment: Moment, now: str) -> Object:
    """Returns everything that a kubelet says in a pod's status; the rest of it is left as it is."""
    spec, phase = pod["spec"], phase_of(moment)
    inits = spec.get("initContainers") or []
    status: Object = {
        "phase": phase,
        "hostIP": "127.0.0.1",
        "hostIPs": [{"ip": "127.0.0.1"}],
        "podIP": moment.address,
        "podIPs": [{"ip": moment.address}],
        "startTime": moment.taken,
        "conditions": _conditions(pod, phase, moment, now),
        "containerStatuses": [_container(pod, each, moment.main, bool(inits), now) for each in spec["containers"]],
    }
    if inits:
        status["initContainerStatuses"] = [_container(pod, each, moment.init, True, now) for each in inits]
    return status


def _conditions(pod: Object, phase: str, moment: Moment, now: str) -> list[Object]:
    before = {each["type"]: each for each in (pod.get("status") or {}).get("conditions") or []}
    is_done = phase in ("Succeeded", "Failed")
    has_inits = bool(pod["spec"].get("initContainers"))
    is_initialized = not has_inits or (moment.init.state == _ENDED and not moment.init.exit_code)
    unready = {"reason": "PodCompleted" if phase == "Succeeded" else "ContainersNotReady"}
    wanted: dict[str, tuple[bool, Object]] = {
        "PodReadyToStartContainers": (not is_done, {}),
        "Initialized": (is_initialized, {} if is_initialized else {"reason": "ContainersNotInitialized"}),
        "Ready": (phase == "Running", {} if phase == "Running" else unready),
        "ContainersReady": (phase == "Running", {} if phase == "Running" else unready),
        "PodScheduled": (True, {}),
    }
    return [_condition(kind, holds, why, before.get(kind), now) for kind, (holds, why) in wanted.items()]


def _condition(kind: str, holds: bool, why: Object, before: Object | None, now: str) -> Object:
    is_same = before is not None and before.get("status") == str(holds)
    since = before["lastTransitionTime"] if before is not None and is_same else now
    return {"type": kind, "status": str(holds), "lastProbeTime": None, "lastTransitionTime": since, **why}


def _container(pod: Object, container: Object, run: Run, after_init: bool, now: str) -> Object:
    uid, name = pod["metadata"]["uid"], container["name"]
    identity = f"hollow://{uid}/{name}/{run.number}"
    is_running = run.state == _RUNNING
    told: Object = {
        "name": name,
        "image": container.get("image", ""),
        "imageID": f"hollow://{container.get('image', '')}" if run.state != _WAITING else "",
        "ready": is_running,
        "started": is_running,
        "restartCount": run.number,
        "state": _state(run, identity, after_init, now),
        "lastState": {},
    }
    if run.state != _WAITING:
        told["containerID"] = identity
    if run.number:
        before = Run(_ENDED, run.number - 1, run.began, run.last_exit_code, 0, run.reason)
        told["lastState"] = _state(before, f"hollow://{uid}/{name}/{run.number - 1}", after_init, now)
    return told


def _state(run: Run, identity: str, after_init: bool, now: str) -> dict[str, Any]:
    if run.state == _WAITING:
        return {_WAITING: {"reason": "PodInitializing" if after_init else "ContainerCreating"}}
    if run.state == _RUNNING:
        return {_RUNNING: {"startedAt": run.began}}
    reason = "Completed" if run.exit_code == 0 else run.reason or "Error"
    ended = {"exitCode": run.exit_code, "reason": reason, "startedAt": run.began, "finishedAt": now}
    return {_ENDED: {**ended, "containerID": identity}}

"""What a kubelet would say about a pod in a phase: the status that tests write in its place."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from corral.kinds.objects import Object


class Ending(NamedTuple):
    """How a container ended, or how often it was started again."""

    exit_code: int | None = None
    restart_count: int = 0
    reason: str = ""
    message: str = ""
    waiting: str = ""
    """A reason for which the container waits instead, such as ImagePullBackOff."""
    init_restarts: int = 0
    beside: int = 0
    """The exit code of the containers beside the training one."""


def now() -> str:
    """Returns the present as the API writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def status_of(pod: Object, phase: str, container: str, ending: Ending, pod_reason: str = "") -> Object:
    """Returns a whole status; a pod that ended without an exit code has no container statuses, as after an eviction."""
    ready = phase == "Running" and not ending.waiting
    conditions = [
        {"type": kind, "status": str(ready), "lastTransitionTime": now()} for kind in ("ContainersReady", "Ready")
    ]
    status: Object = {"phase": phase, "conditions": conditions, "startTime": now()}
    if pod_reason:
        status |= {"reason": pod_reason, "message": f"the pod was {pod_reason}"}
    names = [one["name"] for one in pod["spec"]["containers"]]
    if phase != "Failed" or ending.exit_code is not None:
        status["containerStatuses"] = [
            _container(name, phase, ending if name == container else Ending(ending.beside)) for name in names
        ]
    if ending.init_restarts:
        inits = [one["name"] for one in pod["spec"].get("initContainers") or []]
        status["initContainerStatuses"] = [
            _container(name, "Succeeded", Ending(0, ending.init_restarts)) for name in inits
        ]
    return status


def _container(name: str, phase: str, ending: Ending) -> dict[str, Any]:
    running = phase == "Running" and not ending.waiting
    return {
        "name": name,
        "image": "example.com/train:1",
        "imageID": "",
        "ready": running,
        "started": running,
        "restartCount": ending.restart_count,
        "state": _state(phase, ending),
        "lastState": {},
    }


def _state(phase: str, ending: Ending) -> Object:
    if ending.waiting:
        return {"waiting": {"reason": ending.waiting, "message": ending.message}}
    if phase == "Running":
        return {"running": {"startedAt": now()}}
    if phase == "Pending":
        return {"waiting": {"reason": "ContainerCreating"}}
    code = 0 if ending.exit_code is None else ending.exit_code
    reason = ending.reason or ("Completed" if code == 0 else "Error")
    told = {"message": ending.message} if ending.message else {}
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": now(), "finishedAt": now(), **told}}

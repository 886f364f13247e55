"""What the API is told about a pod: phase, conditions, and what each container does. Pure.

Moments of earlier statuses are kept as long as what they tell of has not changed, so that a second look writes nothing.
"""

from corral.engine.node.pods.life import begins_again
from corral.engine.node.pods.phases import are_initialized, phase_of
from corral.engine.node.pods.sight import ContainerSight, PodSight, RunSight
from corral.engine.node.pods.whereabouts import Whereabouts
from corral.kinds.objects import Object
from corral.reconcile.moments import stamp_of

FINISHED = ("Succeeded", "Failed")
OURS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
"""The conditions that a node writes; all others are those of somebody else."""


def status_of(sight: PodSight, where: Whereabouts) -> Object:
    """Returns the status that the node writes; conditions of others are kept."""
    phase = phase_of(sight)
    reason, message = sight.verdict
    status: Object = {
        "phase": phase,
        "hostIP": where.host_ip,
        "hostIPs": [{"ip": where.host_ip}],
        "podIP": where.pod_ip,
        "podIPs": [{"ip": where.pod_ip}],
        "startTime": stamp_of(sight.taken),
        "conditions": _conditions(sight, phase),
        "containerStatuses": [_container(sight, one, phase) for one in sight.mains],
        "qosClass": (sight.pod.get("status") or {}).get("qosClass") or "BestEffort",
    }
    if sight.inits:
        status["initContainerStatuses"] = [_container(sight, one, phase) for one in sight.inits]
    if reason:
        status |= {"reason": reason, "message": message}
    return status


def unready_in(sight: PodSight) -> list[str]:
    """Returns the names of the containers that are not ready."""
    counted = [*sight.mains, *(one for one in sight.inits if one.is_sidecar)]
    return [one.name for one in counted if not _is_ready(one)]


def _is_ready(container: ContainerSight) -> bool:
    return container.is_running and container.has_started and container.is_ready


def _conditions(sight: PodSight, phase: str) -> list[Object]:
    before = {one["type"]: one for one in (sight.pod.get("status") or {}).get("conditions") or []}
    is_done, unready = phase in FINISHED, unready_in(sight)
    done = ("PodCompleted", "") if phase == "Succeeded" else ("PodFailed", "")
    not_ready = done if is_done else ("ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")
    open_gates = _open_gates(sight, before)
    initialized = are_initialized(sight) or phase == "Succeeded"
    incomplete = [one.name for one in sight.inits if not one.is_sidecar and not one.has_succeeded]
    not_initialized = ("ContainersNotInitialized", f"containers with incomplete status: [{' '.join(incomplete)}]")
    wanted: dict[str, tuple[bool, tuple[str, str]]] = {
        "PodReadyToStartContainers": (not is_done, ("", "")),
        "Initialized": (initialized, not_initialized),
        "Ready": (
            not is_done and not unready and not open_gates,
            not_ready if unready or is_done else ("ReadinessGatesNotReady", f"waiting for {', '.join(open_gates)}"),
        ),
        "ContainersReady": (not is_done and not unready, not_ready),
        "PodScheduled": (True, ("", "")),
    }
    ours = [_condition(kind, holds, why, before.get(kind), sight.now) for kind, (holds, why) in wanted.items()]
    return [*ours, *(one for kind, one in before.items() if kind not in OURS)]


def _open_gates(sight: PodSight, before: dict[str, Object]) -> list[str]:
    gates = [str(one["conditionType"]) for one in sight.pod["spec"].get("readinessGates") or []]
    return [gate for gate in gates if (before.get(gate) or {}).get("status") != "True"]


def _condition(kind: str, holds: bool, why: tuple[str, str], before: Object | None, now: float) -> Object:
    told: Object = {"type": kind, "status": "True" if holds else "False", "lastProbeTime": None}
    if not holds:
        told |= {name: text for name, text in zip(("reason", "message"), why, strict=True) if text}
    is_same = before is not None and before.get("status") == told["status"]
    told["lastTransitionTime"] = before["lastTransitionTime"] if is_same and before else stamp_of(now)
    return told


def _container(sight: PodSight, container: ContainerSight, phase: str) -> Object:
    latest = container.latest
    told: Object = {
        "name": container.name,
        "image": container.spec.get("image", ""),
        "imageID": "",
        "ready": _is_ready(container) or (container in sight.inits and container.has_succeeded),
        "started": container.is_running and container.has_started,
        "restartCount": 0 if latest is None else latest.number,
        "state": _state(sight, container, phase),
        "lastState": {},
    }
    if latest is not None:
        told["containerID"] = _identity(sight, container, latest)
    last = _last(sight, container, told["state"])
    if last is not None:
        told["lastState"] = _terminated(sight, container, last)
    return told


def _state(sight: PodSight, container: ContainerSight, phase: str) -> Object:
    latest = container.latest
    if latest is not None and latest.is_running:
        return {"running": {"startedAt": stamp_of(latest.started)}}
    goes_on = phase not in FINISHED and not sight.is_deleting
    if container.held is not None and goes_on:
        return _waiting(container.held.reason, container.held.message)
    if latest is None:
        return _waiting("PodInitializing" if sight.inits and container in sight.mains else "ContainerCreating", "")
    if goes_on and begins_again(sight, container):
        return _waiting("CrashLoopBackOff", _back_off(container.name, latest))
    return _terminated(sight, container, latest)


def _back_off(name: str, latest: RunSight) -> str:
    """Says what a container waits for, and how its latest run ended."""
    how = f"it ended with {latest.exit_code} ({latest.reason or 'Error'})" if latest.exit_code else "it has ended"
    return f"back-off restarting container {name}: {how}" + (f": {latest.message}" if latest.message else "")


def _last(sight: PodSight, container: ContainerSight, state: Object) -> RunSight | None:
    """Returns the run that the state before is about: the one before, or the latest while its successor is waited for."""
    if "waiting" in state and container.has_ended:
        return container.latest
    return container.before


def _waiting(reason: str, message: str) -> Object:
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def _terminated(sight: PodSight, container: ContainerSight, run: RunSight) -> Object:
    told: Object = {
        "exitCode": run.exit_code,
        "reason": run.reason or ("Completed" if run.exit_code == 0 else "Error"),
        "startedAt": stamp_of(run.started),
        "finishedAt": stamp_of(run.ended or sight.now),
        "containerID": _identity(sight, container, run),
    }
    if run.message:
        told["message"] = run.message
    return {"terminated": told}


def _identity(sight: PodSight, container: ContainerSight, run: RunSight) -> str:
    return f"corral://{sight.pod['metadata']['uid']}/{container.name}/{run.number}"

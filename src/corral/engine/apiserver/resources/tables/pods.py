"""The pod row: readiness, the one word that tells how a pod is doing, and restarts with the time of the last one."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from corral.engine.apiserver.resources.resource import Object, Printer
from corral.engine.apiserver.resources.tables.ages import age, human_duration, instant
from corral.engine.apiserver.resources.tables.columns import columns

_COLUMNS = columns(
    "Name", "Ready", "Status", "Restarts", "Age", "IP*", "Node*", "Nominated Node*", "Readiness Gates*"
)  # fmt: skip
_NONE: Final = "<none>"
_EMPTY: Final[Mapping[str, Any]] = {}
_ENDED = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


class _Tally:
    """What is counted while walking the container statuses of one pod."""

    __slots__ = ("last_restart", "ready", "reason", "restarts", "sidecar_last_restart", "sidecar_restarts")

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.ready = 0
        self.restarts = 0
        self.last_restart = 0.0
        self.sidecar_restarts = 0
        self.sidecar_last_restart = 0.0

    def count(self, container: Mapping[str, Any]) -> None:
        """Adds the restarts of one container."""
        self.restarts += container.get("restartCount", 0)
        self.last_restart = max(self.last_restart, _last_ended(container))

    def count_sidecar(self, container: Mapping[str, Any]) -> None:
        """Adds the restarts of an init container that runs beside the others."""
        self.sidecar_restarts += container.get("restartCount", 0)
        self.sidecar_last_restart = max(self.sidecar_last_restart, _last_ended(container))


def _cells(pod: Object, now: float) -> list[Any]:
    spec, status = pod.get("spec") or _EMPTY, pod.get("status") or _EMPTY
    metadata = pod["metadata"]
    sidecars = {c["name"] for c in spec.get("initContainers") or () if c.get("restartPolicy") == "Always"}
    tally = _Tally(_first_reason(status))
    initializing = _walk_init_containers(tally, spec, status, sidecars)
    if not initializing or _condition(status, "Initialized") == "True":
        _walk_containers(tally, status)
    if metadata.get("deletionTimestamp"):
        tally.reason = _reason_while_deleted(tally.reason, status)
    total = len(spec.get("containers") or ()) + len(sidecars)
    return [
        metadata.get("name", ""),
        f"{tally.ready}/{total}",
        tally.reason,
        _restarts(tally, now),
        age(metadata.get("creationTimestamp"), now),
        _address(status),
        spec.get("nodeName") or _NONE,
        status.get("nominatedNodeName") or _NONE,
        _readiness_gates(spec, status),
    ]


def _first_reason(status: Mapping[str, Any]) -> str:
    reason: str = status.get("reason") or status.get("phase", "")
    for condition in status.get("conditions") or ():
        if condition.get("reason") == "SchedulingGated" and condition.get("type") == "PodScheduled":
            return "SchedulingGated"
    return reason


def _walk_init_containers(
    tally: _Tally, spec: Mapping[str, Any], status: Mapping[str, Any], sidecars: Iterable[str]
) -> bool:
    """Counts init containers up to the first that is not done; tells whether there is such a one."""
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        tally.count(container)
        is_sidecar = container.get("name") in sidecars
        if is_sidecar:
            tally.count_sidecar(container)
        state = container.get("state") or _EMPTY
        ended, waiting = state.get("terminated"), state.get("waiting") or _EMPTY
        if ended is not None and ended.get("exitCode", 0) == 0:
            continue
        if is_sidecar and container.get("started"):
            tally.ready += bool(container.get("ready"))
            continue
        if ended is not None:
            tally.reason = "Init:" + _end_reason(ended)
        elif waiting.get("reason", "") not in ("", "PodInitializing"):
            tally.reason = f"Init:{waiting['reason']}"
        else:
            tally.reason = f"Init:{index}/{len(spec.get('initContainers') or ())}"
        return True
    return False


def _walk_containers(tally: _Tally, status: Mapping[str, Any]) -> None:
    """Counts the containers proper, last first, so that the first one has the last word about the reason."""
    tally.restarts, tally.last_restart = tally.sidecar_restarts, tally.sidecar_last_restart
    running = False
    for container in reversed(status.get("containerStatuses") or ()):
        tally.count(container)
        state = container.get("state") or _EMPTY
        ended, waiting = state.get("terminated"), state.get("waiting")
        if waiting is not None and waiting.get("reason"):
            tally.reason = waiting["reason"]
        elif ended is not None:
            tally.reason = _end_reason(ended)
        elif container.get("ready") and state.get("running") is not None:
            running = True
            tally.ready += 1
    if running and tally.reason == "Completed":
        tally.reason = "Running" if _condition(status, "Ready") == "True" else "NotReady"


def _end_reason(ended: Mapping[str, Any]) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"


def _reason_while_deleted(reason: str, status: Mapping[str, Any]) -> str:
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return reason if status.get("phase") in _ENDED else "Terminating"


def _last_ended(container: Mapping[str, Any]) -> float:
    ended = (container.get("lastState") or _EMPTY).get("terminated")
    return (instant(ended.get("finishedAt") or "") or 0.0) if ended else 0.0


def _restarts(tally: _Tally, now: float) -> str:
    if tally.restarts and tally.last_restart:
        return f"{tally.restarts} ({human_duration(now - tally.last_restart)} ago)"
    return str(tally.restarts)


def _condition(status: Mapping[str, Any], kind: str) -> str:
    for condition in status.get("conditions") or ():
        if condition.get("type") == kind:
            return str(condition.get("status", ""))
    return ""


def _address(status: Mapping[str, Any]) -> str:
    addresses = status.get("podIPs")
    found = addresses[0].get("ip") if addresses else status.get("podIP")
    return found or _NONE


def _readiness_gates(spec: Mapping[str, Any], status: Mapping[str, Any]) -> str:
    gates = spec.get("readinessGates")
    if not gates:
        return _NONE
    open_gates = sum(_condition(status, gate["conditionType"]) == "True" for gate in gates)
    return f"{open_gates}/{len(gates)}"


def _conditions(pod: Object) -> list[dict[str, str]] | None:
    phase = (pod.get("status") or _EMPTY).get("phase")
    if phase not in _ENDED:
        return None
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _ENDED[phase]}]


POD = Printer(_COLUMNS, _cells, _conditions)

"""Arena's words for how a job is, which scripts read, and one of ours. Pure."""

from collections.abc import Sequence
from typing import Final

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView

QUEUING: Final = "QUEUING"
PENDING: Final = "PENDING"
RUNNING: Final = "RUNNING"
SUCCEEDED: Final = "SUCCEEDED"
FAILED: Final = "FAILED"
SUSPENDED: Final = "SUSPENDED"
WORDS: Final = (QUEUING, PENDING, RUNNING, SUCCEEDED, FAILED, SUSPENDED)

QUEUE_HOLDS: Final = "scheduling.x-k8s.io/suspend"
"""The annotation by which kube-queue holds a job back while it is "true"."""
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
"""The label by which a job asks to be let in by Kueue, which suspends it meanwhile."""

_UNDER_WAY: Final = ("Running", "Restarting")
_ENDS: Final = {"Succeeded": SUCCEEDED, "Failed": FAILED}


def status_word(obj: Object, state: str, pods: Sequence[PodView] = ()) -> str:
    """Returns the word for a job in a state; one that runs and has a pod that does not is PENDING, as Arena has it."""
    if state in _ENDS:
        return _ENDS[state]
    if is_suspended(obj):
        return QUEUING if is_queued(obj) else SUSPENDED
    under_way = _under_way(obj, state)
    if under_way:
        phases = {pod.phase for pod in pods}
        # Between two attempts of a gang there may be no pod at all.
        gone = under_way == "Restarting" and "Running" not in phases
        return PENDING if "Pending" in phases or gone else RUNNING
    # Where nobody of kube-queue is, its mark stays, and holds nothing.
    return QUEUING if (is_held_by_a_queue(obj) and not pods) or state == "Queuing" else PENDING


def _under_way(obj: Object, state: str) -> str:
    """Returns Running or Restarting when the job is under way, whatever else was said since; else nothing."""
    if state in _UNDER_WAY:
        return state
    status = obj.get("status") or {}
    for one in reversed(status.get("conditions") or []):
        if one.get("type") in _UNDER_WAY and one.get("status") == "True":
            return str(one["type"])
    # A plain Job has no such condition, and counts its pods instead.
    return "Running" if status.get("active") else ""


def is_suspended(obj: Object) -> bool:
    """Whether somebody has asked for the job to wait."""
    spec = obj.get("spec") or {}
    return bool((spec.get("runPolicy") or {}).get("suspend") or spec.get("suspend"))


def is_queued(obj: Object) -> bool:
    """Whether a queue decides when the job may start."""
    return bool((obj["metadata"].get("labels") or {}).get(QUEUE_NAME)) or is_held_by_a_queue(obj)


def is_held_by_a_queue(obj: Object) -> bool:
    """Whether kube-queue holds the job back."""
    return (obj["metadata"].get("annotations") or {}).get(QUEUE_HOLDS) == "true"

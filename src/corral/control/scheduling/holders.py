"""Who holds room, as people know them: the jobs behind pods. Pure."""

from collections.abc import Callable
from typing import Final

from corral.control.scheduling.crowd import Crowd, Known
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.training.label_names import JOB_NAME
from corral.placement.remedies.supplies import Job

_KEEPERS: Final = frozenset({"DaemonSet", "Node"})
"""Whoever owns these pods needs them on every node: nobody ends them to make room."""
_SYSTEM: Final = "kube-system"


QueueOf = Callable[[Known], str]


def jobs_of(crowd: Crowd, namespace: str, but: str, queue_of: QueueOf) -> list[Job]:
    """Returns everybody who holds room, named as seen from a namespace; one job, which asks, may not end for itself."""
    pods: dict[tuple[str, str], list[Known]] = {}
    for one in crowd:
        if one.seat is not None:
            pods.setdefault((one.view.metadata.namespace, job_name(one.view)), []).append(one)
    found = []
    for (place, name), held in pods.items():
        owners = {one.kind for pod in held for one in pod.view.metadata.owner_references}
        may_end = place != _SYSTEM and owners.isdisjoint(_KEEPERS) and (place, name) != (namespace, but)
        shown = name if place == namespace else f"{place}/{name}"
        priority = max(pod.view.spec.priority for pod in held)
        uids = tuple(pod.uid for pod in held)
        found.append(Job(f"{place}/{name}", shown, uids, priority, queue_of(held[0]), may_end))
    return found


def job_name(pod: SchedulingPod) -> str:
    """Returns the job behind a pod, or the pod itself when there is none."""
    metadata = pod.metadata
    owner = next((one.name for one in metadata.owner_references if one.controller), "")
    return metadata.labels.get(JOB_NAME) or owner or metadata.name

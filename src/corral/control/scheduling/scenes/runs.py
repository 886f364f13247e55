"""How long gangs ran and waited, read off their pods. Pure."""

from collections.abc import Iterable, Iterator

from corral.control.scheduling.board import bound_since
from corral.control.scheduling.crowd import gang_name
from corral.control.scheduling.reading.asks import request_of
from corral.control.scheduling.reading.membership import membership_of
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.admission.amounts import CPU, GPU
from corral.placement.estimates.gang_runs import GangRun
from corral.reconcile.moments import seconds_of

_MOST = 1000
"""Gangs that are remembered, the latest: what was long ago says little about today."""


def ended_runs(pods: Iterable[SchedulingPod], names: frozenset[str]) -> list[GangRun]:
    """Returns the gangs of some schedulers of which all pods have ended, the oldest first; each in the queue that it named."""
    gangs: dict[str, list[SchedulingPod]] = {}
    for pod in pods:
        if pod.spec.scheduler_name in names:
            gangs.setdefault(gang_name(pod, membership_of(pod)), []).append(pod)
    found = sorted(_runs(gangs), key=lambda one: (one.ended or 0.0, one.uid))
    return found[-_MOST:]


def _runs(gangs: dict[str, list[SchedulingPod]]) -> Iterator[GangRun]:
    for uid, pods in gangs.items():
        if not all(pod.has_ended for pod in pods):
            continue
        began = [at for pod in pods if (at := bound_since(pod)) is not None]
        ended = [at for pod in pods if (at := _ended(pod)) is not None]
        came = [at for pod in pods if (at := seconds_of(pod.metadata.creation_timestamp)) is not None]
        if not (began and ended and came):
            continue
        asks = [request_of(pod, lambda _: 0).ask for pod in pods]
        gpus, cores = sum(ask.gpu.total for ask in asks), sum(ask.cpu for ask in asks)
        queue = next((said for pod in pods if (said := membership_of(pod).queue)), "")
        started = max(min(began), min(came))
        yield GangRun(
            uid=uid,
            queue=queue,
            counted=GPU if gpus else CPU,
            size=gpus or cores,
            arrived=min(came),
            started=started,
            ended=max(max(ended), started),
        )


def _ended(pod: SchedulingPod) -> float | None:
    """Returns when a pod ended: since then it is not ready."""
    told = next((one for one in pod.status.conditions if one.type == "Ready" and one.status == "False"), None)
    return seconds_of(told.last_transition_time) if told is not None else None

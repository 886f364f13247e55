"""Pods of the second dialect that failed or are lost: what is told about each, and what lets a lost one go.

Failures of the launcher are counted by its Job, those of workers by nobody: they are written down as evidence only.
"""

from collections.abc import Iterable

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.references import ObjectKey
from corral.kinds.training.job import Place
from corral.kinds.training.status import JobStatus
from corral.kinds.well_known import POD
from corral.reconcile.frameworks.mpi import LAUNCHER, WORKER
from corral.reconcile.plan import Action, Patch
from corral.reconcile.training.failures import failure_of
from corral.reconcile.training.mishaps import Mishap, recorded
from corral.reconcile.training.mpi_v2.dialect import worker_name
from corral.reconcile.training.removal import pod_removals
from corral.reconcile.training.sight import Roster, Sight


def workers_of(sight: Sight) -> dict[Place, PodView]:
    """Returns the workers that the job asks for, as far as they are there."""
    held = {pod.name: pod for pod in sight.world.pods}
    names = {Place(WORKER, index): worker_name(sight.job, index) for index in range(sight.job.count(WORKER))}
    return {place: held[name] for place, name in names.items() if name in held}


def mishaps_of(sight: Sight) -> list[Mishap]:
    """Returns every pod that failed or is lost, the launcher's first."""
    placed = [(Place(LAUNCHER, 0), pod) for pod in sight.world.launcher_pods]
    placed += workers_of(sight).items()
    return [
        Mishap(place, pod, failure_of(sight.job, place, pod, sight.world, sight.now), "leave")
        for place, pod in placed
        if pod.phase == "Failed" or (sight.has_lost(pod) and not pod.is_finished)
    ]


def with_failures(sight: Sight, status: JobStatus, found: list[Mishap]) -> JobStatus:
    """Returns the status with these failures written down, each once."""
    present = Roster({}, (*sight.world.launcher_pods, *workers_of(sight).values()), ())
    return recorded(sight.job, status, present, found)


def lost_removals(sight: Sight) -> tuple[list[Action], list[Action]]:
    """Returns what lets pods of lost nodes go, in two steps.

    The launcher's Job replaces a pod only when it has failed, and holds it until then; nobody but its node would say so.
    """
    launchers = _lost(sight, sight.world.launcher_pods)
    said: list[Action] = [_failed(sight, pod) for pod in launchers if not pod.is_finished]
    return said, pod_removals(sight, [*launchers, *_lost(sight, workers_of(sight).values())])


def _lost(sight: Sight, pods: Iterable[PodView]) -> list[PodView]:
    return [pod for pod in pods if sight.has_lost(pod) and (pod.is_terminating or not pod.is_finished)]


def _failed(sight: Sight, pod: PodView) -> Action:
    status = {"phase": "Failed", "reason": "NodeLost", "message": f"node {pod.node} is gone or not ready"}
    metadata: Object = {"uid": pod.uid}
    if pod.metadata.resource_version:
        metadata["resourceVersion"] = pod.metadata.resource_version  # it may have ended by itself meanwhile
    body = {"metadata": metadata, "status": status}
    return Patch(POD, ObjectKey(sight.job.namespace, pod.name), body, subresource="status")

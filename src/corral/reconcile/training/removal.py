"""Removing the children of a job, with the events that tell of it."""

from collections.abc import Iterable
from dataclasses import replace

from corral.kinds.objects import MetadataOnly, is_deleting
from corral.kinds.pod_view import PodView
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD, SERVICE
from corral.reconcile.plan import Action, Delete, Told
from corral.reconcile.training.sight import Sight


def pod_removals(sight: Sight, pods: Iterable[PodView], *, as_seen: bool = False) -> list[Action]:
    """Returns the deletion of pods that nobody deletes yet, and by force of those whose node is lost: it cannot answer.

    Force is used once: what is still there then waits for somebody's finalizer.
    What is deleted only because of how it is, `as_seen`, stays when it has changed since: it may have ended by itself.
    """
    told = Told(
        sight.event("SuccessfulDeletePod", "Deleted pod: "),
        sight.event("FailedDeletePod", "Error deleting: ", warns=True),
    )
    return [
        Delete(
            POD,
            _key(sight, pod.name),
            pod.uid,
            grace_seconds=0 if sight.has_lost(pod) else None,
            version=pod.metadata.resource_version if as_seen else "",
            told=_named(told, pod.name),
        )
        for pod in pods
        if not pod.is_terminating or (sight.has_lost(pod) and not pod.is_let_go)
    ]


def service_removals(sight: Sight, services: Iterable[MetadataOnly]) -> list[Action]:
    """Returns the deletion of services."""
    told = Told(
        sight.event("SuccessfulDeleteService", "Deleted service: "),
        sight.event("FailedDeleteService", "Error deleting: ", warns=True),
    )
    return [
        Delete(SERVICE, _key(sight, one.metadata.name), one.metadata.uid, told=_named(told, one.metadata.name))
        for one in services
        if not is_deleting(one)
    ]


def _key(sight: Sight, name: str) -> ObjectKey:
    return ObjectKey(sight.job.namespace, name)


def _named(told: Told, name: str) -> Told:
    """Returns the events with the name of what goes."""
    assert told.done is not None
    return Told(replace(told.done, message=told.done.message + name), told.failed)

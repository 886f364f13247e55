"""Names for people who are typing: asked for quickly, and what is refused or late is left out."""

import time
from collections.abc import Iterator
from typing import Final

from corral.control.desk.naming.kinds import TRAINING_KINDS, TRAINING_RESOURCES
from corral.control.desk.session import Session
from corral.errors import CorralError
from corral.kinds.objects import MetadataOnly
from corral.kinds.references import ApiResource
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import POD
from corral.ports.object_store import Scope

FREQUENT_KINDS: Final = (
    *(kind.lower() for kind in TRAINING_KINDS),
    *("pods", "services", "configmaps", "secrets", "events", "persistentvolumeclaims", "deployments", "jobs"),
    *("nodes", "namespaces"),
)
"""Kinds that people look at; asking the server for all of its own takes too long for this."""


def job_names(session: Session, deadline: float) -> Iterator[str]:
    """Yields the names of training jobs until the deadline, on the monotonic clock, is over."""
    for resource in TRAINING_RESOURCES:
        if time.monotonic() < deadline:
            yield from names_of(session, resource)


def names_of(session: Session, resource: ApiResource, labels: str = "") -> list[str]:
    """Returns the names of all objects of a kind in the namespace of the session; none when they are not to be had."""
    scope = Scope(session.namespace if resource.namespaced else "", labels, metadata_only=True)
    found: list[str] = []
    try:
        for page in session.store.pages(resource, scope, MetadataOnly):
            found = ([] if page.is_first else found) + [one.metadata.name for one in page.items]
    except CorralError:
        return []
    return found


def pods_of_job(session: Session, job: str) -> list[str]:
    """Returns the names of the pods of a training job."""
    return names_of(session, POD, f"{JOB_NAME}={job}") if job else []

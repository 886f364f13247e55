"""Whose child an object is: from pods, services and companions to the job that they belong to.

The managing owner decides. Only the pods of a launcher Job have another owner than the training job; they carry its name
as a label.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from corral.kinds.objects import HasMetadata, Object, OwnerReference, controller_of
from corral.kinds.references import ObjectKey
from corral.kinds.training.facts import GROUP
from corral.kinds.training.mpi import MPI_JOB
from corral.reconcile.training.labels import JOB_NAME

OWNER = "managing owner"
ON_NODE = "node"
"""Names of indexes."""


class Parent(NamedTuple):
    """The training job that something belongs to."""

    kind: str
    key: ObjectKey


def manager_of(held: Any) -> OwnerReference | None:
    """Returns the managing owner of a whole or a trimmed object."""
    if isinstance(held, dict):
        owner = controller_of(held)
        if owner is None:
            return None
        return OwnerReference(api_version=owner["apiVersion"], kind=owner["kind"], name=owner["name"], uid=owner["uid"])
    trimmed = cast(HasMetadata, held).metadata
    return next((owner for owner in trimmed.owner_references if owner.controller), None)


def owner_uids(held: Any) -> Iterable[str]:
    """Returns the uid of the managing owner, for an index."""
    owner = manager_of(held)
    return () if owner is None else (owner.uid,)


def parent_of(held: Any) -> Parent | None:
    """Returns the training job that an object belongs to, if any."""
    owner = manager_of(held)
    if owner is None:
        return None
    namespace, labels = _place(held)
    group = owner.api_version.rpartition("/")[0]
    if group == GROUP:
        return Parent(owner.kind, ObjectKey(namespace, owner.name))
    if group == "batch" and owner.kind == "Job" and labels.get(JOB_NAME):
        return Parent(MPI_JOB.kind, ObjectKey(namespace, labels[JOB_NAME]))
    return None


def _place(held: Any) -> tuple[str, dict[str, str]]:
    if isinstance(held, dict):
        metadata: Object = held["metadata"]
        return metadata.get("namespace", ""), metadata.get("labels") or {}
    trimmed = cast(HasMetadata, held).metadata
    return trimmed.namespace, trimmed.labels

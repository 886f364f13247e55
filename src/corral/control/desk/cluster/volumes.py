"""The claims that jobs can use."""

from typing import Final, NamedTuple

from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM
from corral.ports.object_store import Scope
from corral.reconcile.moments import seconds_of

_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
"""In the order in which they are told."""


class Volume(NamedTuple):
    """One claim that is bound."""

    namespace: str
    name: str
    access_modes: tuple[str, ...]
    description: str
    owner: str
    created: float | None
    capacity: str
    storage_class: str
    object: Object


def volumes_in(session: Session, *, everywhere: bool = False) -> list[Volume]:
    """Returns the claims that are bound to a volume and are not going, by place and name."""
    found = session.store.list(PERSISTENT_VOLUME_CLAIM, Scope("" if everywhere else session.namespace))
    ready = [volume_of(one) for one in found if is_ready(one)]
    return sorted(ready, key=lambda one: (one.namespace, one.name))


def is_ready(claim: Object) -> bool:
    """Whether a claim can be used."""
    return (claim.get("status") or {}).get("phase") == "Bound" and not claim["metadata"].get("deletionTimestamp")


def volume_of(claim: Object) -> Volume:
    """Returns what is told about a claim."""
    metadata, spec, status = claim["metadata"], claim.get("spec") or {}, claim.get("status") or {}
    annotations, modes = metadata.get("annotations") or {}, spec.get("accessModes") or []
    return Volume(
        metadata.get("namespace", ""),
        metadata["name"],
        tuple(mode for mode in _MODES if mode in modes),
        str(annotations.get("description", "")),
        str(annotations.get("owner", "")),
        seconds_of(metadata.get("creationTimestamp")),
        str((status.get("capacity") or {}).get("storage") or ""),
        str(spec.get("storageClassName") or ""),
        claim,
    )

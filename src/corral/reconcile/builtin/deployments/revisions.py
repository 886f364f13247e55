"""Numbering of revisions, the annotations that carry it, and forgetting the oldest ones."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.well_known import REPLICA_SET
from corral.reconcile.builtin.deployments.limits import Limits
from corral.reconcile.builtin.deployments.template import age_order
from corral.reconcile.plan import Delete

_PREFIX = "deployment.kubernetes.io/"
REVISION = _PREFIX + "revision"
HISTORY = _PREFIX + "revision-history"
DESIRED = _PREFIX + "desired-replicas"
MOST = _PREFIX + "max-replicas"

_NOT_COPIED = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        HISTORY,
        DESIRED,
        MOST,
        "deprecated.deployment.rollback.to",
    }
)


def annotations_of(obj: Object) -> dict[str, str]:
    """Returns the annotations, never None; not to be changed."""
    return obj["metadata"].get("annotations") or {}


def revision_of(replica_set: Object) -> int:
    """Returns the revision, 0 when there is none."""
    text = annotations_of(replica_set).get(REVISION, "")
    return int(text) if text.isdecimal() else 0


def next_revision(old: Iterable[Object]) -> int:
    """Returns the revision of the present template: one more than any other has."""
    return max((revision_of(one) for one in old), default=0) + 1


def copied_annotations(deployment: Object) -> dict[str, str]:
    """Returns what a ReplicaSet inherits."""
    return {name: value for name, value in annotations_of(deployment).items() if name not in _NOT_COPIED}


def size_annotations(limits: Limits) -> dict[str, str]:
    """Returns the notes by which a later change of replicas is recognised and shared out."""
    return {DESIRED: str(limits.replicas), MOST: str(limits.most)}


class Renumbering(NamedTuple):
    """The annotations that the current ReplicaSet lacks, and the revision it will have."""

    missing: dict[str, str]
    revision: int


def renumbered(deployment: Object, current: Object, old: Iterable[Object]) -> Renumbering:
    """Returns what must be noted on the ReplicaSet of the present template.

    One that comes back after a rollback gets a new number, and the old one is kept in its history.
    """
    present, wanted = annotations_of(current), copied_annotations(deployment)
    before, number = revision_of(current), next_revision(old)
    if before < number:
        wanted[REVISION] = str(number)
        if before:
            history = [one for one in present.get(HISTORY, "").split(",") if one]
            wanted[HISTORY] = ",".join([*history, str(before)])
    missing = {name: value for name, value in wanted.items() if present.get(name) != value}
    return Renumbering(missing, max(before, number))


def forgotten(deployment: Object, old: Sequence[Object]) -> list[Delete]:
    """Returns the deletions of old revisions beyond the limit, the oldest first; none that still has pods."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    if limit is None or int(limit) >= 2**31 - 1:
        return []
    alive = sorted((one for one in old if not is_deleting(one)), key=lambda one: (revision_of(one), age_order(one)))
    surplus = alive[: max(0, len(alive) - int(limit))]
    return [Delete(REPLICA_SET, key_of(one), uid_of(one)) for one in surplus if _is_idle(one)]


def _is_idle(replica_set: Object) -> bool:
    status, metadata = replica_set.get("status") or {}, replica_set["metadata"]
    observed = int(status.get("observedGeneration") or 0) >= int(metadata.get("generation") or 0)
    return observed and not status.get("replicas") and not replica_set["spec"].get("replicas")

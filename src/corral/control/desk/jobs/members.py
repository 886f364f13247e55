"""The pods of a job as its members: which role and rank each has, and how it is. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from corral.errors import PermanentError
from corral.kinds.pod_view import ContainerStatus, PodView, Terminated
from corral.kinds.training.label_names import COMPLETION_INDEX, JOB_ROLE, REPLICA_INDEX, REPLICA_TYPE
from corral.reconcile.moments import seconds_of

_RANKED_APART = ("launcher", "ps", "evaluator", "scheduler", "server", "tuner")
"""Roles that take part without a rank in the training itself."""
_LEADING = ("chief", "master")
"""Roles that rank before the workers."""
_CHIEFS = (*_LEADING, "launcher")
"""Roles whose pod speaks for its job."""

_UNKNOWN: Final[Mapping[str, int]] = {}

P = TypeVar("P", bound=PodView)


class Member(NamedTuple, Generic[P]):
    """One pod of a job."""

    label: str
    """How its lines are marked: `worker-0`."""
    role: str
    ordinal: int | None
    pod: P


def member_of(pod: P) -> Member[P]:
    """Returns a pod with its place in the job; one without labels goes by its name."""
    labels = pod.metadata.labels
    role, text = _role(labels), labels.get(REPLICA_INDEX, labels.get(COMPLETION_INDEX, ""))
    index = int(text) if text.isdigit() else None
    label = "-".join(part for part in (role, text) if part) if role else text or pod.name
    return Member(label, role, index, pod)


def in_rank_order(members: Iterable[Member[P]]) -> list[Member[P]]:
    """Returns the members by rank: the leading role, the workers, and at last those that have no rank."""
    return sorted(members, key=lambda one: (_turn(one.role), one.role, one.ordinal or 0, one.pod.name))


def ranks(members: Iterable[Member[P]], sizes: Mapping[str, int] = _UNKNOWN) -> dict[str, int]:
    """Returns the rank of each pod by uid; two pods of one place (a replacement) have the same.

    With the sizes of the roles, as the job asks for them, a pod keeps its rank when others are gone.
    """
    first, taken = {}, 0
    for role in sorted((one for one in sizes if _turn(one) < 2), key=lambda one: (_turn(one), one)):
        first[role], taken = taken, taken + sizes[role]
    places: dict[tuple[str, int | None], int] = {}
    found: dict[str, int] = {}
    for one in in_rank_order(members):
        if _turn(one.role) < 2 and one.ordinal is not None:
            counted = places.setdefault((one.role, one.ordinal), len(places))
            found[one.pod.uid] = first[one.role] + one.ordinal if one.role in first else counted
    return found


def has_chief(sizes: Mapping[str, int]) -> bool:
    """Whether a job asks for a pod that leads the others, so that no worker speaks for it."""
    return any(sizes.get(role) for role in _CHIEFS)


def is_chief(pod: PodView) -> bool:
    """Whether a pod has a role that leads."""
    return _standing(pod.metadata.labels) > 1


def chief_among(pods: Iterable[P]) -> P | None:
    """Returns the pod that speaks for its job: the chief, master or launcher, else the first worker; of two, the newer."""
    found: P | None = None
    best: tuple[int, str] = (0, "")
    for pod in pods:
        standing = _standing(pod.metadata.labels)
        if standing and (found is None or (standing, pod.metadata.creation_timestamp or "") > best):
            found, best = pod, (standing, pod.metadata.creation_timestamp or "")
    return found


def _standing(labels: Mapping[str, str]) -> int:
    """Returns how much a pod speaks for its job; 0 is not at all."""
    role = _role(labels).lower()
    if role in _CHIEFS:
        return 3
    if labels.get(JOB_ROLE) == "master":
        return 2
    return 0 if role in _RANKED_APART or labels.get(REPLICA_INDEX, "0") != "0" else 1


def _role(labels: Mapping[str, str]) -> str:
    """Returns the role of a pod; the second version of MPI names it where others only mark who leads."""
    told = labels.get(JOB_ROLE, "")
    return labels.get(REPLICA_TYPE, "" if told == "master" else told)


def instance_named(members: Sequence[Member[P]], word: str) -> Member[P]:
    """Returns the pod that people name by its whole name, or by its place: `worker-0`."""
    for one in sorted(members, key=lambda each: (each.pod.name != word, each.pod.is_terminating)):
        if word in (one.pod.name, one.label):
            return one
    known = ", ".join(one.label for one in in_rank_order(members)) or "none: it has no pods"
    raise PermanentError("no-such-instance", f'there is no instance "{word}"', hint=f"instances are {known}")


def _turn(role: str) -> int:
    return 0 if role in _LEADING else 2 if role in _RANKED_APART else 1


def ended_container(pod: PodView) -> tuple[ContainerStatus, Terminated] | None:
    """Returns the container whose end tells most about the pod: the first that failed, else the first that ended."""
    ended = [(one, one.state.terminated) for one in pod.all_containers() if one.state.terminated is not None]
    failed = [(one, end) for one, end in ended if end is not None and end.exit_code != 0]
    return next(iter(failed or [(one, end) for one, end in ended if end is not None]), None)


def since(pod: PodView) -> float | None:
    """Returns when the pod was made."""
    return seconds_of(pod.metadata.creation_timestamp)

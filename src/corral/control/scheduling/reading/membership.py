"""Which gang a pod belongs to, in whichever dialect it says so: how many must start together, in which queue, how near."""

from collections.abc import Iterator
from typing import NamedTuple

from corral.control.scheduling.dialects.catalogue import DIALECTS
from corral.control.scheduling.dialects.dialect import GangWords, MalformedError, whole_number
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.names import CHECKPOINTS, GANG_MOST, MOST_MEMBERS, PREEMPTIBLE, RUN_TIME, STRATEGY
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.kinds.submission import spelling
from corral.kinds.training.label_names import JOB_ROLE, REPLICA_INDEX, REPLICA_TYPE

STRATEGIES = ("bundle", "spread")
_YES_OR_NO = ("true", "false")
_SHRINKING_ROLE = "worker"
_GANGS = tuple(one.gang for one in DIALECTS if one.gang is not None)
_QUEUES = tuple(one.queue for one in DIALECTS if one.queue)
_WITHIN = tuple(one.within for one in DIALECTS if one.within)
_NEAR = tuple(one.near for one in DIALECTS if one.near)


class Membership(NamedTuple):
    """What a pod says about its gang; a pod without one is a gang of its own."""

    gang: str = ""
    """The name of the gang in the namespace of the pod; "" when it has none."""
    size: int = 1
    """How many must start together, as far as the pod itself says."""
    group: ApiResource | None = None
    """The kind of the object that says how many, when the pod does not."""
    queue: str = ""
    strategy: str = ""
    within: str = ""
    near: str = ""
    most: int = 0
    """How many pods the gang can use; 0 when it keeps its size."""
    checkpoints: bool = False
    is_preemptible: bool = True
    turn_to_go: int = 0
    """Those with the highest go first when the gang shrinks."""
    run_time: float | None = None
    """How long its gang runs, in seconds, as its owner says; None when nobody does."""
    deadline: float | None = None
    """After how many seconds it is ended wherever it has come; None for never."""
    complaint: str = ""


ALONE = Membership()


def membership_of(pod: SchedulingPod) -> Membership:
    """Returns what a pod says about its gang."""
    labels, annotations, deadline = pod.metadata.labels, pod.metadata.annotations, pod.spec.active_deadline_seconds
    if not labels and not annotations:
        return ALONE if deadline is None else ALONE._replace(deadline=deadline)
    found = Membership(
        queue=_first(pod, _QUEUES),
        strategy=pod.value(STRATEGY),
        within=_first(pod, _WITHIN),
        near=_first(pod, _NEAR),
        checkpoints=pod.value(CHECKPOINTS) == "true",
        is_preemptible=pod.value(PREEMPTIBLE) != "false",
        deadline=deadline,
        complaint=next(_complaints(pod), ""),
    )
    try:
        found = found._replace(run_time=_run_time(pod))
    except ValueError as error:
        found = found._replace(complaint=found.complaint or f"{RUN_TIME}: {error}")
    words = next((one for one in _GANGS if one.name in labels or one.name in annotations), None)
    if words is None or not pod.value(words.name):
        return found
    try:
        size, most = _size(pod, words), _most(pod)
    except MalformedError as error:
        return found._replace(gang=pod.value(words.name), group=words.group, complaint=str(error))
    turn = _turn_to_go(pod) if most else 0
    return found._replace(gang=pod.value(words.name), size=size, group=words.group, most=most, turn_to_go=turn)


def _complaints(pod: SchedulingPod) -> Iterator[str]:
    for name, words in ((STRATEGY, STRATEGIES), (PREEMPTIBLE, _YES_OR_NO), (CHECKPOINTS, _YES_OR_NO)):
        if pod.value(name) not in ("", *words):
            yield f"{name} is {pod.value(name)!r}, not one of {', '.join(words)}"


def _size(pod: SchedulingPod, words: GangWords) -> int:
    if not words.size:
        return 1
    said = pod.value(words.size)
    if not said:
        raise MalformedError(f"{words.name} names a gang, and {words.size} does not say how many pods it has")
    return whole_number(words.size, said, MOST_MEMBERS)


def _most(pod: SchedulingPod) -> int:
    said = pod.value(GANG_MOST)
    return whole_number(GANG_MOST, said, MOST_MEMBERS) if said else 0


def _run_time(pod: SchedulingPod) -> float | None:
    said = pod.value(RUN_TIME)
    return spelling.seconds(said) if said else None


def _turn_to_go(pod: SchedulingPod) -> int:
    """Returns when a pod goes as its gang shrinks: workers with the highest index first, other roles never before them."""
    labels = pod.metadata.labels
    if _SHRINKING_ROLE not in (labels.get(REPLICA_TYPE), labels.get(JOB_ROLE)):
        return 0
    # Workers of an MPIJob have no label for it.
    index = labels.get(REPLICA_INDEX) or pod.metadata.name.rpartition("-")[2]
    return 1 + int(index) if index.isascii() and index.isdecimal() else 0


def _first(pod: SchedulingPod, names: tuple[str, ...]) -> str:
    return next((found for found in map(pod.value, names) if found), "")

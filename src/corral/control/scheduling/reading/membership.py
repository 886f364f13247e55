"""Which gang a pod belongs to, in whichever dialect it says so: how many must start together, in which queue, how near."""

from typing import NamedTuple

from corral.control.scheduling.dialects.catalogue import DIALECTS
from corral.control.scheduling.dialects.dialect import GangWords, MalformedError, whole_number
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.names import STRATEGY
from corral.kinds.scheduling.pod_view import SchedulingPod

MOST_MEMBERS = 5000
STRATEGIES = ("bundle", "spread")
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
    complaint: str = ""


ALONE = Membership()


def membership_of(pod: SchedulingPod) -> Membership:
    """Returns what a pod says about its gang."""
    labels, annotations = pod.metadata.labels, pod.metadata.annotations
    if not labels and not annotations:
        return ALONE
    strategy = pod.value(STRATEGY)
    found = Membership(
        queue=_first(pod, _QUEUES),
        strategy=strategy,
        within=_first(pod, _WITHIN),
        near=_first(pod, _NEAR),
        complaint=""
        if strategy in ("", *STRATEGIES)
        else f"{STRATEGY} is {strategy!r}, not one of {', '.join(STRATEGIES)}",
    )
    words = next((one for one in _GANGS if one.name in labels or one.name in annotations), None)
    if words is None or not pod.value(words.name):
        return found
    try:
        size = _size(pod, words)
    except MalformedError as error:
        return found._replace(gang=pod.value(words.name), group=words.group, complaint=str(error))
    return found._replace(gang=pod.value(words.name), size=size, group=words.group)


def _size(pod: SchedulingPod, words: GangWords) -> int:
    if not words.size:
        return 1
    said = pod.value(words.size)
    if not said:
        raise MalformedError(f"{words.name} names a gang, and {words.size} does not say how many pods it has")
    return whole_number(words.size, said, MOST_MEMBERS)


def _first(pod: SchedulingPod, names: tuple[str, ...]) -> str:
    return next((found for found in map(pod.value, names) if found), "")

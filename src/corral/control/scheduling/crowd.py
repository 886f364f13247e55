"""Who is there: every pod that concerns the scheduler, and the gangs that they form. Pure.

A pod is known by its uid, and is in one of three places: waiting in its gang, seated in its gang, or bound by somebody else. The
places of gangs are told to the desk when they are asked for, so that a gang of a hundred pods that end one after the other is told
of once.
"""

from collections.abc import Collection, Iterator
from enum import Enum
from typing import NamedTuple

from corral.control.scheduling.desk import Claim, Seated
from corral.control.scheduling.reading.asks import Request
from corral.control.scheduling.reading.membership import Membership
from corral.kinds.objects import key_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.pod_view import SchedulingPod
from corral.placement.asks import Gang, Member, Seat


class Standing(Enum):
    """Where a pod is."""

    WAITING = "waiting"
    SEATED = "seated"
    """Bound by us, or promised a place."""
    FOREIGN = "foreign"
    """Bound by somebody else, or before anybody knew of its gang."""
    HELD_BACK = "held back"
    """It waits, and cannot be read, or its placement is being taken back."""


class Known(NamedTuple):
    """A pod, what it asks, and where it is."""

    view: SchedulingPod
    request: Request
    membership: Membership
    gang: str
    standing: Standing
    seat: Seat | None = None
    arrived: float = 0.0
    held_until: float = 0.0
    """Before this time it does not stand in line: somebody refused to bind it."""

    @property
    def uid(self) -> str:
        """Returns its uid."""
        return self.view.metadata.uid

    @property
    def key(self) -> ObjectKey:
        """Returns its namespace and name."""
        return key_of(self.view)


class GroupKey(NamedTuple):
    """The object that says how many pods of a gang start together."""

    resource: ApiResource
    key: ObjectKey


class Crowd:
    """All pods by uid, and the gangs they form."""

    def __init__(self) -> None:
        self._pods: dict[str, Known] = {}
        self._gangs: dict[str, dict[str, None]] = {}
        self._started: dict[str, float] = {}
        self._sizes: dict[GroupKey, tuple[int, str]] = {}
        """Of each group object how many start together, and in which queue."""

    def __iter__(self) -> Iterator[Known]:
        return iter(list(self._pods.values()))

    def __len__(self) -> int:
        return len(self._pods)

    def get(self, uid: str) -> Known | None:
        """Returns a pod by uid."""
        return self._pods.get(uid)

    def put(self, pod: Known) -> None:
        """Notes a pod as it is now."""
        before = self._pods.get(pod.uid)
        if before is not None and before.gang != pod.gang:
            self.remove(pod.uid)
        self._pods[pod.uid] = pod
        self._gangs.setdefault(pod.gang, {})[pod.uid] = None

    def remove(self, uid: str) -> Known | None:
        """Forgets a pod; returns what was known of it."""
        pod = self._pods.pop(uid, None)
        if pod is not None:
            members = self._gangs[pod.gang]
            del members[uid]
            if not members:
                del self._gangs[pod.gang]
                self._started.pop(pod.gang, None)
        return pod

    def members(self, gang: str) -> list[Known]:
        """Returns the pods of a gang, in the order in which they came."""
        return [self._pods[uid] for uid in self._gangs.get(gang, ())]

    def start(self, gang: str, now: float) -> None:
        """Notes when a gang got its first seat."""
        self._started.setdefault(gang, now)

    # --- group objects ---

    def put_group(self, group: GroupKey, size: int, queue: str) -> bool:
        """Notes what a group object says; returns whether that is new."""
        is_new = self._sizes.get(group) != (size, queue)
        self._sizes[group] = (size, queue)
        return is_new

    def remove_group(self, group: GroupKey) -> None:
        """Forgets a group object."""
        self._sizes.pop(group, None)

    def size_of(self, gang: str) -> int | None:
        """Returns how many pods of a gang must start together; None when its group object is not there."""
        members = self.members(gang)
        sizes = [self._said(one) for one in members]
        return None if any(size is None for size in sizes) else max((size or 1 for size in sizes), default=1)

    def _said(self, pod: Known) -> int | None:
        group = group_of(pod)
        if group is None:
            return pod.membership.size
        found = self._sizes.get(group)
        return found[0] if found is not None else None

    def seated_beside(self, gang: str, uids: Collection[str]) -> int:
        """Returns how many pods of a gang have seats, but for some."""
        return sum(one.standing is Standing.SEATED and one.uid not in uids for one in self.members(gang))

    # --- what the desk is told ---

    def claim(self, gang: str) -> Claim | None:
        """Returns what a gang asks for: its waiting pods, beside those that are seated; None when nobody of it waits."""
        members = self.members(gang)
        waiting = [one for one in members if one.standing is Standing.WAITING]
        minimum = self.size_of(gang)
        if not waiting or minimum is None:
            return None
        seated = [one for one in members if one.standing is Standing.SEATED and one.seat is not None]
        return self._claim(gang, waiting, seated, max(minimum, len(seated) + 1))

    def seated(self, gang: str) -> Seated | None:
        """Returns the seats of a gang; none when nobody of it is left."""
        seated = [one for one in self.members(gang) if one.standing is Standing.SEATED and one.seat is not None]
        if not seated:
            return None
        claim = self._claim(gang, [], seated, len(seated))
        return Seated(claim, tuple(one.seat for one in seated if one.seat is not None), self._started.get(gang, 0.0))

    def _claim(self, gang: str, waiting: list[Known], seated: list[Known], minimum: int) -> Claim:
        everybody = [*waiting, *seated]
        first = everybody[0]
        held = {one.uid: one.seat.node for one in seated if one.seat is not None}
        members = tuple(Member(one.uid, one.request.ask, held.get(one.uid, "")) for one in everybody)
        priority = max(one.view.spec.priority for one in everybody)
        said = first.membership
        group = group_of(first)
        queue = said.queue or (self._sizes.get(group, (0, ""))[1] if group is not None else "")
        asked = Gang(gang, members, minimum, queue, priority, said.strategy, said.within, said.near)
        return Claim(asked, min(one.arrived for one in everybody), first.view.metadata.namespace)


def group_of(pod: Known) -> GroupKey | None:
    """Returns the group object of a pod, None when it has none."""
    said = pod.membership
    if said.group is None or not said.gang:
        return None
    return GroupKey(said.group, ObjectKey(pod.view.metadata.namespace, said.gang))


def gang_name(pod: SchedulingPod, membership: Membership) -> str:
    """Returns the name of the gang of a pod, which is its uid when it is alone; names of gangs have a slash, uids have none."""
    return f"{pod.metadata.namespace}/{membership.gang}" if membership.gang else pod.metadata.uid

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
from corral.kinds.scheduling.concession import Past
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
        self._pasts: dict[str, Past] = {}
        self._done: dict[str, dict[str, str]] = {}
        """Of each gang the pods that have succeeded and are still there, with their owners."""

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
        """Notes when a gang got its first seat, or one that was there before."""
        self._started[gang] = min(self._started.get(gang, now), now)

    # --- group objects ---

    def put_group(self, group: GroupKey, size: int, queue: str) -> bool:
        """Notes what a group object says; returns whether that is new."""
        is_new = self._sizes.get(group) != (size, queue)
        self._sizes[group] = (size, queue)
        return is_new

    def remove_group(self, group: GroupKey) -> None:
        """Forgets a group object."""
        self._sizes.pop(group, None)

    def note_done(self, gang: str, pod: SchedulingPod) -> None:
        """Notes a pod that has succeeded: its gang has to start without it."""
        self._done.setdefault(gang, {})[pod.metadata.uid] = _owner(pod)

    def forget_done(self, gang: str, uid: str) -> None:
        """Forgets a pod that had succeeded and is gone."""
        done = self._done.get(gang, {})
        done.pop(uid, None)
        if not done:
            self._done.pop(gang, None)

    def size_of(self, gang: str, counted: Collection[str] = ()) -> int | None:
        """Returns how many pods of a gang must start together; None when its group object is not there.

        Those that have succeeded need no place any more, but for some that are counted elsewhere.
        """
        members = self.members(gang)
        sizes = [(one.arrived, self._said(one)) for one in members]
        if any(size is None for _, size in sizes):
            return None
        # Who came last knows best: its job may have another size by now.
        size = max(((at, size or 1) for at, size in sizes), default=(0.0, 1))[1]
        done = self._done.get(gang)
        if done and members:
            owner = owner_of(members[0])
            size -= sum(uid not in counted and one == owner for uid, one in done.items())
        return max(size, 1)

    def _said(self, pod: Known) -> int | None:
        group = group_of(pod)
        if group is None:
            return pod.membership.size
        found = self._sizes.get(group)
        return found[0] if found is not None else None

    def seated_beside(self, gang: str, uids: Collection[str]) -> int:
        """Returns how many pods of a gang have seats, but for some."""
        return sum(one.standing is Standing.SEATED and one.uid not in uids for one in self.members(gang))

    # --- gangs that had to give way ---

    def put_past(self, past: Past) -> None:
        """Notes that a gang had to give way before."""
        self._pasts[past.name] = past

    def forget_past(self, name: str) -> None:
        """Forgets that a gang ever had to give way."""
        self._pasts.pop(name, None)

    def past_of(self, pod: Known) -> Past | None:
        """Returns what is remembered of the gang of a pod: of the same gang of the same owner."""
        found = self._pasts.get(lasting_name(pod))
        return found if found is not None and found.owner == owner_of(pod) else None

    # --- what the desk is told ---

    def claim(self, gang: str) -> Claim | None:
        """Returns what a gang asks for: its waiting pods, beside those that are seated; None when nobody of it waits."""
        members = self.members(gang)
        waiting = [one for one in members if one.standing is Standing.WAITING]
        minimum = self.size_of(gang)
        if not waiting or minimum is None:
            return None
        seated = [one for one in members if one.standing is Standing.SEATED and one.seat is not None]
        # Who is going holds its seat, and is none of those that start together.
        going = sum(bool(one.view.metadata.deletion_timestamp) for one in seated)
        return self._claim(gang, waiting, seated, max(minimum + going, len(seated) + 1))

    def seated(self, gang: str) -> Seated | None:
        """Returns the seats of a gang; none when nobody of it is left."""
        members = self.members(gang)
        seated = [one for one in members if one.standing is Standing.SEATED and one.seat is not None]
        if not seated:
            self._started.pop(gang, None)
            return None
        if is_elastic(seated):
            waiting = [one for one in members if one.standing is Standing.WAITING]
            claim = self._claim(gang, waiting, seated, min(self.size_of(gang) or 1, len(seated)))
        else:
            claim = self._claim(gang, [], seated, len(seated))
        seats = tuple(one.seat for one in seated if one.seat is not None)
        going = frozenset(one.uid for one in seated if one.view.metadata.deletion_timestamp)
        return Seated(claim, seats, self._started.get(gang, 0.0), going)

    def _claim(self, gang: str, waiting: list[Known], seated: list[Known], minimum: int) -> Claim:
        # Who is named last goes first when the gang shrinks.
        everybody = sorted([*waiting, *seated], key=lambda one: one.membership.turn_to_go)
        first = everybody[0]
        held = {one.uid: one.seat.node for one in seated if one.seat is not None}
        members = tuple(Member(one.uid, one.request.ask, held.get(one.uid, "")) for one in everybody)
        priority = max(one.view.spec.priority for one in everybody)
        said = first.membership
        group = group_of(first)
        queue = said.queue or (self._sizes.get(group, (0, ""))[1] if group is not None else "")
        asked = Gang(gang, members, minimum, queue, priority, said.strategy, said.within, said.near)
        arrived = min(one.arrived for one in everybody)
        past = self.past_of(first)
        return Claim(
            asked,
            arrived if past is None else min(arrived, past.arrived),
            first.view.metadata.namespace,
            said.most if is_elastic(everybody) else 0,
            said.checkpoints and bool(owner_of(first)),
            all(one.membership.is_preemptible for one in everybody),
            all(one.view.spec.preemption_policy != "Never" for one in everybody),
            0 if past is None else past.evictions,
            run_time_of(everybody),
        )


def is_elastic(pods: list[Known]) -> bool:
    """Whether a gang can use more pods than it needs."""
    return any(one.membership.most > one.membership.size for one in pods)


def run_time_of(pods: list[Known]) -> float | None:
    """Returns how long a gang runs at most: as its owner says, and no longer than all of its pods may."""
    said = [one.membership.run_time for one in pods if one.membership.run_time is not None]
    deadlines = [one.membership.deadline for one in pods if one.membership.deadline is not None]
    bounds = [max(said)] if said else []
    if len(deadlines) == len(pods):
        bounds.append(max(deadlines))
    return min(bounds, default=None)


def group_of(pod: Known) -> GroupKey | None:
    """Returns the group object of a pod, None when it has none."""
    said = pod.membership
    if said.group is None or not said.gang:
        return None
    return GroupKey(said.group, ObjectKey(pod.view.metadata.namespace, said.gang))


def owner_of(pod: Known) -> str:
    """Returns the uid of whoever makes a pod anew when it is gone, "" when nobody does."""
    return _owner(pod.view)


def _owner(pod: SchedulingPod) -> str:
    return next((one.uid for one in pod.metadata.owner_references if one.controller), "")


def lasting_name(pod: Known) -> str:
    """Returns a name of a gang that outlives its pods; names of gangs have no colon."""
    return pod.gang if pod.membership.gang else f"pod:{pod.key}"


def gang_name(pod: SchedulingPod, membership: Membership) -> str:
    """Returns the name of the gang of a pod, which is its uid when it is alone; names of gangs have a slash, uids have none."""
    return f"{pod.metadata.namespace}/{membership.gang}" if membership.gang else pod.metadata.uid

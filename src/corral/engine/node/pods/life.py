"""What next for a pod: which containers to start, which to end, when to look again. Pure.

The steps, first match first:

    asked to go, or at an end that the node decided on   end what runs; when nothing does, the pod is over
    over                                                 end what still runs
    init containers, one after the other                 start, wait, or begin again; sidecars stay
    containers, all at once                              start, or begin again after a growing wait
"""

from typing import NamedTuple

from corral.engine.node.pods.phases import outcome_of
from corral.engine.node.pods.sight import ALWAYS, NEVER, ContainerSight, PodSight
from corral.engine.node.pods.waits import next_streak, restart_wait
from corral.reconcile.moments import seconds_of

DEFAULT_GRACE = 30.0


class Start(NamedTuple):
    """Start a run of a container."""

    container: str
    number: int
    streak: int = 0
    """How many restarts in a row this is, for the wait after its end."""


class Stop(NamedTuple):
    """End the run of a container: ask, and after the grace insist."""

    container: str
    grace: float
    why: str


class Orders(NamedTuple):
    """What follows from a look at a pod."""

    starts: tuple[Start, ...] = ()
    stops: tuple[Stop, ...] = ()
    wake: float | None = None
    """When to look again though nothing changed, in seconds since the epoch."""
    lets_go: bool = False
    """Whether the API is to be told that nothing of a deleted pod is left."""


def decide(sight: PodSight) -> Orders:
    """Returns what to do about a pod now."""
    if sight.is_deleting:
        if sight.running:
            return Orders(stops=_stops(sight, deletion_grace(sight), "the pod is deleted"))
        return Orders(lets_go=True)
    if sight.has_finished:
        return Orders(stops=_stops(sight, 0.0, "the pod is over"))
    if sight.verdict[0]:
        return Orders(stops=_stops(sight, pod_grace(sight), sight.verdict[1]))
    if outcome_of(sight):
        return Orders(stops=_stops(sight, pod_grace(sight), "the other containers have ended"))
    return _going_on(sight)


def deadline_of(sight: PodSight) -> float | None:
    """Returns when the pod's time is up, None without a limit."""
    limit = sight.pod["spec"].get("activeDeadlineSeconds")
    return None if limit is None else sight.taken + float(limit)


def pod_grace(sight: PodSight) -> float:
    """Returns how long the pod's containers may take to end."""
    grace = sight.pod["spec"].get("terminationGracePeriodSeconds")
    if grace is None:
        return DEFAULT_GRACE
    # The API takes less than nothing for one second.
    return float(grace) if grace >= 0 else 1.0


def deletion_grace(sight: PodSight) -> float:
    """Returns how long containers of a deleted pod still may take: the time of the deletion counts, not that of the look."""
    metadata = sight.pod["metadata"]
    grace = metadata.get("deletionGracePeriodSeconds")
    if grace is None:
        return pod_grace(sight)
    # The API writes the moment at which the grace ends. A clock that was set may put it anywhere, so the grace bounds it.
    end = seconds_of(metadata["deletionTimestamp"])
    return float(grace) if end is None else max(0.0, min(float(grace), end - sight.now + 1.0))


def _stops(sight: PodSight, grace: float, why: str) -> tuple[Stop, ...]:
    """Ends the main containers first; sidecars follow when these are gone."""
    mains = tuple(one for one in sight.mains if one.is_running)
    chosen = mains or sight.running
    return tuple(Stop(one.name, grace, why) for one in chosen)


def _going_on(sight: PodSight) -> Orders:
    starts: list[Start] = []
    wakes = [moment for moment in (deadline_of(sight),) if moment is not None]
    stops = [Stop(one.name, _ailment_grace(sight, one), one.ailment) for one in sight.running if one.ailment]
    for container in _due(sight):
        moment = _start_moment(sight, container)
        if moment is None:
            continue
        if moment <= sight.now:
            starts.append(_start(container))
        else:
            wakes.append(moment)
    return Orders(tuple(starts), tuple(stops), min(wakes, default=None))


def _start(container: ContainerSight) -> Start:
    latest = container.latest
    return Start(container.name, 0) if latest is None else Start(container.name, latest.number + 1, next_streak(latest))


def _ailment_grace(sight: PodSight, container: ContainerSight) -> float:
    return pod_grace(sight) if container.ailment_grace is None else container.ailment_grace


def _due(sight: PodSight) -> list[ContainerSight]:
    """Returns the containers whose turn it is: sidecars so far, then the next init container or all main ones."""
    due: list[ContainerSight] = []
    has_begun = any(one.latest is not None for one in sight.mains)
    for container in sight.inits:
        if container.is_sidecar:
            due.append(container)
            if not has_begun and not (container.is_running and container.has_started):
                return due
        elif not has_begun and not container.has_succeeded:
            return [*due, container]
    return [*due, *sight.mains]


def _start_moment(sight: PodSight, container: ContainerSight) -> float | None:
    """Returns when the container is to be started, None when it is not."""
    if container.is_running:
        return None
    held = container.held.again if container.held is not None else 0.0
    if container.latest is None:
        return held
    if not begins_again(sight, container):
        return None
    ended = container.latest.ended or 0.0
    return max(held, ended + restart_wait(container.latest))


def begins_again(sight: PodSight, container: ContainerSight) -> bool:
    """Whether a container that has ended is started again."""
    if container.is_sidecar:
        return True
    if container.has_succeeded:
        return sight.policy == ALWAYS and container not in sight.inits
    return sight.policy != NEVER

"""What controllers ask about a pod, and in which order they give pods up."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corral.kinds.objects import Object, is_deleting, uid_of
from corral.reconcile.moments import seconds_of

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


def phase_of(pod: Object) -> str:
    """Returns the phase; a pod without one is Pending."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def has_ended(pod: Object) -> bool:
    """Whether all of its containers have ended for good."""
    return phase_of(pod) in ("Succeeded", "Failed")


def is_active(pod: Object) -> bool:
    """Whether it runs, or will, and nobody has asked it to go."""
    return not has_ended(pod) and not is_deleting(pod)


def condition_of(obj: Object, kind: str) -> Object | None:
    """Returns a condition by type."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def is_ready(pod: Object) -> bool:
    """Whether it may be sent work."""
    ready = condition_of(pod, "Ready")
    return ready is not None and ready.get("status") == "True"


def ready_since(pod: Object) -> float | None:
    """Returns since when it has been ready, None when it is not or does not say."""
    ready = condition_of(pod, "Ready")
    return seconds_of(ready.get("lastTransitionTime")) if ready and ready.get("status") == "True" else None


def available_in(pod: Object, min_ready_seconds: int, now: float) -> float | None:
    """Returns the seconds until a ready pod counts as available: 0 when it does, None when it is not ready."""
    if not is_ready(pod):
        return None
    if min_ready_seconds == 0:
        return 0.0
    since = ready_since(pod)
    return None if since is None else max(0.0, since + min_ready_seconds - now)


def restarts_of(pod: Object) -> int:
    """Returns the restarts of the container that was restarted most."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return max((int(one.get("restartCount") or 0) for one in statuses), default=0)


_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def dispensable_first(pods: Sequence[Object], crowding: Mapping[str, int], now: float) -> list[Object]:
    """Returns the pods in the order in which they are given up, those that do the least good first.

    Unbound before bound, pending before running, not ready before ready, cheap (by annotation) before dear, on a node
    with many of their kind before few (`crowding`, pods per node), ready for a short time before long, restarted often
    before rarely, new before old. Times compare by magnitude, so that of pods of about the same age any may go.
    """
    return sorted(pods, key=_usefulness(crowding, now))


def _usefulness(crowding: Mapping[str, int], now: float) -> Callable[[Object], tuple[Any, ...]]:
    def key(pod: Object) -> tuple[Any, ...]:
        node = (pod.get("spec") or {}).get("nodeName") or ""
        since = ready_since(pod)
        created = seconds_of(pod["metadata"].get("creationTimestamp"))
        return (
            bool(node),
            _PHASES.get(phase_of(pod), 0),
            is_ready(pod),
            _cost(pod),
            -crowding.get(node, 0) if node else 0,
            _magnitude(now - since) if since is not None else 0,
            -restarts_of(pod),
            _magnitude(now - created) if created is not None else 0,
            uid_of(pod),
        )

    return key


def _magnitude(seconds: float) -> int:
    """Returns a time's order of magnitude in doublings, in which near ages are equal."""
    return int(max(seconds, 0.0)).bit_length()


def _cost(pod: Object) -> int:
    given = (pod["metadata"].get("annotations") or {}).get(DELETION_COST, "0")
    try:
        return int(given)
    except ValueError:
        return 0

"""What was said about a job and its pods."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from corral.control.desk.finding import Found, ignored
from corral.control.desk.job_lines import names_of_pods
from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.well_known import EVENT
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, InvalidError, NotFoundError
from corral.reconcile.moments import seconds_of

_ROUTINE: Final = ("SuccessfulCreate", "SuccessfulDelete")
"""What events say about every pod that comes and goes."""


class Told(NamedTuple):
    """One event, as often as it was seen."""

    time: float | None
    is_warning: bool
    about: str
    """The kind and the name of what it is about: `pod/digits-worker-0`."""
    reason: str
    message: str
    times: int

    @property
    def name(self) -> str:
        """Returns the name of what it is about."""
        return self.about.partition("/")[2]


def told(event: Object) -> Told:
    """Returns an event as a value."""
    about, series = event.get("involvedObject") or {}, event.get("series") or {}
    return Told(
        seconds_of(event_time(event)),
        event.get("type") == "Warning",
        f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}",
        str(event.get("reason", "")),
        str(event.get("message", "")),
        int(series.get("count") or event.get("count") or 1),
    )


def is_routine(event: Object) -> bool:
    """Whether an event only says that a pod came or went."""
    return str(event.get("reason", "")).startswith(_ROUTINE)


def event_time(event: Object) -> str:
    """Returns when something was last said."""
    series = event.get("series") or {}
    given = (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime"))
    return next((str(one) for one in given if one), str(event["metadata"].get("creationTimestamp") or ""))


def events_of(
    session: Session,
    job: Found,
    pods: Sequence[PodView],
    *,
    only_warnings: bool = True,
    on_note: Callable[[str], None] = ignored,
) -> list[Object]:
    """Returns what was said about a job, and the warnings, or everything, about its pods; oldest first."""
    namespace = job.key.namespace
    uid = job.object["metadata"].get("uid", "")
    fields = "involvedObject.kind=Pod" + (",type=Warning" if only_warnings else "")
    try:
        own = session.store.list(EVENT, Scope(namespace, fields=f"involvedObject.uid={uid}"))
        about_pods = session.store.list(EVENT, Scope(namespace, fields=fields))
    except ForbiddenError:
        on_note("left out, since you may not list them: events")
        return []
    except (NotFoundError, InvalidError):
        return []
    names = {pod.name for pod in pods} | set(names_of_pods(job))
    began = seconds_of(job.object["metadata"].get("creationTimestamp")) or 0.0
    # Pods are known by name, since those before them had the same; what is older was about another job of this name.
    kept = [one for one in about_pods if (one.get("involvedObject") or {}).get("name") in names]
    return sorted([*own, *(one for one in kept if _moment(one) >= began)], key=_moment)


def _moment(event: Object) -> float:
    return seconds_of(event_time(event)) or 0.0

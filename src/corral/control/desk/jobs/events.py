"""What was said about a job and its pods."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.lines import names_of_pods
from corral.control.desk.naming.finding import Found, ignored
from corral.control.desk.patience.absence import Absence
from corral.control.desk.patience.list_watch import LIST, Subject, hearing
from corral.control.desk.patience.remarks import Patience
from corral.control.desk.session import Session
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.well_known import EVENT, POD
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
    concerns = _concern(job, pods)
    return sorted([*own, *(one for one in about_pods if concerns(one))], key=_turn)


def followed_events(
    session: Session, job: Found, *, on_wait: Callable[[str], None] = ignored
) -> Iterator[list[Object]]:
    """Yields what was said about a job and its pods, and then what is being said, until the caller leaves."""
    concerns, absence, patience = _concern(job, ()), Absence(), Patience(on_wait)
    seen: set[tuple[str, str]] = set()
    for heard in hearing(Subject(session.store, EVENT, Scope(job.key.namespace), dict[str, Any]), absence):
        if absence.is_on:
            patience.remark("the API server does not answer; what was said meanwhile comes later")
        said = [one for one in heard.objects if heard.verb != "DELETED" and concerns(one)]
        fresh = _news(sorted(said, key=_turn) if heard.verb == LIST else said, seen)
        if fresh or heard.verb == LIST:
            yield fresh


def _news(events: list[Object], seen: set[tuple[str, str]]) -> list[Object]:
    """Returns the events that were not told in this form before, and takes note of them."""
    fresh = [one for one in events if _form(one) not in seen]
    seen.update(map(_form, fresh))
    return fresh


def _form(event: Object) -> tuple[str, str]:
    return event["metadata"].get("uid", ""), event["metadata"].get("resourceVersion", "")


def _concern(job: Found, pods: Sequence[PodView]) -> Callable[[Object], bool]:
    """Returns whether an event is about this job or one of its pods.

    Pods are known by name, since those before them had the same; what is older was about another job of this name.
    """
    uid, began = (
        job.object["metadata"].get("uid", ""),
        seconds_of(job.object["metadata"].get("creationTimestamp")) or 0.0,
    )
    names = {pod.name for pod in pods} | set(names_of_pods(job))

    def concerns(event: Object) -> bool:
        about = event.get("involvedObject") or {}
        if about.get("uid") == uid:
            return True
        return about.get("kind") == POD.kind and about.get("name") in names and _moment(event) >= began

    return concerns


def _moment(event: Object) -> float:
    return seconds_of(event_time(event)) or 0.0


def _turn(event: Object) -> tuple[float, int]:
    """Returns where an event stands; of those of one second, which are many, the order of writing decides."""
    version = str(event["metadata"].get("resourceVersion") or "")
    return _moment(event), int(version) if version.isdigit() else 0

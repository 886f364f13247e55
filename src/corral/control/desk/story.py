"""The life line of a job: its conditions, its pods, its failures and what was said about it, as values. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.finding import Found
from corral.control.desk.job_lines import ENDED, JobLine, conditions_of, job_line, state_of, status_of
from corral.control.desk.looking import event_time
from corral.control.desk.members import ended_container, in_rank_order, member_of, ranks
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.reconcile.moments import seconds_of

OUTPUT: Final = "corral.dev/output"
"""The annotation of a job, or of one of its pods, that says where its model or other output is."""
MOST_EVENTS: Final = 12
_ROUTINE: Final = ("SuccessfulCreate", "SuccessfulDelete")
"""What events say about every pod that comes and goes."""


class Moment(NamedTuple):
    """Something that happened to the job."""

    time: float | None
    what: str
    holds: bool
    why: str


class PodLine(NamedTuple):
    """One pod and how it is."""

    name: str
    place: str
    rank: int | None
    state: str
    node: str
    restarts: int
    since: float | None
    exit_code: int | None
    why: str


class Told(NamedTuple):
    """One event, as often as it was seen."""

    time: float | None
    is_warning: bool
    about: str
    reason: str
    message: str
    times: int


class Story(NamedTuple):
    """Everything about one job."""

    line: JobLine
    moments: list[Moment]
    pods: list[PodLine]
    failures: list[Mapping[str, Any]]
    events: list[Told]
    progress: Mapping[str, Any]
    outputs: list[str]


def story_of(job: Found, pods: Sequence[PodView], events: Sequence[Object]) -> Story:
    """Returns the story of a job."""
    status = status_of(job.object)
    classes = {one.get("podUid"): str(one.get("class", "")) for one in status.get("failures") or []}
    members = in_rank_order(member_of(pod) for pod in pods)
    places = ranks(members)
    return Story(
        job_line(job, pods),
        _moments(job.object),
        [_pod_line(one.pod, one.label, places.get(one.pod.uid), classes.get(one.pod.uid, "")) for one in members],
        list(status.get("failures") or []),
        _told(events, job.key.name)[-MOST_EVENTS:],
        status.get("progress") or {},
        _outputs(job.object, pods),
    )


def _moments(obj: Object) -> list[Moment]:
    told = [
        Moment(
            seconds_of(one.get("lastTransitionTime") or one.get("lastUpdateTime")),
            str(one.get("type", "")),
            one.get("status") == "True",
            str(one.get("message") or one.get("reason") or ""),
        )
        for one in conditions_of(obj)
        # That a job that has ended runs no more goes without saying.
        if one.get("status") == "True" or state_of(obj) not in ENDED
    ]
    deleted = seconds_of(obj["metadata"].get("deletionTimestamp"))
    return [*told, *([Moment(deleted, "Deleting", True, "its deletion was asked for")] if deleted else [])]


def _pod_line(pod: PodView, place: str, rank: int | None, failure: str) -> PodLine:
    ended = ended_container(pod)
    why = [part for part in (failure, pod.status.reason) if part]
    if ended is not None and ended[1].exit_code != 0:
        why += [part for part in (ended[1].reason, _last_line(ended[1].message)) if part]
    waiting = next((one.state.waiting for one in pod.all_containers() if one.state.waiting is not None), None)
    if waiting is not None and not pod.is_finished:
        why += [part for part in (waiting.reason, waiting.message) if part]
    if pod.phase == "Pending":
        why += [one.message or one.reason for one in pod.status.conditions if one.status == "False" and one.message]
    state = "Terminating" if pod.is_terminating and not pod.is_finished else pod.phase
    code = None if ended is None or not _is_over(pod, ended[0].name) else ended[1].exit_code
    since = seconds_of(pod.metadata.creation_timestamp)
    text = ": ".join(dict.fromkeys(why))
    return PodLine(pod.name, place, rank, state, pod.node, pod.restarts(), since, code, text)


def _is_over(pod: PodView, container: str) -> bool:
    """Whether an exit code of a container is news: one of initialisation that went well is not."""
    return pod.is_finished or pod.container(container) is not None


def _last_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def _told(events: Sequence[Object], job: str) -> list[Told]:
    found = []
    for one in events:
        if str(one.get("reason", "")).startswith(_ROUTINE):
            continue
        name = str((one.get("involvedObject") or {}).get("name", ""))
        series = one.get("series") or {}
        found.append(
            Told(
                seconds_of(event_time(one)),
                one.get("type") == "Warning",
                "" if name == job else name,
                str(one.get("reason", "")),
                str(one.get("message", "")),
                int(series.get("count") or one.get("count") or 1),
            )
        )
    return found


def _outputs(obj: Object, pods: Sequence[PodView]) -> list[str]:
    annotated = [(obj["metadata"].get("annotations") or {}).get(OUTPUT)]
    annotated += [pod.metadata.annotations.get(OUTPUT) for pod in pods]
    return list(dict.fromkeys(str(one) for one in annotated if one))

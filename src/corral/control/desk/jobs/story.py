"""The life line of a job: its conditions, its pods, its failures and what was said about it, as values. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from corral.control.desk.jobs.events import Told, is_routine, told
from corral.control.desk.jobs.lines import ENDED, JobLine, conditions_of, job_line, sizes_of, state_of, status_of
from corral.control.desk.jobs.members import (
    Member,
    chief_among,
    ended_container,
    has_chief,
    in_rank_order,
    is_chief,
    member_of,
    ranks,
)
from corral.control.desk.jobs.pod_states import pod_state
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.reconcile.moments import seconds_of

OUTPUT: Final = "corral.dev/output"
"""The annotation of a job, or of one of its pods, that says where its model or other output is."""
MOST_EVENTS: Final = 12


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
    node_address: str
    is_chief: bool
    gpus: int
    restarts: int
    since: float | None
    exit_code: int | None
    why: str


class Story(NamedTuple):
    """Everything about one job."""

    line: JobLine
    moments: list[Moment]
    pods: list[PodLine]
    failures: list[Mapping[str, Any]]
    events: list[Told]
    progress: Mapping[str, Any]
    outputs: list[str]
    tensorboard: str = ""
    """Where its curves are shown."""
    lack: str = ""
    """What its program did not find: `its program found no module torch`."""


def story_of(job: Found, pods: Sequence[JobPod], events: Sequence[Object], *, with_routine: bool = False) -> Story:
    """Returns the story of a job; what is said about every pod that comes or goes is left out unless asked for."""
    status, chief = status_of(job.object), chief_among(pods)
    classes = {one.get("podUid"): str(one.get("class", "")) for one in status.get("failures") or []}
    members = in_rank_order(member_of(pod) for pod in pods)
    sizes = sizes_of(job.object)
    places = ranks(members, sizes)
    if chief is not None and has_chief(sizes) and not is_chief(chief):
        chief = None  # the one that leads is gone
    return Story(
        job_line(job, pods),
        _moments(job.object),
        [
            _pod_line(one, places.get(one.pod.uid), classes.get(one.pod.uid, ""), is_chief=one.pod is chief)
            for one in members
        ],
        list(status.get("failures") or []),
        _worth_telling(events, with_routine=with_routine),
        status.get("progress") or {},
        _outputs(job.object, pods),
    )


def _worth_telling(events: Sequence[Object], *, with_routine: bool) -> list[Told]:
    return [told(one) for one in events if with_routine or not is_routine(one)][0 if with_routine else -MOST_EVENTS :]


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


def _pod_line(member: Member[JobPod], rank: int | None, failure: str, *, is_chief: bool) -> PodLine:
    pod, ended = member.pod, ended_container(member.pod)
    return PodLine(
        pod.name,
        member.label,
        rank,
        pod_state(pod),
        pod.node,
        pod.status.host_ip,
        is_chief,
        pod.gpus,
        pod.restarts(),
        seconds_of(pod.metadata.creation_timestamp),
        None if ended is None or not _is_over(pod, ended[0].name) else ended[1].exit_code,
        ": ".join(dict.fromkeys(_whys(pod, failure))),
    )


def _whys(pod: PodView, failure: str) -> Iterator[str]:
    """Yields why a pod is as it is: the class of its failure, how it ended, what it waits for."""
    yield from (part for part in (failure, pod.status.reason) if part)
    ended = ended_container(pod)
    if ended is not None and ended[1].exit_code != 0:
        yield from (part for part in (ended[1].reason, _last_line(ended[1].message)) if part)
    waiting = next((one.state.waiting for one in pod.all_containers() if one.state.waiting is not None), None)
    if waiting is not None and not pod.is_finished:
        yield from (part for part in (waiting.reason, waiting.message) if part)
    if pod.phase == "Pending":
        yield from (one.message for one in pod.status.conditions if one.status == "False" and one.message)


def _is_over(pod: PodView, container: str) -> bool:
    """Whether an exit code of a container is news: one of initialisation that went well is not."""
    return pod.is_finished or pod.container(container) is not None


def _last_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def _outputs(obj: Object, pods: Sequence[PodView]) -> list[str]:
    annotated = [(obj["metadata"].get("annotations") or {}).get(OUTPUT)]
    annotated += [pod.metadata.annotations.get(OUTPUT) for pod in pods]
    return list(dict.fromkeys(str(one) for one in annotated if one))

"""Which containers of which pods are read, and how their lines are marked. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from corral.control.desk.jobs.members import Member, in_rank_order, member_of, ranks
from corral.errors import PermanentError
from corral.kinds.nodes import PLAYED
from corral.kinds.pod_view import ContainerStatus, PodSpec, PodStatus, PodView
from corral.kinds.references import ObjectKey
from corral.kinds.training.label_names import TRAINING_CONTAINERS
from corral.ports.log_source import LogOptions

NO_SIZES: Final[Mapping[str, int]] = {}
DEFAULT_CONTAINER: Final = "kubectl.kubernetes.io/default-container"


class NamedContainer(msgspec.Struct, kw_only=True):
    """A container of a pod, by name."""

    name: str = ""


class LoggedSpec(PodSpec, kw_only=True, rename="camel"):
    """What a reader of logs wants to know of a pod's spec."""

    containers: list[NamedContainer] = msgspec.field(default_factory=list)
    init_containers: list[NamedContainer] = msgspec.field(default_factory=list)


class LoggedContainer(ContainerStatus, kw_only=True, rename="camel"):
    """How a container is, and who runs it."""

    container_id: str = msgspec.field(default="", name="containerID")


class LoggedStatus(PodStatus, kw_only=True, rename="camel"):
    """How the containers of a pod are."""

    container_statuses: list[LoggedContainer] = msgspec.field(default_factory=list)  # type: ignore[assignment]  # msgspec decodes the narrower kind


class LoggedPod(PodView, kw_only=True):
    """A pod with the names of its containers."""

    spec: LoggedSpec = msgspec.field(default_factory=LoggedSpec)
    status: LoggedStatus = msgspec.field(default_factory=LoggedStatus)

    @property
    def is_played(self) -> bool:
        """Whether a fake node has it, which runs nothing and only writes how it is."""
        return any(one.container_id.startswith(PLAYED) for one in self.status.container_statuses)


class Choice(NamedTuple):
    """What of a job shall be read."""

    rank: int | None = None
    role: str = ""
    container: str = ""
    tail: int | None = None
    since: int | None = None
    previous: bool = False
    since_time: str = ""
    """A moment as RFC 3339 writes it; "" is the beginning."""
    instance: str = ""
    """The name of one pod, or its place: `worker-0`."""

    @property
    def is_one(self) -> bool:
        """Whether it can mean one pod only."""
        return self.rank is not None or bool(self.instance)

    def options(self, container: str) -> LogOptions:
        """Returns what to ask the server for at first; stamps are needed to go on after a cut."""
        return LogOptions(
            container=container,
            previous=self.previous,
            timestamps=True,
            tail_lines=self.tail,
            since_seconds=self.since,
            since_time=self.since_time,
        )


class Source(NamedTuple):
    """One container of one pod."""

    label: str
    pod: ObjectKey
    uid: str
    container: str


def chosen_sources(pods: Sequence[LoggedPod], choice: Choice, sizes: Mapping[str, int] = NO_SIZES) -> list[Source]:
    """Returns the sources that are meant, in the order of ranks; none when they are not there yet.

    The sizes of roles, as the job asks for them, tell the rank of a pod when others are gone.
    """
    members = in_rank_order(member_of(pod) for pod in pods)
    places = ranks(members, sizes)
    return [
        _source(one, choice)
        for one in members
        if (not choice.role or one.role == choice.role.lower())
        and (choice.rank is None or places.get(one.pod.uid) == choice.rank)
        and choice.instance in ("", one.pod.name, one.label)
    ]


def refuse_empty_choice(pods: Sequence[LoggedPod], choice: Choice, sizes: Mapping[str, int] = NO_SIZES) -> None:
    """Raises when a job has pods, and none of them is meant."""
    members = in_rank_order(member_of(pod) for pod in pods)
    if not members or chosen_sources(pods, choice, sizes):
        return
    if choice.instance:
        hint = f"its pods are {', '.join(one.pod.name for one in members)}"
        raise PermanentError("no-such-rank", f'there is no pod "{choice.instance}" of this job', hint=hint)
    if choice.rank is not None:
        last = max(ranks(members, sizes).values(), default=-1)
        known = f"ranks are 0 to {last}" if last >= 0 else "no pod of this job has a rank"
        raise PermanentError("no-such-rank", f"there is no rank {choice.rank}: {known}")
    known = ", ".join(sorted({one.role for one in members if one.role})) or "none"
    raise PermanentError("no-such-rank", f'there is no role "{choice.role}": roles are {known}')


def _source(member: Member[LoggedPod], choice: Choice) -> Source:
    pod = member.pod
    return Source(
        member.label, ObjectKey(pod.metadata.namespace, pod.name), pod.uid, container_of(pod, choice.container)
    )


def container_of(pod: LoggedPod, asked: str = "") -> str:
    """Returns the container of a pod that is meant: the one asked for, else the one that trains, else the first.

    Where initialisation has failed, it is the container that failed: no other has anything to say.
    """
    names = [one.name for one in pod.spec.containers]
    if asked:
        known = [*names, *(one.name for one in pod.spec.init_containers)]
        if asked not in known:
            hint = f"its containers are {', '.join(known)}"
            raise PermanentError("no-such-container", f'pod {pod.name} has no container "{asked}"', hint=hint)
        return asked
    if failed := failed_init(pod):
        return failed
    named = pod.metadata.annotations.get(DEFAULT_CONTAINER, "")
    if named in names:
        return named
    return next((name for name in names if name in TRAINING_CONTAINERS), names[0] if names else "")


def failed_init(pod: PodView) -> str:
    """Returns the container of initialisation that failed, so that nothing else of the pod has begun; "" when none did."""
    if any(one.state.running or one.state.terminated or one.restart_count for one in pod.status.container_statuses):
        return ""
    for one in pod.status.init_container_statuses:
        end = one.state.terminated or one.last_state.terminated
        if end is not None and end.exit_code != 0 and one.state.running is None:
            return one.name
    return ""


def in_order_of_failure(pods: Iterable[LoggedPod], sources: Sequence[Source]) -> list[Source]:
    """Returns the sources of pods that failed, the earliest failure first."""
    ends = {pod.uid: _failed_at(pod) for pod in pods}
    return sorted(sources, key=lambda one: ends.get(one.uid) or "~")


def _failed_at(pod: LoggedPod) -> str:
    ends = [one.state.terminated for one in pod.all_containers() if one.state.terminated is not None]
    return min((end.finished_at or "" for end in ends if end.exit_code != 0), default="")


def status_of_container(pod: LoggedPod, container: str) -> ContainerStatus | None:
    """Returns the status of a container, of initialisation or not."""
    return next((one for one in pod.all_containers() if one.name == container), None)


def has_started(pod: LoggedPod, container: str) -> bool:
    """Whether a container has a log to read."""
    status = status_of_container(pod, container)
    if status is None:
        return False
    return status.restart_count > 0 or status.state.running is not None or status.state.terminated is not None


def is_over(pod: LoggedPod, container: str) -> bool:
    """Whether a container has ended and is not started again."""
    status = status_of_container(pod, container)
    return pod.is_finished or (
        status is not None and status.state.terminated is not None and pod.container(container) is None
    )

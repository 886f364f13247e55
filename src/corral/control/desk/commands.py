"""Running commands inside of jobs: which container of which pod is meant, and whether one can be run there."""

from typing import NamedTuple

from corral.control.desk.jobs.lines import sizes_of
from corral.control.desk.jobs.members import Member, chief_among, instance_named, member_of, ranks
from corral.control.desk.logs.sources import LoggedPod, container_of
from corral.control.desk.naming.finding import Found, job_or_pod
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import POD
from corral.ports.refusals import NotFoundError
from corral.ports.remote_commands import RemoteCommand, RunningCommand


class Wish(NamedTuple):
    """Which part of a job is meant; the pod that leads it when nothing is said."""

    job: str
    trainer: str = ""
    instance: str = ""
    """The name of a pod, or its place: `worker-0`."""
    rank: int | None = None
    container: str = ""


class Spot(NamedTuple):
    """A running container of a job."""

    job: Found
    pod: ObjectKey
    container: str
    label: str

    def command(self, *words: str, takes_input: bool = False, has_terminal: bool = False) -> RemoteCommand:
        """Returns a command to run here."""
        return RemoteCommand(self.pod, self.container, words, takes_input, has_terminal)


def spot_of(session: Session, wish: Wish) -> Spot:
    """Returns where commands of a wish run; a pod that runs nothing, or not yet, is an error that says why."""
    job = job_or_pod(session, wish.job, trainer=wish.trainer)
    return spot_in(session, job, wish)


def spot_in(session: Session, job: Found, wish: Wish) -> Spot:
    """Returns the same for a job that was found already."""
    pods = [pod for page in session.store.pages(POD, job.pods, LoggedPod) for pod in page.items]
    pod = _meant(job, pods, wish)
    container = container_of(pod, wish.container)
    _refuse_idle(pod, container)
    return Spot(job, ObjectKey(pod.metadata.namespace, pod.name), container, member_of(pod).label)


def _meant(job: Found, pods: list[LoggedPod], wish: Wish) -> LoggedPod:
    members = [member_of(pod) for pod in pods]
    if wish.instance:
        return instance_named(members, wish.instance).pod
    if wish.rank is not None:
        return _ranked(job, members, wish.rank)
    if found := chief_among(pods) or next(iter(pods), None):
        return found
    hint = f"`corral get {job.key.name}` tells why"
    raise NotFoundError(f"{job.key.name} has no pods, so no command can be run in it", hint=hint)


def _ranked(job: Found, members: list[Member[LoggedPod]], rank: int) -> LoggedPod:
    places = ranks(members, sizes_of(job.object))
    of_rank = [one.pod for one in members if places.get(one.pod.uid) == rank]
    if of_rank:
        return min(of_rank, key=lambda pod: pod.is_terminating)
    last = max(places.values(), default=-1)
    known = f"ranks are 0 to {last}" if last >= 0 else "none of its pods has a rank"
    raise PermanentError("no-such-rank", f"there is no rank {rank} of {job.key.name}: {known}")


def _refuse_idle(pod: LoggedPod, container: str) -> None:
    status = next((one for one in pod.all_containers() if one.name == container), None)
    if status is not None and status.state.running is not None:
        return
    if pod.is_finished:
        why = f"pod {pod.name} has {pod.phase.lower()}"
    elif status is not None and status.state.waiting is not None:
        told = status.state.waiting
        why = f"container {container} of pod {pod.name} waits: {told.message or told.reason}"
    else:
        why = f"container {container} of pod {pod.name} does not run; the pod is {pod.phase}"
    message = f"no command can be run there: {why}"
    raise PermanentError("container-not-running", message, hint=f"`corral logs {pod.name}` shows what it said")


def run(session: Session, command: RemoteCommand) -> "Finished":
    """Runs a command to its end and returns what it said; for commands that say little."""
    running = session.start_command(command)
    try:
        return finished(running)
    finally:
        running.close()


class Finished(NamedTuple):
    """A command that has ended."""

    exit_code: int
    output: bytes
    errors: bytes


_MOST_KEPT = 1 << 20


def finished(running: RunningCommand) -> Finished:
    """Listens to a command until it ends; of a flood only the beginning is kept."""
    output, errors = bytearray(), bytearray()
    for data, is_error in running.pieces():
        kept = errors if is_error else output
        kept += data[: max(_MOST_KEPT - len(kept), 0)]
    return Finished(running.exit_code(), bytes(output), bytes(errors))

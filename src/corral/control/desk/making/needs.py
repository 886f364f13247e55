"""What must hold before a job is made: its name is not that of a pod, and what it names is there.

What is certainly missing is an error, what may come later or may not be looked at is only told.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from corral.control.desk.naming.suggestions import did_you_mean
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.kinds.objects import labels_of
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.submission.submission import Submission
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM, POD, PRIORITY_CLASS
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError

_LOCAL_QUEUE: Final = ApiResource("kueue.x-k8s.io", "v1beta1", "LocalQueue", "localqueues")
_QUEUE_UNIT: Final = ApiResource("scheduling.x-k8s.io", "v1alpha1", "QueueUnit", "queueunits")
"""What kube-queue makes for each job that it holds."""


class Needs(NamedTuple):
    """What a job asks of the API that it is sent to."""

    name: str
    priority: str = ""
    claims: tuple[str, ...] = ()
    queue: str = ""
    kueue_queue: str = ""
    """The queue of Kueue; where that is not installed, Corral's own scheduler reads it as its own."""
    kube_queue: bool = False


def needs_of(submission: Submission) -> Needs:
    """Returns what a submission asks of the API that it is sent to."""
    one = submission
    claims = tuple(claim.claim for claim in one.claims)
    return Needs(one.name, one.priority, claims, one.named_queue, one.queue_name, one.queue is True)


class Unmet(NamedTuple):
    """A need that is certainly not met: the field of the submission that has it, and the error that says so."""

    field: str
    error: CorralError


def unmet_need(session: Session, needs: Needs, *, on_note: Callable[[str], None]) -> Unmet | None:
    """Returns the first need that is certainly not met; what we may not look at is only told."""
    if _CHILD.search(needs.name) and (error := _name_of_pod(session, needs.name)) is not None:
        return Unmet("name", error)
    if needs.priority:
        hint = "`corral get priorityclasses` shows those that there are"
        if (missing := _absent(session, PRIORITY_CLASS, needs.priority, hint, on_note)) is not None:
            return Unmet("priority", missing)
    for claim in dict.fromkeys(needs.claims):
        hint = "`corral get pvc` shows those that there are"
        if (missing := _absent(session, PERSISTENT_VOLUME_CLAIM, claim, hint, on_note)) is not None:
            return Unmet("claims", missing)
    _tell_of_queues(session, needs, on_note)
    return None


def _tell_of_queues(session: Session, needs: Needs, on_note: Callable[[str], None]) -> None:
    """Tells what a wait for a queue will come to: a queue that is not there is no error, since it may come later."""
    try:
        if needs.kube_queue and _names_of(session, _QUEUE_UNIT) is None:
            on_note("there is no kube-queue here: the job waits in line with those that name no queue")
        if needs.kueue_queue and (of_kueue := _names_of(session, _LOCAL_QUEUE)) is not None:
            if needs.kueue_queue not in of_kueue:
                on_note(
                    f"there is no LocalQueue {needs.kueue_queue} in namespace {session.namespace}, and the job waits for it"
                )
        elif name := needs.queue or needs.kueue_queue:
            _tell_of_ours(name, _names_of(session, QUEUE) or [], on_note)
    except ForbiddenError:
        on_note("whether there is such a queue may not be looked at")


def _tell_of_ours(name: str, known: Sequence[str], on_note: Callable[[str], None]) -> None:
    if not known:
        on_note(f"there is no queue {name}, nor any other: until the first is made, names of queues bind nothing")
    elif name not in known:
        guess = did_you_mean(name, known) or "`corral top queue` shows those that there are"
        on_note(f"there is no queue {name}, and the job waits until there is: {guess}")


def _names_of(session: Session, resource: ApiResource) -> list[str] | None:
    """Returns the names of the objects of a kind; None when the kind is not installed."""
    scope = Scope(session.namespace if resource.namespaced else "")
    try:
        return [one["metadata"]["name"] for one in session.store.list(resource, scope)]
    except NotFoundError:
        return None


_CHILD: Final = re.compile(r"-(master|worker|ps|chief|evaluator|launcher|server|scheduler)(-[0-9]+)?$")


def _name_of_pod(session: Session, name: str) -> PermanentError | None:
    """Returns why a name that a pod of another job has is none for a job: nobody could say which of them is meant."""
    try:
        pod = session.store.get(POD, ObjectKey(session.namespace, name))
    except (NotFoundError, ForbiddenError):
        return None
    job = labels_of(pod).get(JOB_NAME)
    message = f"{name} is the name of a pod{f' of the job {job}' if job else ''}"
    return PermanentError("bad-name", message, hint="choose another name")


def _absent(
    session: Session, resource: ApiResource, name: str, hint: str, on_note: Callable[[str], None]
) -> NotFoundError | None:
    key = ObjectKey(session.namespace if resource.namespaced else "", name)
    where = f" in namespace {session.namespace}" if resource.namespaced else ""
    try:
        session.store.get(resource, key)
    except NotFoundError:
        return NotFoundError(f"there is no {resource.kind} {name}{where}", hint=hint)
    except ForbiddenError:
        on_note(f"whether there is a {resource.kind} {name}{where} may not be looked at")
    return None

"""Asking the API for what the rules look at; what the rights forbid is left out, and said."""

from collections.abc import Callable, Sequence
from typing import Final

from corral.control.desk.jobs.events import events_of, told
from corral.control.desk.jobs.lines import job_line
from corral.control.desk.jobs.looking import pods_in
from corral.control.desk.naming.finding import Found, ignored
from corral.control.desk.session import Session
from corral.control.desk.why.lacks import Lack, lack_told
from corral.control.desk.why.situation import Group, GroupRef, LastWords, Situation
from corral.control.scheduling.reading.membership import membership_of
from corral.errors import CorralError
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.kinds.well_known import NODE, PERSISTENT_VOLUME_CLAIM, POD
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError, NotFoundError

LAST_LINES: Final = 8
"""So many of the last lines of a failed rank are shown."""


def situation_of(session: Session, job: Found, now: float, *, on_note: Callable[[str], None] = ignored) -> Situation:
    """Returns a job and what is around it; about nodes and claims only when pods wait for them."""
    pods = pods_in(session.store, job.pods, on_note=on_note)
    events = events_of(session, job, pods, only_warnings=False, on_note=on_note)
    line, said = job_line(job, pods), [told(one) for one in events]
    situation = Situation(job, line, pods, said, now, is_here=session.is_embedded)
    if situation.unbound and not situation.line.has_ended:
        situation = _with_surroundings(session, situation, on_note)
    if situation.line.state == "Failed" or any(pod.restarts() for pod in pods):
        situation = situation._replace(last_words=last_words(session, job, on_note=on_note))
    return situation


def _with_surroundings(session: Session, situation: Situation, on_note: Callable[[str], None]) -> Situation:
    claims = None
    if any(volume.persistent_volume_claim for pod in situation.unbound for volume in pod.spec.volumes):
        claims = _claims(session, situation.job.key.namespace, on_note)
    nodes = _nodes(session, on_note)
    if not nodes:
        return situation._replace(claims=claims, nodes=nodes)
    try:
        others, sees_everybody = _others(session, ""), True
    except ForbiddenError:
        on_note("left out, since you may not list the pods of other namespaces: what is free on nodes")
        others, sees_everybody = _others(session, situation.job.key.namespace), False
    mine = {pod.uid for pod in situation.unbound}
    groups = _groups(session, [pod for pod in others if pod.metadata.uid in mine], on_note)
    return situation._replace(claims=claims, nodes=nodes, others=others, sees_everybody=sees_everybody, groups=groups)


def _nodes(session: Session, on_note: Callable[[str], None]) -> list[SchedulingNode] | None:
    found: list[SchedulingNode] = []
    try:
        for page in session.store.pages(NODE, Scope(), SchedulingNode):
            found = ([] if page.is_first else found) + page.items
    except ForbiddenError:
        on_note("left out, since you may not list nodes: what they have left")
        return None
    return found


def _others(session: Session, namespace: str) -> list[SchedulingPod]:
    """Returns the pods that hold room on a node, or wait for it."""
    found: list[SchedulingPod] = []
    unfinished = Scope(namespace, fields="status.phase!=Succeeded,status.phase!=Failed")
    for page in session.store.pages(POD, unfinished, SchedulingPod):
        found = ([] if page.is_first else found) + page.items
    return found


def _groups(session: Session, pods: Sequence[SchedulingPod], on_note: Callable[[str], None]) -> dict[GroupRef, Group]:
    """Returns what objects say about the gangs of some pods; one that is not there is left out."""
    found: dict[GroupRef, Group] = {}
    for pod in pods:
        said = membership_of(pod)
        if said.group is None or not said.gang:
            continue
        ref = GroupRef(said.group, ObjectKey(pod.metadata.namespace, said.gang))
        if ref in found:
            continue
        try:
            spec = session.store.get(ref.resource, ref.key).get("spec") or {}
            found[ref] = Group(int(spec.get("minMember") or 1), str(spec.get("queue") or ""))
        except NotFoundError:
            continue
        except ForbiddenError:
            on_note(f"left out, since you may not read {ref.resource.plural}: how many pods must start together")
            break
    return found


def _claims(session: Session, namespace: str, on_note: Callable[[str], None]) -> dict[str, str] | None:
    try:
        found = session.store.list(PERSISTENT_VOLUME_CLAIM, Scope(namespace))
    except ForbiddenError:
        on_note("left out, since you may not list them: claims")
        return None
    return {one["metadata"]["name"]: str((one.get("status") or {}).get("phase") or "Pending") for one in found}


def lack_of(session: Session, job: Found) -> Lack | None:
    """Returns what the program of a job that failed did not find, None when its last words tell of no such thing."""
    words = last_words(session, job)
    return lack_told(words.lines) if words is not None else None


def last_words(session: Session, job: Found, *, on_note: Callable[[str], None] = ignored) -> LastWords | None:
    """Returns the last lines of the pod that failed first, or was restarted."""
    from corral.control.desk.logs.reading import Printed, Shelf, read_present, shelf_of
    from corral.control.desk.logs.sources import Choice, chosen_sources, in_order_of_failure

    try:
        shelf = shelf_of(session, job)
        failed = [one for one in chosen_sources(shelf.pods, Choice()) if shelf.has_failed(one)]
        again = [one for one in chosen_sources(shelf.pods, Choice()) if shelf.pod(one).restarts()]
        for source in [*in_order_of_failure(shelf.pods, failed), *again]:
            only = Shelf([shelf.pod(source)], shelf.kept, shelf.failed)
            choice = Choice(tail=LAST_LINES)
            heard = [one for one in read_present(session, only, choice) if isinstance(one, Printed)]
            text = b"".join(piece.text + (b"\n" if piece.ends else b"") for one in heard for piece in one.pieces)
            return LastWords(source.pod.name, text.decode("utf-8", "replace").splitlines()[-LAST_LINES:])
    except CorralError as error:
        on_note(f"left out: the log of the pod that failed ({error.message})")
    return None

"""Asking the API for what the rules look at; what the rights forbid is left out, and said."""

from collections.abc import Callable
from typing import Final

from corral.control.desk.jobs.events import events_of, told
from corral.control.desk.jobs.lines import job_line
from corral.control.desk.jobs.looking import pods_in
from corral.control.desk.naming.finding import Found, ignored
from corral.control.desk.session import Session
from corral.control.desk.why.lacks import Lack, lack_told
from corral.control.desk.why.situation import LastWords, Situation
from corral.control.scheduling.reading.membership import membership_of
from corral.errors import CorralError
from corral.kinds.well_known import PERSISTENT_VOLUME_CLAIM
from corral.ports.object_store import Scope
from corral.ports.refusals import ForbiddenError

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
    return _with_nodes(session, situation._replace(claims=claims), on_note)


def _with_nodes(session: Session, situation: Situation, on_note: Callable[[str], None]) -> Situation:
    # It comes with numpy, which nobody shall wait for who asks about something else.
    from corral.control.desk.cluster.scheduling import groups_of, nodes_of, pods_that_hold, queues_of, runs_of

    try:
        nodes = nodes_of(session)
    except ForbiddenError:
        on_note("left out, since you may not list nodes: what they have left")
        return situation
    seen = situation._replace(nodes=nodes)
    if not nodes:
        return seen
    own, is_all = situation.job.key.namespace, True
    try:
        others = pods_that_hold(session)
    except ForbiddenError:
        on_note("left out, since you may not list the pods of other namespaces: what is free on nodes")
        others, is_all = pods_that_hold(session, own), False
    seen = seen._replace(others=others, sees_everybody=is_all)
    if any(membership_of(one).group is not None for one in others):
        seen = seen._replace(groups=groups_of(session, "" if is_all else own, on_note=on_note))
    if not (is_all and situation.is_ours):
        return seen
    queues = queues_of(session, on_note=on_note)
    return seen._replace(queues=queues, runs=runs_of(session, situation.schedulers, on_note=on_note))


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

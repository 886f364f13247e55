"""Making a job and what belongs to it: the job in one request, then the rest, owned by it from the first write.

A job that cannot have all of its parts is deleted again, so that either everything is there or nothing: after a refusal,
an error and Ctrl-C. A process that is killed (SIGKILL, a machine that goes down) between two requests leaves the job without
the rest, and its pods wait for it; the same command with the same `--idempotency-key` makes what still lacks.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from corral.control.desk.naming.finding import those_of_name
from corral.control.desk.naming.kinds import TRAINING_RESOURCES, is_training, shown_name
from corral.control.desk.naming.suggestions import did_you_mean
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.kinds.objects import Object, labels_of, owner_reference, owners_of
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.training.label_names import JOB_NAME
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, PERSISTENT_VOLUME_CLAIM, POD, PRIORITY_CLASS, SERVICE
from corral.ports.object_store import DeleteOptions, WriteOptions
from corral.ports.refusals import AlreadyExistsError, ForbiddenError, NotFoundError

SUBMISSION: Final = "corral.dev/submission"
"""The annotation of a job by which a submission knows it again: by an answer that was lost, or by the same key."""
_COMPANIONS: Final = {one.kind: one for one in (CONFIG_MAP, SERVICE, DEPLOYMENT)}


class Made(NamedTuple):
    """One object that is there now."""

    resource: ApiResource
    object: Object
    is_new: bool = True

    @property
    def key(self) -> ObjectKey:
        """Returns namespace and name."""
        metadata = self.object["metadata"]
        return ObjectKey(metadata.get("namespace") or "", metadata["name"])

    def __str__(self) -> str:
        return f"{shown_name(self.resource, self.key.name)} {'created' if self.is_new else 'unchanged'}"


class Needs(NamedTuple):
    """What must hold before a job is made: its name is not that of a pod, and what it names is there."""

    name: str
    priority: str = ""
    claims: tuple[str, ...] = ()
    queue: str = ""
    """What may come later, so that its absence is only told."""


def submit_objects(
    session: Session, resource: ApiResource, objects: Sequence[Object], *, key: str = "", dry_run: bool = False
) -> list[Made]:
    """Makes the job, which comes first, and everything after it as its own; returns them as the server stored them.

    With a `key`, a job of this name that was made with the same key counts as made, and what it still lacks is made. A dry run asks the server to check
    everything, and stores nothing.
    """
    job, *companions = [_placed(one, session.namespace) for one in objects]
    _refuse_twin(session, resource, job)
    if dry_run:
        options = WriteOptions(dry_run=True, validation="Strict")
        return [_create(session, one, each, options) for one, each in _paired(resource, job, companions)]
    made = _create_job(session, resource, job, key)
    owner = owner_reference(resource, made.object, controller=False)
    # Whoever sets this must be allowed to change finalizers of the owner, which submitters seldom are.
    owner.pop("blockOwnerDeletion")
    done = [made]
    try:
        for companion in companions:
            owned = {**companion, "metadata": {**companion["metadata"], "ownerReferences": [owner]}}
            done.append(_create_owned(session, _COMPANIONS[companion["kind"]], owned, owner["uid"]))
    except CorralError as error:
        if not made.is_new:
            raise
        raise _taken_back(session, made, error) from error
    except KeyboardInterrupt:
        # Whoever broke it off gets nothing: a job that waits for what nobody makes any more helps no one.
        if made.is_new:
            _delete(session, made)
        raise
    return done


def _refuse_twin(session: Session, resource: ApiResource, job: Object) -> None:
    """Raises when a job of another kind has the name: both would want pods and services of the same names."""
    if not is_training(resource):
        return
    name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
    others = [one for one in TRAINING_RESOURCES if one.kind != resource.kind]
    twin = next(iter(those_of_name(session._replace(namespace=namespace), others, name)), None)
    if twin is not None:
        message = f"{twin.shown} exists already in namespace {namespace}, and its pods would have the same names"
        hint = f"choose another name; or `corral delete {twin.resource.kind.lower()}/{name}`, if it is done"
        raise AlreadyExistsError(message, hint=hint)


_STRICT: Final = WriteOptions(validation="Strict", deterministic=True)


def _placed(obj: Object, namespace: str) -> Object:
    return {**obj, "metadata": {"namespace": namespace, **obj["metadata"]}}


def _paired(resource: ApiResource, job: Object, companions: Sequence[Object]) -> list[tuple[ApiResource, Object]]:
    return [(resource, job), *((_COMPANIONS[one["kind"]], one) for one in companions)]


def _create(session: Session, resource: ApiResource, obj: Object, options: WriteOptions) -> Made:
    try:
        return Made(resource, session.store.create(resource, obj, options))
    except AlreadyExistsError as error:
        name = obj["metadata"]["name"]
        message = f"{shown_name(resource, name)} exists already in namespace {obj['metadata']['namespace']}"
        hint = f"choose another name; or `corral delete {name}`, or `corral resubmit {name} --replace`, if it is done"
        raise AlreadyExistsError(message, what=error.what, hint=hint, status=error.status) from error
    except NotFoundError as error:
        if not error.kind_is_missing:
            raise
        message = f"this API server does not know {resource.kind} in {resource.api_version}"
        raise PermanentError(
            "unknown-kind", message, hint="`corral install` puts its definition on a cluster"
        ) from error


def _create_job(session: Session, resource: ApiResource, job: Object, key: str) -> Made:
    """Makes the job; one that is there already and carries our mark was made by us."""
    mark = key or os.urandom(8).hex()
    metadata = job["metadata"]
    marked = {**job, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), SUBMISSION: mark}}}
    try:
        return _create(session, resource, marked, _STRICT)
    except AlreadyExistsError:
        held = _marked(session, resource, marked)
        if held is None:
            raise
        # Without a key the mark is of this moment: it was our own request, whose answer was lost.
        return Made(resource, held, is_new=not key)
    except KeyboardInterrupt:
        # The server may have made it although its answer was not waited for. With a key it may be of an earlier call.
        if not key and (held := _marked(session, resource, marked)) is not None:
            _delete(session, Made(resource, held))
        raise


def _marked(session: Session, resource: ApiResource, marked: Object) -> Object | None:
    """Returns the job of this name when it carries our mark."""
    metadata = marked["metadata"]
    try:
        held = session.store.get(resource, ObjectKey(metadata["namespace"], metadata["name"]))
    except NotFoundError:
        return None
    is_ours = (held["metadata"].get("annotations") or {}).get(SUBMISSION) == metadata["annotations"][SUBMISSION]
    return held if is_ours else None


def _delete(session: Session, made: Made) -> None:
    session.store.delete(made.resource, made.key, DeleteOptions("Background", uid=made.object["metadata"]["uid"]))


def _create_owned(session: Session, resource: ApiResource, obj: Object, uid: str) -> Made:
    """Makes what belongs to the job; one of its name that belongs to it already is ours, by an answer that was lost."""
    try:
        return _create(session, resource, obj, _STRICT)
    except AlreadyExistsError:
        held = session.store.get(resource, ObjectKey(obj["metadata"]["namespace"], obj["metadata"]["name"]))
        if uid not in [owner.get("uid") for owner in owners_of(held)]:
            raise
        return Made(resource, held)


def _taken_back(session: Session, made: Made, error: CorralError) -> CorralError:
    """Deletes the job again, and returns the error with what became of it."""
    try:
        _delete(session, made)
        end = "so the job was deleted again"
    except CorralError as failure:
        end = f"and the job could not be deleted again ({failure.message})"
    error.message = f"{error.message}; {end}"
    return error


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
    if needs.queue:
        _tell_of_queue(session, needs.queue, on_note)
    return None


def _tell_of_queue(session: Session, name: str, on_note: Callable[[str], None]) -> None:
    """Tells when a queue is not there: the job waits for it, which is no error."""
    try:
        known = [one["metadata"]["name"] for one in session.store.list(QUEUE)]
    except NotFoundError:
        known = []  # the kind is not installed
    except ForbiddenError:
        on_note(f"whether there is a queue {name} may not be looked at")
        return
    if not known:
        on_note(f"there is no queue {name}, nor any other: until the first is made, names of queues bind nothing")
    elif name not in known:
        guess = did_you_mean(name, known) or "`corral top queue` shows those that there are"
        on_note(f"there is no queue {name}, and the job waits until there is: {guess}")


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

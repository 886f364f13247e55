"""Making a job and what belongs to it: the job in one request, then the rest, owned by it from the first write.

A job that cannot have all of its parts is deleted again, so that either everything is there or nothing: after a refusal,
an error and Ctrl-C. A process that is killed (SIGKILL, a machine that goes down) between two requests leaves the job without
the rest, and its pods wait for it; the same command with the same `--idempotency-key` makes what still lacks.
"""

import os
from collections.abc import Sequence
from typing import Final, NamedTuple

from corral.control.desk.naming.finding import those_of_name
from corral.control.desk.naming.kinds import TRAINING_RESOURCES, is_training, shown_name
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.kinds.objects import Object, owner_reference, owners_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, SERVICE
from corral.ports.object_store import DeleteOptions, WriteOptions
from corral.ports.refusals import AlreadyExistsError, NotFoundError

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

"""Making a job once more: under another name, or in place of itself when it is done."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from corral.control.desk.jobs.lines import ENDED, state_of
from corral.control.desk.naming.finding import Found
from corral.control.desk.patience.list_watch import Subject
from corral.control.desk.patience.until import Waiting, until
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.kinds.objects import Object, owners_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.submission.resubmission import companions_of, copy_of, mounted_config_maps
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, SERVICE
from corral.ports.object_store import DeleteOptions, Scope, WriteOptions
from corral.ports.refusals import AlreadyExistsError, ConflictError, ForbiddenError, NotFoundError

_COMPANIONS: Final = {one.kind: one for one in (CONFIG_MAP, SERVICE, DEPLOYMENT)}
GONE_WITHIN: Final = 120.0
"""How long a job that was deleted may take to go."""


def copies(session: Session, job: Found, name: str) -> list[Object]:
    """Returns a job and what belongs to it, as they are to be made again under a name."""
    old = job.key.name
    return [copy_of(one, old, name) for one in (job.object, *(each for _, each in _companions(session, job)))]


def refuse_replacement(session: Session, job: Found, wanted: Object) -> None:
    """Raises when a job has not ended, or when the server would not take `wanted` in its place."""
    if state_of(job.object) not in ENDED:
        message = f"{job.shown} has not ended, so it is not replaced"
        hint = f"`corral delete {job.key.name}` ends it, and under another name it runs beside it"
        raise PermanentError("not-ended", message, hint=hint)
    # A server judges an object before it looks whether the name is free: that it is not is all there is to say.
    with suppress(AlreadyExistsError):
        session.store.create(job.resource, wanted, WriteOptions(dry_run=True, validation="Strict"))


def make_way(session: Session, job: Found, *, on_wait: Callable[[str], None]) -> None:
    """Deletes a job and all that is its own, and returns when they are gone."""
    owned = _companions(session, job)
    for resource, obj in owned:
        _delete(session, resource, obj, "Background")
    _delete(session, job.resource, job.object, "Foreground")
    for resource, obj in [*owned, (job.resource, job.object)]:
        _await_end(session, resource, obj, on_wait)


def _companions(session: Session, job: Found) -> list[tuple[ApiResource, Object]]:
    """Returns what belongs to a job: objects of the names that we give, if they are its own; one that it needs must be there."""
    found = []
    needed = mounted_config_maps(job.object.get("spec"))
    for kind, name in companions_of(job.key.name):
        resource = _COMPANIONS[kind]
        try:
            obj = session.store.get(resource, ObjectKey(job.key.namespace, name))
        except (NotFoundError, ForbiddenError) as error:
            if resource == CONFIG_MAP and name in needed:
                raise _incomplete(job, name, error) from error
            continue
        if job.object["metadata"]["uid"] in [owner.get("uid") for owner in owners_of(obj)]:
            typed = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
            found.append((resource, typed))
    return found


def _incomplete(job: Found, name: str, error: CorralError) -> PermanentError:
    """Returns why a job cannot be made again as it was: its pods would wait for ever."""
    reason = "is gone" if isinstance(error, NotFoundError) else f"cannot be read: {error.message}"
    message = f"{job.key.name} brought the ConfigMap {name}, which {reason}, so it cannot be made again as it was"
    return PermanentError("incomplete-job", message, hint="submit it anew, from where its code and files are")


def _delete(session: Session, resource: ApiResource, obj: Object, propagation: str) -> None:
    metadata = obj["metadata"]
    options = DeleteOptions(propagation, uid=metadata["uid"])  # type: ignore[arg-type]
    try:
        session.store.delete(resource, ObjectKey(metadata["namespace"], metadata["name"]), options)
    except (NotFoundError, ConflictError):
        return  # it is gone, or another one has its name by now


def _await_end(session: Session, resource: ApiResource, obj: Object, on_wait: Callable[[str], None]) -> None:
    """Returns when an object is gone; who may not list what is there hears from the server whether the name is free."""
    (namespace, name), uid = ObjectKey(obj["metadata"]["namespace"], obj["metadata"]["name"]), obj["metadata"]["uid"]

    def seen(found: list[Object]) -> bool | None:
        return None if uid in [one["metadata"]["uid"] for one in found] else True

    def too_late() -> PermanentError:
        message = f"{resource.kind} {name} is not gone {GONE_WITHIN:g} s after its deletion"
        return PermanentError("wait-timeout", message, hint="`corral get pods` shows what is left")

    waiting = Waiting(GONE_WITHIN, on_wait, lambda _: f"{resource.kind} {name} is not gone yet", too_late)
    try:
        until(
            Subject(session.store, resource, Scope(namespace, fields=f"metadata.name={name}"), dict[str, Any]),
            seen,
            waiting,
        )
    except ForbiddenError:
        return

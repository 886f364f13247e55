"""Making a job once more: under another name, or in place of itself when it is done."""

import time
from typing import Final

from corral.control.desk.jobs.lines import ENDED, state_of
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.objects import Object, owners_of
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.submission.resubmission import companion_names, copy_of
from corral.kinds.well_known import CONFIG_MAP, DEPLOYMENT, SERVICE
from corral.ports.object_store import DeleteOptions, WriteOptions
from corral.ports.refusals import ConflictError, ForbiddenError, NotFoundError

GONE_WITHIN: Final = 120.0
"""How long a job that was deleted may take to go."""


def copies(session: Session, job: Found, name: str) -> list[Object]:
    """Returns a job and what belongs to it, as they are to be made again under a name."""
    old = job.key.name
    return [copy_of(one, old, name) for one in (job.object, *(each for _, each in _companions(session, job)))]


def make_way(session: Session, job: Found, wanted: Object) -> None:
    """Deletes a job that has ended, with all that is its own, when the server would take `wanted` in its place."""
    if state_of(job.object) not in ENDED:
        message = f"{job.shown} has not ended, so it is not replaced"
        hint = f"`corral delete {job.key.name}` ends it, and another --name runs beside it"
        raise PermanentError("not-ended", message, hint=hint)
    named = {**wanted, "metadata": {**wanted["metadata"], "name": f"{job.key.name}-new"}}
    session.store.create(job.resource, named, WriteOptions(dry_run=True, validation="Strict"))
    owned = _companions(session, job)
    for resource, obj in owned:
        _delete(session, resource, obj, "Background")
    _delete(session, job.resource, job.object, "Foreground")
    for resource, obj in [*owned, (job.resource, job.object)]:
        _await_end(session, resource, obj)


def _companions(session: Session, job: Found) -> list[tuple[ApiResource, Object]]:
    """Returns what belongs to a job: objects of the names that we give, if they are its own."""
    found = []
    names = companion_names(job.key.name)
    for resource in (CONFIG_MAP, SERVICE, DEPLOYMENT):
        try:
            obj = session.store.get(resource, ObjectKey(job.key.namespace, names[resource.kind]))
        except (NotFoundError, ForbiddenError):
            continue
        if job.object["metadata"]["uid"] in [owner.get("uid") for owner in owners_of(obj)]:
            typed = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
            found.append((resource, typed))
    return found


def _delete(session: Session, resource: ApiResource, obj: Object, propagation: str) -> None:
    metadata = obj["metadata"]
    options = DeleteOptions(propagation, uid=metadata["uid"])  # type: ignore[arg-type]
    try:
        session.store.delete(resource, ObjectKey(metadata["namespace"], metadata["name"]), options)
    except (NotFoundError, ConflictError):
        return  # it is gone, or another one has its name by now


def _await_end(session: Session, resource: ApiResource, obj: Object) -> None:
    metadata = obj["metadata"]
    deadline = time.monotonic() + GONE_WITHIN
    while time.monotonic() < deadline:
        try:
            held = session.store.get(resource, ObjectKey(metadata["namespace"], metadata["name"]))
        except NotFoundError:
            return
        if held["metadata"]["uid"] != metadata["uid"]:
            return
        time.sleep(0.1)
    message = f"{resource.kind} {metadata['name']} is not gone {GONE_WITHIN:g} s after its deletion"
    raise PermanentError("wait-timeout", message, hint="`corral get pods` shows what is left")

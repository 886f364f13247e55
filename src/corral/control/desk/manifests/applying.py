"""Making a server hold what manifests say, by server-side apply, and telling of each what came of it."""

import re
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from corral.control.desk.manifests.reading import Manifest, in_order
from corral.control.desk.naming.kinds import is_training, resource_of_manifest, shown_name
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError, RetryError
from corral.kinds.objects import Object
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch, WriteOptions
from corral.ports.refusals import ConflictError, InvalidError, NotFoundError

SERVED_WITHIN = 10.0
"""How long a definition that was just applied may take until the server knows its kind."""

ChangeWord = Literal["created", "configured", "unchanged"]


class Applied(NamedTuple):
    """One object that is as its manifest says."""

    resource: ApiResource
    key: ObjectKey
    change: ChangeWord
    object: Object
    """As the server has it now, or would have it."""
    is_trial: bool = False
    """Whether the server only said what it would do."""

    @property
    def is_training(self) -> bool:
        """Whether it is a training job."""
        return is_training(self.resource)

    def __str__(self) -> str:
        return f"{self.shown} {self.change}{' (server dry run)' if self.is_trial else ''}"

    @property
    def shown(self) -> str:
        """Returns `pytorchjob.kubeflow.org/digits`."""
        return shown_name(self.resource, self.key.name)


class Terms(NamedTuple):
    """How to apply: a namespace that was asked for by name, and whether to take fields from other managers."""

    namespace: str = ""
    force: bool = False
    dry_run: bool = False
    """Whether the server shall check everything and keep nothing."""


def apply_all(
    session: Session,
    manifests: Sequence[Manifest],
    terms: Terms,
    *,
    on_done: Callable[[Applied], None],
    on_problem: Callable[[CorralError], None],
) -> None:
    """Applies everything in the order of need; a refused object is told and does not keep the others back.

    Whatever is no refusal of one object, such as a server that does not answer, is raised.
    """
    new_definitions = False
    for manifest in in_order(manifests):
        try:
            resource = resource_of(session, manifest, is_late=new_definitions)
            key = place_of(session, resource, manifest, terms.namespace)
            before = present(session, resource, key)
            after = patched(session, resource, key, manifest.object, terms)
            on_done(Applied(resource, key, _change(before, after), after, terms.dry_run))
        except (PermanentError, ConflictError) as error:
            for one in told_apart(error, manifest):
                on_problem(one)
            continue
        new_definitions = new_definitions or resource == CUSTOM_RESOURCE_DEFINITION


def place_of(session: Session, resource: ApiResource, manifest: Manifest, asked: str) -> ObjectKey:
    """Returns where an object belongs: its own namespace, else the one that was asked for, else that of the context."""
    metadata = manifest.object["metadata"]
    if not resource.namespaced:
        return ObjectKey("", metadata["name"])
    own = metadata.get("namespace") or ""
    if own and asked and own != asked:
        message = f'metadata.namespace is "{own}", and namespace "{asked}" was asked for'
        raise PermanentError("other-namespace", message, hint="leave out one of them")
    return ObjectKey(own or asked or session.namespace, metadata["name"])


def resource_of(session: Session, manifest: Manifest, *, is_late: bool = False) -> ApiResource:
    """Returns the resource of a manifest; after a new definition the server is given a moment to serve it."""
    api_version, kind = manifest.object["apiVersion"], manifest.object["kind"]
    deadline = time.monotonic() + (SERVED_WITHIN if is_late else 0.0)
    refresh = False
    while True:
        try:
            return resource_of_manifest(session.store.catalogue(refresh=refresh), api_version, kind)
        except PermanentError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.1)
            refresh = True


def present(session: Session, resource: ApiResource, key: ObjectKey) -> Object | None:
    """Returns the object as it is, None when it is not there."""
    try:
        return session.store.get(resource, key)
    except NotFoundError:
        return None


def patched(session: Session, resource: ApiResource, key: ObjectKey, obj: Object, terms: Terms) -> Object:
    """Applies one object and returns what it is then, or would be."""
    # What an API writes about who wrote what is no wish, and stands in everything that was read from one.
    asked = {field: value for field, value in obj["metadata"].items() if field != "managedFields"}
    placed = {**obj, "metadata": {**asked, **({"namespace": key.namespace} if key.namespace else {})}}
    options = WriteOptions(force=terms.force, validation="Strict", dry_run=terms.dry_run)
    return session.store.patch(resource, key, Patch("apply", placed), options=options)


def _change(before: Object | None, after: Object) -> ChangeWord:
    if before is None:
        return "created"
    return "unchanged" if content_of(after) == content_of(before) else "configured"


def content_of(obj: Object) -> Object:
    """Returns what somebody asked for: servers write about themselves in status and in parts of metadata at any time."""
    own = ("resourceVersion", "managedFields", "generation")
    metadata = {field: value for field, value in obj["metadata"].items() if field not in own}
    return {field: value for field, value in obj.items() if field != "status"} | {"metadata": metadata}


def told_apart(error: CorralError, manifest: Manifest) -> list[CorralError]:
    """Returns one error for each fault that a refusal lists, each with the place of its object."""
    obj = manifest.object
    where = f"{manifest.place}: {obj['kind']} {obj['metadata']['name']}"
    if isinstance(error, ConflictError):
        return [RetryError(error.code, f"{where}: {error.message}")]
    faults = _denied(error.message)
    if isinstance(error, InvalidError) and error.causes:
        faults = [each for one in error.causes for each in _denied(_fault(one.get("field"), one.get("message")))]
    return [PermanentError(error.code, f"{where}: {fault}", hint=error.hint) for fault in dict.fromkeys(faults)]


_DENIAL = re.compile(r"ValidatingAdmissionPolicy '\S+' with binding '\S+' denied request: (.*)", re.DOTALL)
_NEXT_FAULT = re.compile(r", (?=(?:spec|metadata)[.\[])")


def _denied(message: str) -> list[str]:
    """Returns the faults that our policies list in one message, each with its field; else the message itself."""
    found = _DENIAL.search(message)
    if found is None:
        return [message]
    listed = found[1]
    if listed.startswith("[") and listed.endswith("]"):
        listed = listed[1:-1]
    return _NEXT_FAULT.split(listed)


def _fault(field: object, message: object) -> str:
    return f"{field}: {message}" if field else str(message)

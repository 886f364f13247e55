"""Deleting by name or by the manifests that made something."""

from collections.abc import Callable, Sequence

from corral.control.desk.manifests.applying import Terms, place_of, told_apart
from corral.control.desk.manifests.reading import Manifest, in_order
from corral.control.desk.naming.finding import Found
from corral.control.desk.naming.kinds import resource_of_manifest, shown_name
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.ports.object_store import DeleteOptions
from corral.ports.refusals import ConflictError, NotFoundError


def delete_found(session: Session, found: Found) -> str:
    """Asks for the deletion of this very object, and returns its name; what it owns goes with it."""
    options = DeleteOptions(propagation="Background", uid=found.object["metadata"].get("uid", ""))
    session.store.delete(found.resource, found.key, options)
    return found.shown


def delete_all(
    session: Session,
    manifests: Sequence[Manifest],
    terms: Terms,
    *,
    on_done: Callable[[str], None],
    on_problem: Callable[[CorralError], None],
) -> None:
    """Deletes everything that manifests name, what needs others first; a refused one does not keep the others back."""
    for manifest in reversed(in_order(manifests)):
        obj = manifest.object
        try:
            resource = resource_of_manifest(session.store.catalogue(), obj["apiVersion"], obj["kind"])
            key = place_of(session, resource, manifest, terms.namespace)
            try:
                on_done(delete_found(session, Found(resource, session.store.get(resource, key))))
            except NotFoundError as error:
                on_problem(NotFoundError(f"there is no {shown_name(resource, key.name)}", status=error.status))
        except (PermanentError, ConflictError) as error:
            for one in told_apart(error, manifest):
                on_problem(one)

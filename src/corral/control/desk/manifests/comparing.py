"""What applying manifests would change, told by the server itself: it applies them to see, and keeps nothing."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from corral.control.desk.manifests.applying import Terms, patched, place_of, present, resource_of, told_apart
from corral.control.desk.manifests.reading import Manifest, in_order
from corral.control.desk.naming.kinds import shown_name
from corral.control.desk.session import Session
from corral.errors import CorralError, PermanentError
from corral.kinds.objects import Object
from corral.ports.refusals import ConflictError

_OF_THE_SERVER = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink")


class Comparison(NamedTuple):
    """One object as it is and as it would be, without what servers write about themselves; None is not there."""

    shown: str
    before: Object | None
    after: Object

    @property
    def differs(self) -> bool:
        """Whether applying would change something."""
        return self.before != self.after


def compare_all(
    session: Session,
    manifests: Sequence[Manifest],
    terms: Terms,
    *,
    on_done: Callable[[Comparison], None],
    on_problem: Callable[[CorralError], None],
) -> None:
    """Compares everything with what would come of it; a refused object does not keep the others back."""
    for manifest in in_order(manifests):
        try:
            resource = resource_of(session, manifest)
            key = place_of(session, resource, manifest, terms.namespace)
            before = present(session, resource, key)
            after = patched(session, resource, key, manifest.object, terms._replace(dry_run=True))
        except (PermanentError, ConflictError) as error:
            for one in told_apart(error, manifest):
                on_problem(one)
            continue
        on_done(Comparison(shown_name(resource, key.name), None if before is None else _own(before), _own(after)))


def _own(obj: Object) -> Object:
    metadata = {field: value for field, value in obj["metadata"].items() if field not in _OF_THE_SERVER}
    return {field: value for field, value in obj.items() if field != "status"} | {"metadata": metadata}

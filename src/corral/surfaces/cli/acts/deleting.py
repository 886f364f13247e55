"""Deleting what was found, one after the other: what is refused is told, and keeps nothing else back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, exit_status
from corral.surfaces.cli.speech.spoken import spoken

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session
    from corral.errors import CorralError


class Complaints:
    """Takes what was refused and tells it; the first one decides the exit status."""

    def __init__(self, *, ignored: str = "") -> None:
        self._ignored = ignored
        self.status = DONE

    def __call__(self, error: "CorralError") -> None:
        """Tells an error, unless its code is ignored."""
        if error.code != self._ignored:
            self.status = self.status or exit_status(error)
            tell(spoken(error))


def delete_each(session: "Session", found: "Sequence[Found]", complain: Complaints, *, was_named: bool) -> None:
    """Deletes objects and tells each; one that is gone already is worth a complaint only when it was named."""
    from corral.control.desk.manifests.deleting import delete_found
    from corral.errors import PermanentError
    from corral.ports.refusals import NotFoundError

    for one in found:
        try:
            tell_deleted(delete_found(session, one))
        except NotFoundError as error:
            if was_named:  # else somebody was faster, or its time to live was over
                complain(error)
            continue
        except PermanentError as error:
            complain(error)
            continue
        if one.is_training:
            # Arena's users, and the scripts that they have, look for this sentence.
            tell(f"The training job {one.key.name} has been deleted successfully")


def tell_deleted(name: str) -> None:
    """Tells that something is deleted."""
    say(f"{name} deleted")

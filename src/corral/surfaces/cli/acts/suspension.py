"""What `corral suspend` and `corral resume` have in common."""

from collections.abc import Sequence

from corral.errors import CorralError
from corral.ports.refusals import ConflictError
from corral.surfaces.cli.connection import connected
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, exit_status
from corral.surfaces.cli.speech.spoken import spoken


def turn(jobs: Sequence[str], trainer: str, *, suspended: bool) -> int:
    """Suspends or resumes jobs one after the other; one that cannot be does not keep the others back."""
    from corral.control.desk.changing.suspending import set_suspended
    from corral.control.desk.naming.finding import job_or_pod
    from corral.errors import PermanentError

    word = "suspended" if suspended else "resumed"
    refused: list[CorralError] = []
    with connected(doing="writing to") as session:
        for job in jobs:
            try:
                found = job_or_pod(session, job, pods=False, trainer=trainer)
                has_changed = set_suspended(session, found, suspended=suspended)
                say(f"{found.shown} {word}" if has_changed else f"{found.shown} {_ALREADY[suspended]}")
            except (PermanentError, ConflictError) as error:
                refused.append(error)
                tell(spoken(error))
    return exit_status(refused[0]) if refused else DONE


_ALREADY = {True: "is suspended already", False: "is not suspended"}

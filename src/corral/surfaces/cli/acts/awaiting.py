"""Waiting for jobs on the command line: what is said meanwhile and at the end, and which exit status that is."""

from typing import TYPE_CHECKING

from corral.errors import PermanentError
from corral.surfaces.cli.acts.failing import failure_of
from corral.surfaces.cli.render.output import say, tell
from corral.surfaces.cli.speech.exit_codes import DONE, FAILED, LOST
from corral.surfaces.cli.speech.spoken import spoken

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session

_STATUS = {"reached": DONE, "failed": FAILED, "otherwise": FAILED, "lost": LOST}


def await_job(
    session: "Session",
    job: "Found",
    goal: str = "succeeded",
    timeout: float | None = None,
    *,
    propagate: bool = False,
    quiet: bool = False,
) -> int:
    """Waits for a job and returns the exit status; Ctrl-C leaves the job alone, and says so.

    To propagate is to return the exit code of the program that trains, whenever the job has ended and it is known. To be
    quiet is not to say that all is well.
    """
    from corral.control.desk.waiting import in_words, trainer_exit_code, wait_for

    name = job.key.name
    try:
        waited = wait_for(session, job, goal, timeout, on_wait=tell)
    except KeyboardInterrupt:
        tell(
            f"no longer waiting; {name} goes on\nhint: `corral wait {name}` waits again, `corral delete {name}` ends it"
        )
        raise
    reached, missed = in_words(goal)
    if waited.verdict == "failed":
        failure = failure_of(session, job, f"{name} {missed}", waited.why)
        tell(spoken(PermanentError("job-failed", failure.message, hint=failure.hint)))
    elif waited.verdict != "reached":
        code = "job-lost" if waited.verdict == "lost" else "job-failed"
        tell(spoken(PermanentError(code, f"{name} {missed}: {waited.why}", hint=f"`corral why {name}` tells more")))
    elif not quiet:
        say(f"{job.shown} {reached}")
    own = trainer_exit_code(session, job, waited) if propagate else None
    return _STATUS[waited.verdict] if own is None else own

"""How a job has failed, told at the end of whatever waited for it or followed it: the cause, and what helps."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from corral.control.desk.naming.finding import Found
    from corral.control.desk.session import Session


class Failure(NamedTuple):
    """That a job has failed and why, in one line, and what helps."""

    message: str
    hint: str


def failure_of(session: "Session", job: "Found", begin: str, said: str) -> Failure:
    """Returns how a job has failed; what its program did not find says more than what the job `said`."""
    from corral.control.desk.jobs.outcome import exit_code_of
    from corral.control.desk.why.facts import lack_of
    from corral.control.desk.why.lacks import remedies

    more = f"`corral why {job.key.name}` tells more"
    lack = lack_of(session, job)
    if lack is None:
        code = exit_code_of(session, job)
        ended = "" if not code else f" (exit code {code})"
        return Failure(f"{begin}: {said}{ended}", more)
    remedy = remedies(lack, job, is_here=session.is_embedded)[0]
    return Failure(f"{begin}: {lack.sentence}", f"{remedy}; {more}")

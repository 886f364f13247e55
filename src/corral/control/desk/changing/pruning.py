"""Which jobs are history: those that have ended, long enough ago. Pure."""

from collections.abc import Iterable

from corral.control.desk.jobs.lines import job_line
from corral.control.desk.naming.finding import Found


def ended_before(jobs: Iterable[Found], moment: float) -> list[Found]:
    """Returns the jobs that had ended before a moment; one that waits or runs is never among them.

    A job that does not tell when it ended goes by when it was made.
    """
    found = []
    for job in jobs:
        line = job_line(job)
        over = line.ended or line.created
        if (
            line.has_ended
            and over is not None
            and over < moment
            and not job.object["metadata"].get("deletionTimestamp")
        ):
            found.append(job)
    return found

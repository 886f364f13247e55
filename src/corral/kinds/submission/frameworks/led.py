"""Roles of jobs in which a master works as well: of N workers, one is the master."""

from corral.kinds.submission.job_type import Role, resources_of
from corral.kinds.submission.submission import Submission


def led_roles(submission: Submission) -> list[Role]:
    """Returns a master, and the other workers when there are any."""
    wishes = resources_of(submission)
    master = Role(name="Master", count=1, wishes=wishes, gpus=submission.gpus)
    others = submission.workers - 1
    return [master, *([Role(name="Worker", count=others, wishes=wishes, gpus=submission.gpus)] if others else [])]


def equal_roles(submission: Submission) -> list[Role]:
    """Returns workers alone, of which the first coordinates."""
    wishes = resources_of(submission)
    return [Role(name="Worker", count=submission.workers, wishes=wishes, gpus=submission.gpus)]

"""Corral for Python programs and notebooks.

    from corral.sdk import Client

    client = Client()
    for job in client.list():
        print(job)

What is listed here is public; everything else may change. The guide is docs/guides/python.md.
"""

from corral.control.desk.jobs.events import Told as Event
from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.waiting import Goal
from corral.errors import BugError, CorralError, PermanentError, RetryError
from corral.kinds.reasons import Evidence, Reason
from corral.kinds.submission.submission import Submission
from corral.ports.refusals import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    UnauthorizedError,
    UnreachableError,
)
from corral.surfaces.sdk.async_client import AsyncClient, AsyncJob, AsyncJobs
from corral.surfaces.sdk.client import Client, Job, Jobs
from corral.surfaces.sdk.log_stream import LogLine
from corral.surfaces.sdk.making import RunOptions
from corral.surfaces.sdk.verbs import JobFailedError

__all__ = [
    "AlreadyExistsError",
    "AsyncClient",
    "AsyncJob",
    "AsyncJobs",
    "BugError",
    "Client",
    "ConflictError",
    "CorralError",
    "Event",
    "Evidence",
    "ForbiddenError",
    "Goal",
    "InvalidError",
    "Job",
    "JobFailedError",
    "JobLine",
    "Jobs",
    "LogLine",
    "NotFoundError",
    "PermanentError",
    "Reason",
    "RetryError",
    "RunOptions",
    "Submission",
    "UnauthorizedError",
    "UnreachableError",
]

"""Every verb, once: a function from what is asked to a piece of work on a session, which either client carries out."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from corral.control.desk.deleting import delete_found
from corral.control.desk.events import Told, events_of, told
from corral.control.desk.finding import Found, job_or_pod
from corral.control.desk.job_lines import JobLine, job_line
from corral.control.desk.logs.sources import Choice
from corral.control.desk.looking import Wanted, jobs_in, lines_of, pods_in
from corral.control.desk.session import Session
from corral.control.desk.suspending import set_suspended
from corral.control.desk.waiting import IN_WORDS, Goal, wait_for
from corral.errors import PermanentError
from corral.ports.refusals import NotFoundError
from corral.surfaces.sdk.log_stream import LogStream

T = TypeVar("T")
Work = Callable[[Session], T]
"""Something to be done with an API."""
Notes = Callable[[str], None]
Events = list[Told]


class Seen(NamedTuple):
    """A job as it was when it was last looked at."""

    found: Found
    line: JobLine


class JobFailedError(PermanentError):
    """A job has ended otherwise than it was waited for; the code is `job-lost` when the infrastructure failed it."""


def listed(wanted: Wanted, notes: Notes) -> Work[list[Seen]]:
    """Finds the training jobs, the newest first."""

    def work(session: Session) -> list[Seen]:
        jobs = jobs_in(session, wanted=wanted, on_note=notes)
        lines = lines_of(session, jobs, everywhere=wanted.everywhere, on_note=notes)
        return [Seen(job, line) for job, line in zip(jobs, lines, strict=True)]

    return work


def looked_at(job: "str | Seen") -> Work[Seen]:
    """Looks at a job: by its name, or again at one that was seen before."""
    return lambda session: _seen(session, _found(session, job))


def events(job: "str | Seen", notes: Notes) -> Work[Events]:
    """Finds what was said about a job and its pods, oldest first."""

    def work(session: Session) -> Events:
        found = _found(session, job)
        pods = pods_in(session.store, found.pods, on_note=notes)
        return [told(one) for one in events_of(session, found, pods, only_warnings=False, on_note=notes)]

    return work


def deleted(job: "str | Seen") -> Work[str]:
    """Deletes a job, and what belongs to it."""
    return lambda session: delete_found(session, _found(session, job))


def set_aside(job: "str | Seen", *, suspended: bool) -> Work[Seen]:
    """Suspends a job, or lets it go on."""

    def work(session: Session) -> Seen:
        found = _found(session, job)
        set_suspended(session, found, suspended=suspended)
        return _seen(session, _found(session, Seen(found, job_line(found))))

    return work


def waited_for(job: "str | Seen", goal: Goal, timeout: float | None, notes: Notes) -> Work[Seen]:
    """Waits until a job has reached a goal; one that never will is an error."""

    def work(session: Session) -> Seen:
        found = _found(session, job)
        waited = wait_for(session, found, goal, timeout, on_wait=notes)
        if waited.verdict == "reached":
            return _seen(session, _found(session, Seen(found, job_line(found))))
        code, name = "job-lost" if waited.verdict == "lost" else "job-failed", found.key.name
        hint = f"`corral logs {name}` shows what it printed"
        raise JobFailedError(code, f"{name} {IN_WORDS[goal][1]}: {waited.why}", hint=hint)

    return work


def printed(job: "str | Seen", choice: Choice, *, follow: bool) -> Work[LogStream]:
    """Opens what the pods of a job print."""
    return lambda session: LogStream(session, _found(session, job), choice, follow=follow)


def _found(session: Session, job: "str | Seen") -> Found:
    """Returns the object as it is now; another one of the same name is not the one that was seen."""
    if isinstance(job, str):
        return job_or_pod(session, job, pods=False)
    before = job.found
    found = Found(before.resource, session.store.get(before.resource, before.key))
    if found.object["metadata"].get("uid") != before.object["metadata"].get("uid"):
        raise NotFoundError(f"{before.key.name} was deleted, and there is another one of its name")
    return found


def _seen(session: Session, found: Found) -> Seen:
    return Seen(found, job_line(found, pods_in(session.store, found.pods)))

"""Every verb, once: a function from what is asked to a piece of work on a session, which either client carries out."""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from corral.control.desk.changing.scaling import scale
from corral.control.desk.changing.suspending import set_suspended
from corral.control.desk.jobs.events import Told, events_of, told
from corral.control.desk.jobs.lines import JobLine, job_line
from corral.control.desk.jobs.looking import Wanted, pods_in
from corral.control.desk.jobs.looking import looked_at as all_looked_at
from corral.control.desk.logs.sources import Choice
from corral.control.desk.manifests.deleting import delete_found
from corral.control.desk.naming.finding import Found, job_or_pod
from corral.control.desk.naming.trainers import TRAINERS, trainer_named
from corral.control.desk.session import Session
from corral.control.desk.waiting import IN_WORDS, Goal, wait_for
from corral.control.desk.why.facts import last_words, situation_of
from corral.control.desk.why.judging import reason_for
from corral.errors import PermanentError
from corral.kinds.reasons import Reason
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
        if wanted.trainer and trainer_named(wanted.trainer) is None:
            known = ", ".join(one.name for one in TRAINERS)
            message = f'"{wanted.trainer}" is no type of training jobs'
            raise PermanentError("unknown-kind", message, hint=f"known are {known}")
        return [
            Seen(job, line) for job, line in zip(*all_looked_at(session, wanted=wanted, on_note=notes), strict=True)
        ]

    return work


def looked_at(job: "str | Seen") -> Work[Seen]:
    """Looks at a job: by its name, or again at one that was seen before."""
    return lambda session: seen_of(session, found_of(session, job))


def events(job: "str | Seen", notes: Notes) -> Work[Events]:
    """Finds what was said about a job and its pods, oldest first."""

    def work(session: Session) -> Events:
        found = found_of(session, job)
        pods = pods_in(session.store, found.pods, on_note=notes)
        return [told(one) for one in events_of(session, found, pods, only_warnings=False, on_note=notes)]

    return work


def deleted(job: "str | Seen") -> Work[str]:
    """Deletes a job, and what belongs to it."""
    return lambda session: delete_found(session, found_of(session, job))


def set_aside(job: "str | Seen", *, suspended: bool) -> Work[Seen]:
    """Suspends a job, or lets it go on."""

    def work(session: Session) -> Seen:
        found = found_of(session, job)
        set_suspended(session, found, suspended=suspended)
        return seen_of(session, found_of(session, Seen(found, job_line(found))))

    return work


def waited_for(job: "str | Seen", goal: Goal, timeout: float | None, notes: Notes) -> Work[Seen]:
    """Waits until a job has reached a goal; one that never will is an error."""

    def work(session: Session) -> Seen:
        if goal not in IN_WORDS:
            raise PermanentError("bad-goal", f'"{goal}" is no goal', hint=f"goals are {', '.join(IN_WORDS)}")
        found = found_of(session, job)
        waited = wait_for(session, found, goal, timeout, on_wait=notes)
        if waited.verdict == "reached":
            return seen_of(session, found_of(session, Seen(found, job_line(found))))
        code, name = "job-lost" if waited.verdict == "lost" else "job-failed", found.key.name
        hint = f"`corral logs {name}` shows what it printed"
        last = last_words(session, found) if waited.verdict == "failed" else None
        said = f"; the last words of {last.pod}:\n" + "\n".join(last.lines) if last is not None and last.lines else ""
        raise JobFailedError(code, f"{name} {IN_WORDS[goal][1]}: {waited.why}{said}", hint=hint)

    return work


def printed(job: "str | Seen", choice: Choice, *, follow: bool) -> Work[LogStream]:
    """Opens what the pods of a job print."""
    return lambda session: LogStream(session, found_of(session, job), choice, follow=follow)


def why(job: "str | Seen", notes: Notes) -> Work[Reason]:
    """Says why a job waits, runs or has failed."""
    return lambda session: reason_for(situation_of(session, found_of(session, job), time.time(), on_note=notes))


def scaled(job: "str | Seen", workers: int) -> Work[Seen]:
    """Gives an elastic job so many workers."""

    def work(session: Session) -> Seen:
        found = found_of(session, job)
        scale(session, found, lambda _: workers)
        return seen_of(session, found_of(session, Seen(found, job_line(found))))

    return work


def found_of(session: Session, job: "str | Seen") -> Found:
    """Returns the object as it is now; another one of the same name is not the one that was seen."""
    if isinstance(job, str):
        return job_or_pod(session, job, pods=False)
    before = job.found
    found = Found(before.resource, session.store.get(before.resource, before.key))
    if found.object["metadata"].get("uid") != before.object["metadata"].get("uid"):
        raise NotFoundError(f"{before.key.name} was deleted, and there is another one of its name")
    return found


def seen_of(session: Session, found: Found) -> Seen:
    """Returns a job with what its pods tell."""
    return Seen(found, job_line(found, pods_in(session.store, found.pods)))

"""Waiting until a job is where somebody wants it to be, and telling how it came out."""

import time
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from corral.control.desk.jobs.lines import ENDED, conditions_of, job_line, state_of, status_of
from corral.control.desk.jobs.outcome import exit_code_of
from corral.control.desk.naming.finding import Found
from corral.control.desk.patience.list_watch import Subject
from corral.control.desk.patience.until import Waiting, until
from corral.control.desk.session import Session
from corral.errors import PermanentError, RetryError
from corral.kinds.objects import Object
from corral.ports.object_store import Scope
from corral.ports.refusals import NotFoundError

OUR_FAULT: Final = ("infra", "node", "preempted")
"""Classes of failures in which the program of the user has no part."""

IN_WORDS: Final = {
    "succeeded": ("has succeeded", "has not succeeded"),
    "failed": ("has failed", "has not failed"),
    "running": ("is running", "is not running"),
    "finished": ("is finished", "is not finished"),
}
"""That a goal is reached, and that it is not."""

Goal = Literal["succeeded", "failed", "running", "finished"]
"""The words for goals; kubectl's `delete`, `condition=TYPE` and `condition=TYPE=STATUS` are goals as well."""
_CONDITION: Final = "condition="
_PLAIN_WORDS: Final = {"delete": ("is gone", "is not gone")}
Verdict = Literal["reached", "failed", "lost", "otherwise"]


class Waited(NamedTuple):
    """How the waiting ended: the goal was reached, or the job has ended in another way, and why."""

    verdict: Verdict
    why: str = ""
    object: Object | None = None
    """The job as it was seen last, None when it is gone."""


def is_goal(text: str) -> bool:
    """Whether a text says what can be waited for."""
    kind, status = _condition(text)
    return text in IN_WORDS or text in _PLAIN_WORDS or bool(kind and status)


def in_words(goal: str) -> tuple[str, str]:
    """Returns that a goal is reached, and that it is not."""
    if goal.startswith(_CONDITION):
        kind, status = _condition(goal)
        shown = kind if status == "True" else f"{kind}={status}"
        return f"has the condition {shown}", f"has not the condition {shown}"
    return IN_WORDS.get(goal) or _PLAIN_WORDS[goal]


def _condition(goal: str) -> tuple[str, str]:
    """Returns the type and the status of a condition that is waited for."""
    kind, equals, status = goal.removeprefix(_CONDITION).partition("=")
    return (kind if goal.startswith(_CONDITION) else ""), status if equals else "True"


def verdict_on(obj: Object, goal: str) -> Waited | None:
    """Returns whether a job has reached a goal or never will; None as long as it may."""
    if goal == "delete":
        return None
    if goal.startswith(_CONDITION):
        kind, status = _condition(goal)
        held = {(str(one.get("type")).lower(), str(one.get("status")).lower()) for one in conditions_of(obj)}
        if (kind.lower(), status.lower()) in held:
            return Waited("reached")
        return _ended(obj) if state_of(obj) in ENDED else None
    state = state_of(obj)
    if state not in ENDED:
        return Waited("reached") if goal == "running" and state == "Running" else None
    if goal == "finished" or goal == state.lower() or (goal == "running" and state == "Succeeded"):
        return Waited("reached")
    return _ended(obj)


def _ended(obj: Object) -> Waited:
    """Returns how a job has missed its goal by ending."""
    if state_of(obj) == "Succeeded":
        return Waited("otherwise", "it succeeded")
    failures = status_of(obj).get("failures") or []
    told = [str(one.get("message") or "") for one in conditions_of(obj) if one.get("type") == "Failed"]
    is_lost = bool(failures) and failures[-1].get("class") in OUR_FAULT
    return Waited("lost" if is_lost else "failed", " ".join(told))


def wait_for(
    session: Session, job: Found, goal: str, timeout: float | None, *, on_wait: Callable[[str], None]
) -> Waited:
    """Returns when the goal is reached or cannot be reached any more; too late is an error.

    `on_wait` is told every ten seconds what is awaited.
    """
    name, uid, last = job.key.name, job.object["metadata"].get("uid"), job.object

    def seen(found: list[Object]) -> Waited | None:
        nonlocal last
        own = next((one for one in found if one["metadata"].get("uid") == uid), None)
        if own is None and goal == "delete":
            return Waited("reached")
        if own is None:
            raise NotFoundError(f"{name} was deleted while it was waited for")
        last = own
        verdict = verdict_on(own, goal)
        return verdict if verdict is None else verdict._replace(object=own)

    def awaited(is_there: bool) -> str:
        reason = _reason(session, Found(job.resource, last), goal) if is_there else ""
        return f"{name} {in_words(goal)[1]} yet, it is {_shown(job, last)}{reason}"

    def too_late() -> PermanentError:
        message = f"{name} {in_words(goal)[1]} after {timeout:g} s: it is {_shown(job, last)}"
        return PermanentError("wait-timeout", message, hint=f"the job goes on; `corral get {name}` tells more")

    subject = Subject(
        session.store, job.resource, Scope(job.key.namespace, fields=f"metadata.name={name}"), dict[str, Any]
    )
    return until(subject, seen, Waiting(timeout, on_wait, awaited, too_late))


_BY_RUNNING: Final = ("succeeded", "running", "finished")
"""Goals that a job reaches only by running."""


def _reason(session: Session, job: Found, goal: str) -> str:
    """Returns why a job does not run; one that never can on this machine, where no node ever grows, is an error."""
    if goal not in _BY_RUNNING or state_of(job.object) in ("Running", *ENDED):
        return ""
    from corral.control.desk.why.facts import situation_of
    from corral.control.desk.why.judging import reason_for

    try:
        # Told again and again while it waits: what would help is for `corral why`.
        reason = reason_for(situation_of(session, job, time.time())._replace(with_remedies=False))
    except RetryError:
        return ""  # the next look tells whether the server is there
    if reason.code == "too-large" and session.is_embedded:
        hint = f"the job stays; `corral why {job.key.name}` tells more, `corral delete {job.key.name}` ends it"
        raise PermanentError("never-fits", f"{job.key.name} waits in vain: {reason.sentence}", hint=hint)
    return f": {reason.sentence}"


def trainer_exit_code(session: Session, job: Found, waited: Waited) -> int | None:
    """Returns the exit code of the program that decided the end of a job; None when nobody knows it."""
    state = "" if waited.object is None else state_of(waited.object)
    return 0 if state == "Succeeded" else exit_code_of(session, job) if state == "Failed" else None


def _shown(job: Found, obj: Object) -> str:
    line = job_line(Found(job.resource, obj))
    progress = f", {line.progress}" if line.progress else ""
    return f"{line.state} with {line.ready} of {line.total} pods{progress}"

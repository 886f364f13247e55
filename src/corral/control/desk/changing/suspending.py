"""Suspending and resuming: a suspended job keeps its place and gives up its pods."""

from typing import Any, Final

from corral.control.desk.changing.change import change
from corral.control.desk.jobs.lines import ENDED, state_of
from corral.control.desk.naming.finding import Found
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.scheduling.names import MOVES_FOR

_IN_SPEC: Final = ("Job", "CronJob", "Cron")
"""Kinds that say it directly in their spec; training jobs say it in their run policy."""


def set_suspended(session: Session, job: Found, *, suspended: bool) -> bool:
    """Suspends or resumes a job; returns False when it already was so, and by its owner."""
    path = _path(job)

    def decide(obj: Object) -> Object | None:
        if bool(_at(obj, path)) == suspended:
            # The scheduler has suspended it to move it; from now on nobody but its owner resumes it.
            is_on_the_move = suspended and MOVES_FOR in (obj["metadata"].get("annotations") or {})
            return {"metadata": {"annotations": {MOVES_FOR: None}}} if is_on_the_move else None
        if state_of(obj) in ENDED:
            verb = "suspended" if suspended else "resumed"
            hint = f"`corral get {job.key.name}` tells how it ended"
            message = f"{job.key.name} has {state_of(obj).lower()}; it cannot be {verb} any more"
            raise PermanentError("job-ended", message, hint=hint)
        body: Any = suspended
        for step in reversed(path):
            body = {step: body}
        return dict(body)

    return change(session, job, decide) is not None


def _path(job: Found) -> tuple[str, ...]:
    if job.is_training:
        return ("spec", "runPolicy", "suspend")
    if job.resource.kind in _IN_SPEC:
        return ("spec", "suspend")
    raise PermanentError("not-suspendable", f"{job.shown} cannot be suspended: it is no job")


def _at(obj: Object, path: tuple[str, ...]) -> Any:
    found: Any = obj
    for step in path:
        found = (found or {}).get(step)
    return found

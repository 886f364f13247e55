"""Moving the number of workers of an elastic job, inside the bounds that it declares."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from corral.control.desk.changing.change import change
from corral.control.desk.commands import Finished, Wish, run, spot_in
from corral.control.desk.jobs.lines import ENDED, state_of
from corral.control.desk.jobs.members import member_of
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.control.desk.patience.list_watch import Subject
from corral.control.desk.patience.until import Waiting, until
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.objects import Object
from corral.kinds.submission.frameworks.mpi import MAX_WORKERS, MIN_WORKERS
from corral.kinds.well_known import POD
from corral.ports.refusals import ForbiddenError

WORKER = "Worker"


class Bounds(NamedTuple):
    """The fewest and the most workers."""

    least: int
    most: int


class Scaled(NamedTuple):
    """How many workers a job had, and how many it has now."""

    before: int
    after: int


def bounds_of(obj: Object) -> Bounds | None:
    """Returns the bounds of an elastic job, by its policy or by annotations; None when it is not elastic. Pure."""
    policy = (obj.get("spec") or {}).get("elasticPolicy")
    if isinstance(policy, dict):
        least, most = policy.get("minReplicas"), policy.get("maxReplicas")
        workers = _workers(obj)
        return Bounds(_first(least, most, workers), _first(most, least, workers))
    told: Mapping[str, Any] = obj["metadata"].get("annotations") or {}
    least_text, most_text = str(told.get(MIN_WORKERS, "")), str(told.get(MAX_WORKERS, ""))
    if least_text.isdecimal() and most_text.isdecimal():
        return Bounds(int(least_text), int(most_text))
    return None


def _first(*found: int | None) -> int:
    return next(one for one in found if one is not None)


def refuse_scaling(job: Found, wanted: Callable[[int], int]) -> None:
    """Raises when a job, as it was seen, may not have so many workers; for whoever does something before it scales."""
    before = _workers(job.object)
    _refuse(job, job.object, Scaled(before, wanted(before)))


def scale(session: Session, job: Found, wanted: Callable[[int], int]) -> Scaled:
    """Gives a job as many workers as `wanted` makes of their present number; outside of its bounds is an error."""
    seen = Scaled(0, 0)

    def decide(obj: Object) -> Object | None:
        nonlocal seen
        before = _workers(obj)
        seen = Scaled(before, wanted(before))
        _refuse(job, obj, seen)
        if seen.before == seen.after:
            return None
        return {"spec": {_field(obj): {WORKER: {"replicas": seen.after}}}}

    change(session, job, decide)
    return seen


def _refuse(job: Found, obj: Object, asked: Scaled) -> None:
    name, bounds = job.key.name, bounds_of(obj)
    if bounds is None or not job.is_training:
        hint = f"an elastic job has spec.elasticPolicy, or the annotations {MIN_WORKERS} and {MAX_WORKERS}"
        raise PermanentError("not-elastic", f"{name} is not elastic: its workers stay as many as they are", hint=hint)
    if state_of(obj) in ENDED:
        raise PermanentError("job-ended", f"{name} has {state_of(obj).lower()}; it cannot be scaled any more")
    if not bounds.least <= asked.after <= bounds.most:
        message = f"{name} has {asked.before} workers, and {asked.after} is outside of {bounds.least} to {bounds.most}"
        raise PermanentError("out-of-bounds", message)


def _field(obj: Object) -> str:
    return next((name for name in obj.get("spec") or {} if name.endswith("ReplicaSpecs")), "")


def _workers(obj: Object) -> int:
    role = ((obj.get("spec") or {}).get(_field(obj)) or {}).get(WORKER) or {}
    return 1 if role.get("replicas") is None and role else int(role.get("replicas") or 0)


def wait_for_workers(
    session: Session, job: Found, count: int, timeout: float | None, *, on_wait: Callable[[str], None]
) -> None:
    """Returns when exactly so many workers run; too late is an error. Who may not see pods is told so, and not kept waiting."""
    name, ready, total = job.key.name, 0, 0

    def seen(pods: list[JobPod]) -> bool | None:
        nonlocal ready, total
        workers = [pod for pod in pods if member_of(pod).role.lower() == WORKER.lower()]
        ready, total = sum(pod.is_ready and not pod.is_terminating for pod in workers), len(workers)
        return True if ready == count == total else None

    def too_late() -> PermanentError:
        message = f"{name} has {ready} running workers instead of {count} after {timeout:g} s"
        return PermanentError("wait-timeout", message, hint=f"the job goes on; `corral get {name}` tells more")

    def awaited(_: bool) -> str:
        return f"{name} has {ready} of {count} workers running, {total} in all"

    try:
        until(Subject(session.store, POD, job.pods, JobPod), seen, Waiting(timeout, on_wait, awaited, too_late))
    except ForbiddenError:
        on_wait("note: not waited for the workers, since you may not list pods")


def run_script(session: Session, job: Found, script: str, variables: Mapping[str, str], retries: int) -> Finished:
    """Runs a script of the user's in the pod that leads, again as often as it may fail, and returns the last end."""
    spot = spot_in(session, job, Wish(job.key.name))
    words = ("env", *(f"{name}={value}" for name, value in variables.items()), "sh", "-c", script)
    for _ in range(retries):
        ended = run(session, spot.command(*words))
        if ended.exit_code == 0:
            return ended
    return run(session, spot.command(*words))

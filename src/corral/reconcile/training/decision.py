"""What a training job needs next: the entry for every kind.

Left alone is what is being deleted, and what another controller looks after. What is not valid is refused once and waits to
be changed. The rest lives by the rules of its dialect: `life` for all kinds, `mpi_v2` for MPIJobs over ssh.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from corral.kinds.objects import Object, is_deleting
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.mpi import MPI_JOB_V2, MPI_OPERATOR
from corral.kinds.training.reading import UnreadableJobError, read_job
from corral.kinds.training.run_policy import TRAINING_OPERATOR
from corral.kinds.training.validation import errors_of
from corral.reconcile.plan import NOTHING_TO_DO, EmitEvent, Plan, SetStatus
from corral.reconcile.training.conditions import INVALID, Saying, is_finished, said
from corral.reconcile.training.life import decide_life
from corral.reconcile.training.mpi_v2.decision import decide as decide_mpi_v2
from corral.reconcile.training.reporting import begun
from corral.reconcile.training.told_before import UnreadableStatusError, status_of
from corral.reconcile.training.world import World

Examined = tuple[TrainingJob | None, list[str]]
"""A job as it was read, unless that was impossible, and everything that is wrong with it."""

_EVENT_LENGTH = 1024


def examined(obj: Object) -> Examined:
    """Returns the job, and everything that is wrong with it."""
    try:
        job = read_job(obj)
    except UnreadableJobError as error:
        return None, [str(error)]
    if job.facts is MPI_JOB_V2:
        return job, []  # that dialect tells it in its own words
    status = status_of(obj)
    if status.start_time is not None or is_finished(status.conditions):
        return job, []  # what was let in goes on: an autoscaler may bring it where no one could begin
    return job, [str(error) for error in errors_of(obj)]


def decide(world: World, now: float, examine: Callable[[Object], Examined] = examined) -> Plan:
    """Returns what to do for one job; an empty plan says that everything is as it should be.

    `examine` may remember what it found, since it depends on the job alone.
    """
    if is_deleting(world.job) or is_managed_elsewhere(world.job):
        return NOTHING_TO_DO
    try:
        job, problems = examine(world.job)
    except UnreadableStatusError as error:
        return Plan.of(_unreadable(world.job, error))
    if job is None or problems:
        return _refused(world.job, "; ".join(problems), now)
    if job.facts is MPI_JOB_V2:
        return decide_mpi_v2(world, job, now)
    return decide_life(world, job, now)


def is_managed_elsewhere(obj: Object) -> bool:
    """Whether the job says that another controller looks after it."""
    policy = (obj.get("spec") or {}).get("runPolicy") or {}
    ours = MPI_OPERATOR if facts_of(obj) is MPI_JOB_V2 else TRAINING_OPERATOR
    return (policy.get("managedBy") or ours) != ours


def _refused(obj: Object, problems: str, now: float) -> Plan:
    """Returns what tells of a job that cannot be run; it is looked at again when somebody changes it."""
    facts, name = facts_of(obj), obj["metadata"]["name"]
    reason = "ValidationError" if facts is MPI_JOB_V2 else f"{facts.kind}FailedValidation"
    message = f"{facts.kind} failed validation because {problems}" if facts is not MPI_JOB_V2 else problems
    old = status_of(obj)
    if is_finished(old.conditions):
        return NOTHING_TO_DO
    status = begun(facts.kind, name, old, now)
    is_told = any(one.type == INVALID and one.message == message for one in status.conditions)
    if is_told or is_finished(old.conditions):
        return NOTHING_TO_DO
    rest = [one for one in status.conditions if one.type != INVALID]
    status = replace(status, conditions=said(rest, Saying(INVALID, reason, message), now))
    event = EmitEvent(facts.resource, obj, reason, message[:_EVENT_LENGTH], "Warning")
    return Plan.of(SetStatus(facts.resource, obj, msgspec.to_builtins(status), (event,)))


def _unreadable(obj: Object, error: UnreadableStatusError) -> EmitEvent:
    """Returns what is said about a job of which nobody can tell whether it has ended; it is left alone."""
    facts = facts_of(obj)
    message = f"The conditions of this {facts.kind} cannot be read, so nothing is done about it: {error}"
    return EmitEvent(facts.resource, obj, f"{facts.kind}FailedValidation", message, "Warning", repeats=False)

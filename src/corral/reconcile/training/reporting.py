"""Status as it is written: begun once, changed only when there is something to tell."""

import msgspec
from msgspec.structs import replace

from corral.kinds.objects import Object
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.status import JobStatus
from corral.reconcile.plan import SetStatus
from corral.reconcile.training.conditions import CREATED, INVALID, Saying, find, said, without
from corral.reconcile.training.outcome import Outcome
from corral.reconcile.training.sight import Sight


def begun(kind: str, name: str, status: JobStatus, now: float) -> JobStatus:
    """Returns the status with the mark of having been seen; it comes first, whatever else is told."""
    if find(status.conditions, CREATED) is not None:
        return status
    saying = Saying(CREATED, f"{kind}Created", f"{kind} {name} is created.")
    return replace(status, conditions=[*said([], saying, now), *status.conditions])


def accepted(job: TrainingJob, status: JobStatus, now: float) -> JobStatus:
    """Returns the status of a job that is valid, also if it was not before."""
    status = begun(job.kind, job.name, status, now)
    return replace(status, conditions=without(status.conditions, INVALID))


def written(sight: Sight, outcome: Outcome) -> list[SetStatus]:
    """Returns the write of a status that differs from the last one, or nothing."""
    if outcome.status == sight.status and "status" in sight.job.object:
        return []
    body: Object = msgspec.to_builtins(outcome.status)
    return [SetStatus(sight.job.facts.resource, sight.job.object, body, tuple(outcome.events))]

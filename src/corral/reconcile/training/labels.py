"""The labels and annotations by which everybody finds the pods of a job."""

from corral.kinds.training import label_names
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.run_policy import RESTART_SCOPE
from corral.reconcile.frameworks.framework import Framework

PREFIX, OPERATOR_NAME, JOB_NAME = label_names.PREFIX, label_names.OPERATOR_NAME, label_names.JOB_NAME
REPLICA_TYPE, REPLICA_INDEX, JOB_ROLE = label_names.REPLICA_TYPE, label_names.REPLICA_INDEX, label_names.JOB_ROLE

ATTEMPT = "corral.dev/attempt"
"""On pods: which attempt of the whole gang they belong to."""


def job_labels(job: TrainingJob) -> dict[str, str]:
    """Returns the labels of everything that belongs to a job."""
    return {OPERATOR_NAME: job.facts.controller_name, JOB_NAME: job.name}


def role_labels(job: TrainingJob, role: str) -> dict[str, str]:
    """Returns the labels of everything of one role."""
    return {**job_labels(job), REPLICA_TYPE: role.lower()}


def place_labels(job: TrainingJob, place: Place) -> dict[str, str]:
    """Returns the labels that select exactly one pod."""
    return {**role_labels(job, place.role), REPLICA_INDEX: str(place.index)}


def pod_labels(framework: Framework, job: TrainingJob, place: Place) -> dict[str, str]:
    """Returns the labels of one pod."""
    labels = place_labels(job, place) if framework.indexes(place) else role_labels(job, place.role)
    return {**labels, JOB_ROLE: "master"} if framework.is_master(job, place) else labels


def selector_text(job: TrainingJob, role: str) -> str:
    """Returns the selector of a role as one string, as the scale subresource needs it."""
    return ",".join(f"{name}={value}" for name, value in sorted(role_labels(job, role).items()))


def restarts_as_gang(job: TrainingJob) -> bool:
    """Whether one failed pod makes all of them start again."""
    return job.annotations.get(RESTART_SCOPE) == "gang"


def has_attempts(job: TrainingJob) -> bool:
    """Whether pods must tell the attempt they belong to, because all of them may have to go together."""
    progress = job.run_policy.progress
    return restarts_as_gang(job) or (progress is not None and progress.hang is not None)

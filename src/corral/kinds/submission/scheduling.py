"""Where pods go and with whom: gangs, queues, affinity, tolerations."""

from typing import Any, Final

import msgspec

from corral.kinds.objects import Object
from corral.kinds.scheduling.names import (
    CHECKPOINTS,
    COSCHEDULING_GROUP,
    COSCHEDULING_MINIMUM,
    PREEMPTIBLE,
    QUEUE,
    RUN_TIME,
)
from corral.kinds.submission.job_type import JobType, Role
from corral.kinds.submission.submission import Submission
from corral.kinds.training.label_names import JOB_NAME, REPLICA_INDEX, REPLICA_TYPE

GANG_NAME, GANG_SIZE = COSCHEDULING_GROUP, COSCHEDULING_MINIMUM
SUSPENDED: Final = "scheduling.x-k8s.io/suspend"
"""The annotation by which kube-queue takes a job."""
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
OUR_SCHEDULER: Final = "corral-scheduler"
"""By this name the operator knows that gangs are told in our own words, too."""
_HOST: Final = "kubernetes.io/hostname"


def gang_labels(submission: Submission, job_type: JobType) -> dict[str, str]:
    """Returns the labels of coscheduling, which count the pods that train."""
    if not submission.gang:
        return {}
    size = sum(role.count for role in job_type.roles(submission) if role.trains)
    return {GANG_NAME: gang_name(job_type.word, submission.name), GANG_SIZE: str(size)}


def gang_name(word: str, name: str) -> str:
    """Returns what coscheduling calls the gang of a job."""
    return f"{word}-{name}"


def queue_labels(submission: Submission) -> dict[str, str]:
    """Returns the label by which a job and its pods name their queue."""
    return {QUEUE: submission.named_queue} if submission.named_queue else {}


def told_annotations(submission: Submission) -> dict[str, str]:
    """Returns what a scheduler is told of a job and each of its pods."""
    told = {
        RUN_TIME: f"{submission.run_time}s" if submission.run_time else "",
        CHECKPOINTS: "true" if submission.checkpoints else "",
        PREEMPTIBLE: "false" if submission.stays else "",
    }
    return {name: value for name, value in told.items() if value}


def _scheduler(submission: Submission) -> str:
    """Returns who places the pods: a queue means something to our own scheduler only."""
    return submission.scheduler or (OUR_SCHEDULER if submission.named_queue else "")


def scheduling_policy(submission: Submission, job_type: JobType) -> Object:
    """Returns what a gang scheduler is told: all pods of the job at once."""
    if not submission.gang:
        return {}
    size = sum(role.count for role in job_type.roles(submission))
    return {"minAvailable": size, **({"priorityClass": submission.priority} if submission.priority else {})}


def placing(submission: Submission, role: Role) -> Object:
    """Returns the fields of a pod that say where it may go."""
    selector = role.wishes.selector or submission.selector
    fields = {
        "nodeSelector": dict(selector),
        "affinity": _affinity(submission, role),
        "tolerations": [msgspec.to_builtins(one) for one in submission.tolerations],
        "priorityClassName": submission.priority,
        "schedulerName": _scheduler(submission),
    }
    return {name: value for name, value in fields.items() if value}


def _affinity(submission: Submission, role: Role) -> Object:
    wishes = role.wishes
    if wishes.affinity == "none":
        return {}
    kind = "podAntiAffinity" if wishes.affinity == "spread" else "podAffinity"
    labels = {JOB_NAME: submission.name, REPLICA_TYPE: role.name.lower()}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": _HOST}
    if wishes.affinity_constraint == "required":
        return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}}


def beside(submission: Submission, role: str) -> dict[str, Any]:
    """Returns the affinity of a pod that must be on the node of the first pod of a role."""
    labels = {JOB_NAME: submission.name, REPLICA_TYPE: role.lower(), REPLICA_INDEX: "0"}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": _HOST}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}

"""MXJobs: a scheduler, servers of the key-value store, and workers; only workers have GPUs."""

from corral.kinds.submission.job_type import JobType, Role, resources_of
from corral.kinds.submission.submission import Submission
from corral.kinds.training.mxnet import MX_JOB


def _roles(submission: Submission) -> list[Role]:
    wishes = resources_of(submission)
    return [
        Role(name="Worker", count=submission.workers, wishes=wishes, gpus=submission.gpus),
        Role(name="Server", count=submission.servers, wishes=wishes, takes_devices=False),
        Role(name="Scheduler", count=1, takes_devices=False),
    ]


JOB_TYPES = {
    "mxjob": JobType(
        word="mxjob",
        facts=MX_JOB,
        roles=_roles,
        rank_zero=lambda _: "Worker",
        spec=lambda _: {"jobMode": "MXTrain"},
    )
}

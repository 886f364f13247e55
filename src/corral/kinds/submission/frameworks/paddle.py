"""PaddleJobs: workers that train collectively."""

from corral.kinds.submission.frameworks.led import equal_roles
from corral.kinds.submission.job_type import JobType
from corral.kinds.training.paddle import PADDLE_JOB

JOB_TYPES = {"paddlejob": JobType(word="paddlejob", facts=PADDLE_JOB, roles=equal_roles, rank_zero=lambda _: "Worker")}

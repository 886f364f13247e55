"""JAXJobs: workers alone."""

from corral.kinds.submission.frameworks.led import equal_roles
from corral.kinds.submission.job_type import JobType
from corral.kinds.training.jax import JAX_JOB

JOB_TYPES = {"jaxjob": JobType(word="jaxjob", facts=JAX_JOB, roles=equal_roles, rank_zero=lambda _: "Worker")}

"""XGBoostJobs: a master that tracks and trains, and the other workers."""

from corral.kinds.submission.frameworks.led import led_roles
from corral.kinds.submission.job_type import JobType
from corral.kinds.training.xgboost import XGBOOST_JOB

JOB_TYPES = {"xgboostjob": JobType(word="xgboostjob", facts=XGBOOST_JOB, roles=led_roles, rank_zero=lambda _: "Master")}

"""PyTorchJobs: `--workers N` are a master and N-1 workers."""

from corral.kinds.submission.frameworks.led import led_roles
from corral.kinds.submission.job_type import JobType
from corral.kinds.submission.submission import Submission
from corral.kinds.training.pytorch import PYTORCH_JOB


def _env(submission: Submission) -> dict[str, str]:
    told = {"PET_NPROC_PER_NODE": submission.nproc_per_node} if submission.nproc_per_node else {}
    return told | ({"MASTER_ADDR": f"{submission.name}-master-0"} if submission.rdma else {})


JOB_TYPES = {
    "pytorchjob": JobType(
        word="pytorchjob",
        facts=PYTORCH_JOB,
        roles=led_roles,
        rank_zero=lambda _: "Master",
        env=_env,
        share_memory="2Gi",
    )
}

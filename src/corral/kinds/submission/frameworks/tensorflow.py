"""TFJobs: parameter servers, workers, a chief, an evaluator, each with flags of its own."""

from typing import Any

from msgspec.structs import replace

from corral.kinds.submission.job_type import JobType, Role
from corral.kinds.submission.submission import RoleWishes, Submission
from corral.kinds.training.tensorflow import TF_JOB


def is_alone(submission: Submission) -> bool:
    """Whether one process does everything: it is a chief then, which needs to know of nobody."""
    return submission.workers == 1 and submission.ps_count == 0


def _roles(submission: Submission) -> list[Role]:
    one = submission
    alone = is_alone(one)
    chief = _filled(one.chief, one.worker) if alone else one.chief
    roles = [
        _role(one, "Chief", 1 if one.has_chief or alone else 0, chief, one.gpus),
        _role(one, "Worker", 0 if alone else one.workers, one.worker, one.gpus),
        _role(one, "PS", one.ps_count, one.ps, one.ps.gpus),
        _role(one, "Evaluator", 1 if one.has_evaluator else 0, one.evaluator, one.gpus),
    ]
    return [role for role in roles if role.count]


def _role(submission: Submission, name: str, count: int, wishes: RoleWishes, gpus: int) -> Role:
    # An image for workers is also that of those who do the same work.
    image = wishes.image or (submission.worker.image if name in ("Chief", "Evaluator") else "")
    return Role(
        name=name,
        count=count,
        wishes=replace(wishes, image=image),
        gpus=gpus,
        takes_devices=name != "PS",
        ports=((TF_JOB.port_name, wishes.port),) if wishes.port else (),
    )


def _filled(wishes: RoleWishes, otherwise: RoleWishes) -> RoleWishes:
    """Returns wishes, each that was not said taken from others: what was said of the only worker holds for the chief."""
    unsaid = RoleWishes()
    said = {
        name: value for name in wishes.__struct_fields__ if (value := getattr(wishes, name)) != getattr(unsaid, name)
    }
    return replace(otherwise, **said)


def _rank_zero(submission: Submission) -> str:
    return "Chief" if submission.has_chief or is_alone(submission) else "Worker"


def _spec(submission: Submission) -> dict[str, Any]:
    return {"successPolicy": submission.success_policy} if submission.success_policy else {}


JOB_TYPES = {
    "tfjob": JobType(
        word="tfjob",
        facts=TF_JOB,
        roles=_roles,
        rank_zero=_rank_zero,
        spec=_spec,
        share_memory="2Gi",
        fewest_workers=lambda submission: 0 if submission.has_chief else 1,
    )
}

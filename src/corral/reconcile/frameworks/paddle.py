"""Paddle: all meet at the first worker, or at the first master when there are parameter servers."""

from collections.abc import Sequence

from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.paddle import PADDLE_JOB
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.framework import Framework, Variable, variable
from corral.reconcile.frameworks.rules import all_succeeded, any_active, labels_leader

OWN_ADDRESS = "POD_IP_DUMMY"


def environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns the variables of one pod; the meeting place knows itself by its own address, as a name may not be up yet."""
    root = Place("Master" if job.count("Master") else "Worker", 0)
    meeting = addressing.near(job.child_name(root.role, root.index), job.port(root.role))
    found = [
        variable("PYTHONUNBUFFERED", 1),
        variable("PADDLE_JOB_ID", job.name),
        variable("PADDLE_NNODES", job.total),
    ]
    if place == root:
        found.append({"name": OWN_ADDRESS, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
        found.append(variable("PADDLE_MASTER", f"$({OWN_ADDRESS}):{meeting.port}"))
    else:
        found.append(variable("PADDLE_MASTER", meeting))
    if root.role == "Master":
        found.append(variable("PADDLE_SERVER_NUM" if place.role == "Master" else "PADDLE_TRAINER_NUM", 1))
    return found


PADDLE = Framework(
    facts=PADDLE_JOB,
    environment=environment,
    is_master=labels_leader("Master"),
    is_running=any_active("Master", "Worker"),
    has_succeeded=all_succeeded("Master", "Worker"),
    speaks_in_full=lambda job: not job.count("Master"),
)

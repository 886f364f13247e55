"""An address where nobody answers is worse than none: what is wrong with a TensorBoard stands beside it."""

from corral.control.desk.jobs.pods import JobPod, JobPodStatus
from corral.control.desk.jobs.tensorboards import trouble_of
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import ContainerState, ContainerStatus, PodCondition, Waiting


def board(*, ready: bool, reason: str = "") -> JobPod:
    state = ContainerState(waiting=Waiting(reason=reason)) if reason else ContainerState()
    conditions = [PodCondition(type="Ready", status="True" if ready else "False")]
    status = JobPodStatus(
        phase="Running", conditions=conditions, container_statuses=[ContainerStatus(name="tensorboard", state=state)]
    )
    return JobPod(metadata=Metadata(name="digits-tensorboard-x"), status=status)


def test_a_board_that_crashes_is_named_with_its_reason_and_its_log() -> None:
    told = trouble_of([board(ready=False, reason="CrashLoopBackOff")])
    assert told == "it does not run: CrashLoopBackOff; `corral logs digits-tensorboard-x` tells more"


def test_a_board_that_answers_and_one_that_cannot_be_seen_have_no_trouble() -> None:
    assert trouble_of([board(ready=False, reason="CrashLoopBackOff"), board(ready=True)]) == ""
    assert trouble_of([]) == ""

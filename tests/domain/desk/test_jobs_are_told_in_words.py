"""What a table and a story say about a job."""

from typing import Any

import pytest

from corral.control.desk.jobs.lines import job_line, progress_text, state_of, total_of
from corral.control.desk.jobs.pods import JobPod, JobPodStatus
from corral.control.desk.jobs.story import story_of
from corral.control.desk.naming.finding import Found
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import ContainerState, ContainerStatus, Terminated, Waiting
from corral.kinds.references import ApiResource

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
BEGAN, ENDED = "2027-01-15T08:00:00Z", "2027-01-15T08:02:03Z"


def job(*conditions: tuple[str, str], **status: Any) -> Found:
    told = [
        {"type": kind, "status": holds, "message": f"{kind}!", "lastTransitionTime": BEGAN}
        for kind, holds in conditions
    ]
    metadata = {"name": "digits", "namespace": "team", "uid": "u", "creationTimestamp": BEGAN}
    spec = {"pytorchReplicaSpecs": {"Master": {}, "Worker": {"replicas": 3}}}
    return Found(PYTORCH, {"metadata": metadata, "spec": spec, "status": {"conditions": told, **status}})


def pod(
    role: str, index: int, *, phase: str = "Running", state: ContainerState | None = None, restarts: int = 0
) -> JobPod:
    labels = {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": str(index)}
    held = ContainerStatus(name="pytorch", restart_count=restarts, state=state or ContainerState())
    return JobPod(
        metadata=Metadata(name=f"digits-{role}-{index}", namespace="team", uid=f"{role}-{index}", labels=labels),
        status=JobPodStatus(phase=phase, container_statuses=[held]),
    )


@pytest.mark.parametrize(
    ("conditions", "want"),
    [
        ([], "Pending"),
        ([("Created", "True")], "Created"),
        ([("Created", "True"), ("Running", "True")], "Running"),
        ([("Created", "True"), ("Restarting", "True")], "Restarting"),
        ([("Created", "True"), ("Running", "False"), ("Succeeded", "True")], "Succeeded"),
        ([("Created", "True"), ("Failed", "True"), ("Running", "False")], "Failed"),
        ([("SuccessCriteriaMet", "True"), ("Complete", "True")], "Succeeded"),
        ([("FailureTarget", "True")], "Pending"),
        ([("FailureTarget", "True"), ("Failed", "True")], "Failed"),
    ],
)
def test_the_state_is_the_last_condition_that_holds(conditions: list[tuple[str, str]], want: str) -> None:
    assert state_of(job(*conditions).object) == want


def test_a_job_that_goes_is_deleting_unless_it_has_ended() -> None:
    going = job(("Running", "True"))
    going.object["metadata"]["deletionTimestamp"] = ENDED
    assert state_of(going.object) == "Deleting"
    ended = job(("Succeeded", "True"))
    ended.object["metadata"]["deletionTimestamp"] = ENDED
    assert state_of(ended.object) == "Succeeded"


def test_a_role_without_a_number_counts_as_one_pod() -> None:
    assert total_of(job().object) == 4
    assert total_of({"spec": {"parallelism": 2}}) == 2


def test_a_line_counts_ready_pods_and_all_restarts() -> None:
    ready = pod("master", 0, restarts=2)
    ready.status.conditions = []
    line = job_line(job(("Running", "True"), restarts=1, startTime=BEGAN), [ready, pod("worker", 0, phase="Succeeded")])
    assert (line.state, line.ready, line.total, line.restarts) == ("Running", 1, 4, 3)
    assert line.duration(line.started + 9.0 if line.started else 0.0) == 9.0


def test_a_job_that_has_ended_counts_what_is_done_however_late_its_status_is() -> None:
    ended, left = pod("worker", 0, phase="Succeeded"), pod("worker", 1, phase="Running")
    late = {"Worker": {"active": 1, "succeeded": 0}}
    assert job_line(job(("Succeeded", "True"), replicaStatuses=late), [ended, left]).ready == 1
    assert job_line(job(("Failed", "True"), replicaStatuses=late)).ready == 0
    assert job_line(job(("Succeeded", "True"), replicaStatuses={"Worker": {"succeeded": 2}})).ready == 2


def test_a_finished_job_takes_no_more_time() -> None:
    told = {"startTime": BEGAN, "completionTime": ENDED, "replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {}}}
    line = job_line(job(("Succeeded", "True"), **told))
    assert (line.ready, line.duration(9e9)) == (1, 123.0)


def test_a_plain_job_that_failed_ended_when_it_said_so() -> None:
    line = job_line(job(("Failed", "True"), startTime="2027-01-15T07:59:50Z"))
    assert line.duration(9e9) == 10.0


def test_progress_is_as_much_as_was_told() -> None:
    assert progress_text({"step": 120, "total": 1000, "percent": 12.0}) == "12% 120/1000"
    assert progress_text({"step": 120}) == "step 120"
    assert progress_text({}) == ""


def test_a_story_tells_ranks_exit_codes_and_classes() -> None:
    end = ContainerState(terminated=Terminated(exit_code=137, reason="OOMKilled", message="a\nout of memory\n"))
    failed = pod("worker", 1, phase="Failed", state=end)
    waiting = pod("worker", 0, phase="Pending", state=ContainerState(waiting=Waiting(reason="ContainerCreating")))
    told = {"failures": [{"class": "oom", "podUid": "worker-1", "pod": "digits-worker-1"}]}
    story = story_of(job(("Created", "True"), ("Running", "True"), **told), [failed, waiting, pod("master", 0)], [])
    lines = {line.place: line for line in story.pods}
    assert [(place, line.rank) for place, line in lines.items()] == [("master-0", 0), ("worker-0", 1), ("worker-1", 2)]
    assert (lines["worker-1"].exit_code, lines["worker-1"].why) == (137, "oom: OOMKilled: out of memory")
    assert lines["worker-0"].why == "ContainerCreating"
    assert [moment.what for moment in story.moments] == ["Created", "Running"]


def test_a_worker_does_not_become_the_chief_when_the_master_is_gone() -> None:
    left = story_of(job(("Created", "True")), [pod("worker", 0), pod("worker", 2)], []).pods
    assert [(one.place, one.rank, one.is_chief) for one in left] == [("worker-0", 1, False), ("worker-2", 3, False)]


def test_a_story_of_an_ended_job_leaves_out_that_it_runs_no_more() -> None:
    story = story_of(job(("Created", "True"), ("Running", "False"), ("Failed", "True")), [], [])
    assert [moment.what for moment in story.moments] == ["Created", "Failed"]


def test_events_that_come_with_every_pod_are_left_out() -> None:
    about: dict[str, Any] = {
        "metadata": {"creationTimestamp": BEGAN},
        "involvedObject": {"kind": "PyTorchJob", "name": "digits"},
    }
    events = [
        {**about, "reason": "SuccessfulCreatePod", "message": "Created pod: x"},
        {**about, "reason": "PyTorchJobRestarting", "message": "again", "type": "Warning", "count": 3},
        {
            **about,
            "involvedObject": {"kind": "Pod", "name": "digits-worker-0"},
            "reason": "Unhealthy",
            "message": "bad",
            "type": "Warning",
        },
    ]
    told = story_of(job(), [], events).events
    assert [(one.about, one.message, one.times) for one in told] == [
        ("pytorchjob/digits", "again", 3),
        ("pod/digits-worker-0", "bad", 1),
    ]


def test_where_the_output_is_comes_from_an_annotation() -> None:
    found = job()
    found.object["metadata"]["annotations"] = {"corral.dev/output": "models/digits.npz"}
    assert story_of(found, [], []).outputs == ["models/digits.npz"]

"""The words and figures that `corral list` has in common with Arena: status, trainer, chief, GPUs."""

from typing import Any

import pytest

from corral.control.desk.jobs.lines import job_line, state_of
from corral.control.desk.jobs.members import chief_among
from corral.control.desk.jobs.pod_states import pod_state
from corral.control.desk.jobs.pods import JobContainer, JobPod, JobPodSpec, JobPodStatus, Resources
from corral.control.desk.jobs.status_words import status_word
from corral.control.desk.naming.finding import Found
from corral.control.desk.naming.kinds import TRAINING_KINDS, known_word, versions_of
from corral.control.desk.naming.trainers import TRAINER, TRAINERS, trainer_named, trainer_of
from corral.kinds.gpus import gpus_in, gpus_of
from corral.kinds.objects import Metadata
from corral.kinds.pod_view import ContainerState, ContainerStatus, PodCondition, Running, Terminated, Waiting
from corral.kinds.references import ApiResource

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
TIME = "2027-01-15T08:00:00Z"


def job(*held: str, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    conditions = [{"type": one, "status": "True", "lastTransitionTime": TIME} for one in held]
    return {
        "metadata": {"name": "digits", "creationTimestamp": TIME, **(metadata or {})},
        "spec": spec,
        "status": {"conditions": conditions},
    }


def pod(role: str, index: int = 0, phase: str = "Running", **more: Any) -> JobPod:
    labels = {"training.kubeflow.org/replica-type": role, "training.kubeflow.org/replica-index": str(index)}
    return JobPod(
        metadata=Metadata(name=f"digits-{role}-{index}", labels=labels, creation_timestamp=TIME),
        spec=JobPodSpec(containers=[JobContainer(resources=Resources(limits={"nvidia.com/gpu": "2"}))]),
        status=JobPodStatus(phase=phase, **more),
    )


SUSPENDED = {"runPolicy": {"suspend": True}}
KUEUE = {"labels": {"kueue.x-k8s.io/queue-name": "team"}}
HELD = {"annotations": {"scheduling.x-k8s.io/suspend": "true"}}


@pytest.mark.parametrize(
    ("obj", "pods", "word"),
    [
        (job(), [], "PENDING"),
        (job("Created"), [pod("worker", phase="Pending")], "PENDING"),
        (job("Created", "Running"), [pod("worker")], "RUNNING"),
        (job("Created", "Running"), [pod("master"), pod("worker", phase="Pending")], "PENDING"),
        (job("Created", "Running"), [], "RUNNING"),
        (job("Created", "Restarting"), [], "PENDING"),
        (job("Created", "Restarting"), [pod("worker")], "RUNNING"),
        (job("Created", "Running", "Succeeded"), [pod("ps", phase="Pending")], "SUCCEEDED"),
        (job("Created", "Failed"), [], "FAILED"),
        (job("Created", "Suspended", **SUSPENDED), [], "SUSPENDED"),
        (job("Created", "Suspended", metadata=KUEUE, **SUSPENDED), [], "QUEUING"),
        (job("Created", metadata=HELD), [], "QUEUING"),
        (job("Created", "Running", metadata=HELD), [pod("worker")], "RUNNING"),
        ({"metadata": {}, "status": {"launcherStatus": "Active"}}, [], "RUNNING"),
        ({"metadata": {}, "status": {"launcherStatus": "Failed"}}, [], "FAILED"),
        ({"metadata": {}, "status": {"active": 1}}, [pod("", phase="Running")], "RUNNING"),
        ({"metadata": {}, "status": {"active": 1}}, [pod("", phase="Pending")], "PENDING"),
    ],
)
def test_the_status_is_one_of_the_words_that_scripts_know(obj: dict[str, Any], pods: list[JobPod], word: str) -> None:
    assert status_word(obj, state_of(obj), pods) == word


@pytest.mark.parametrize(
    ("pods", "chief"),
    [
        ([pod("worker"), pod("master")], "master"),
        ([pod("ps"), pod("worker", 1), pod("worker")], "worker"),
        ([pod("worker"), pod("launcher")], "launcher"),
        ([pod("evaluator"), pod("chief"), pod("worker")], "chief"),
        ([pod("Worker")], "Worker"),
        ([pod("ps"), pod("worker", 1)], None),
        ([], None),
    ],
)
def test_the_chief_leads_or_is_the_first_worker(pods: list[JobPod], chief: str | None) -> None:
    found = chief_among(pods)
    assert (found and found.metadata.labels["training.kubeflow.org/replica-type"]) == chief


def test_gpus_are_counted_whoever_makes_them() -> None:
    assert gpus_in({"nvidia.com/gpu": "2", "cpu": 8, "aliyun.com/gpu-mem": 16}) == 2
    assert gpus_in({"amd.com/gpu": 1, "nvidia.com/mig-1g.5gb": "3", "huawei.com/Ascend910": "4"}) == 8
    assert gpus_in({"nvidia.com/gpu": "1k", "aliyun.com/gpu": "x"}) == 1000
    assert (
        gpus_of([{"resources": {"requests": {"nvidia.com/gpu": 1}}}, {"resources": {"limits": {"amd.com/gpu": 2}}}, {}])
        == 3
    )
    assert gpus_in(None) == 0


def test_a_line_has_the_gpus_asked_for_and_those_of_running_pods() -> None:
    template = {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 2}}}], "priorityClassName": "high"}}
    obj = job(
        "Running",
        pytorchReplicaSpecs={"Master": {"template": template}, "Worker": {"replicas": 3, "template": template}},
    )
    line = job_line(Found(PYTORCH, obj), [pod("master", host_ip="10.0.0.7"), pod("worker", phase="Pending")])
    assert (line.gpus_requested, line.gpus_allocated) == (8, 2)
    assert (line.status, line.trainer, line.chief_address, line.priority) == (
        "PENDING",
        "pytorchjob",
        "10.0.0.7",
        "high",
    )


def test_a_trainer_goes_by_many_names_and_each_kind_has_one() -> None:
    assert {one.kind for one in TRAINERS} == set(TRAINING_KINDS)
    assert [trainer_named(word).name for word in ("tf", "TFJob", "et", "mpi", "hj")] == [  # type: ignore[union-attr]
        "tfjob",
        "tfjob",
        "etjob",
        "mpijob",
        "horovodjob",
    ]
    assert trainer_named("sparkjob") is None
    assert trainer_of("MPIJob", job()) == "mpijob"
    assert trainer_of("MPIJob", job(metadata={"annotations": {TRAINER: "etjob"}})) == "etjob"
    assert trainer_of("TFJob", job(metadata={"annotations": {TRAINER: "etjob"}})) == "tfjob"
    assert trainer_of("Job", job()) == "job"


def test_a_kind_is_known_without_asking_a_server() -> None:
    assert known_word("po") == known_word("Pods")
    assert known_word("pytorchjob") == PYTORCH
    assert known_word("digits") is None
    assert [one.version for one in versions_of(PYTORCH)] == ["v1"]
    assert [one.version for one in versions_of(PYTORCH._replace(kind="MPIJob"))] == ["v1", "v2beta1", "v1alpha1"]


def status(name: str = "pytorch", *, ready: bool = False, **state: Any) -> ContainerStatus:
    return ContainerStatus(name=name, ready=ready, state=ContainerState(**state))


@pytest.mark.parametrize(
    ("told", "word"),
    [
        (pod("worker"), "Running"),
        (pod("worker", phase="Pending"), "Pending"),
        (pod("worker", phase="Failed", reason="Evicted"), "Evicted"),
        (
            pod("worker", phase="Pending", container_statuses=[status(waiting=Waiting(reason="ImagePullBackOff"))]),
            "ImagePullBackOff",
        ),
        (
            pod("worker", phase="Succeeded", container_statuses=[status(terminated=Terminated(reason="Completed"))]),
            "Completed",
        ),
        (pod("worker", phase="Failed", container_statuses=[status(terminated=Terminated(exit_code=3))]), "ExitCode:3"),
        (
            pod("worker", phase="Failed", container_statuses=[status(terminated=Terminated(signal=9, exit_code=137))]),
            "Signal:9",
        ),
        (pod("worker", phase="Pending", init_container_statuses=[status(running=Running())]), "Init:0/1"),
        (
            pod("worker", phase="Pending", init_container_statuses=[status(waiting=Waiting(reason="ErrImagePull"))]),
            "Init:ErrImagePull",
        ),
        (
            pod(
                "worker",
                phase="Pending",
                init_container_statuses=[status(terminated=Terminated(exit_code=1, reason="Error"))],
            ),
            "Init:Error",
        ),
        (
            pod(
                "worker",
                conditions=[PodCondition(type="Ready", status="False")],
                container_statuses=[
                    status(terminated=Terminated(reason="Completed")),
                    status(ready=True, running=Running()),
                ],
            ),
            "NotReady",
        ),
    ],
)
def test_a_pod_has_the_word_that_kubectl_has_for_it(told: JobPod, word: str) -> None:
    assert pod_state(told) == word


def test_a_pod_that_goes_is_terminating_unless_it_has_ended() -> None:
    going = pod("worker")
    going.metadata.deletion_timestamp = TIME
    assert pod_state(going) == "Terminating"
    going.status.reason = "NodeLost"
    assert pod_state(going) == "Unknown"

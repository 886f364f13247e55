"""Before a job lives: what is left alone, what is refused once, and that status is written only when it changes."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.reading import read_job
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import SetStatus
from corral.reconcile.training.decision import decide
from corral.reconcile.training.world import World
from tests.domain.reconcile.plan_reading import after, events_in, made, message_in, states_in, status_in, written
from tests.domain.reconcile.training_builders import NOW, every_pod, every_service, manifest, with_status

KINDS = {
    "TFJob": "Worker",
    "PyTorchJob": "Master",
    "XGBoostJob": "Master",
    "PaddleJob": "Worker",
    "JAXJob": "Worker",
    "MPIJob": "Launcher",
    "MXJob": "Scheduler",
}

FOREIGN = {"managedBy": "kueue.x-k8s.io/multikueue"}


def job(kind: str = "PyTorchJob", role: str = "Master", **policy: Any) -> Object:
    roles: Object = {role: 1}
    return manifest(kind, runPolicy=policy, **roles)


@pytest.mark.parametrize(("kind", "role"), KINDS.items(), ids=KINDS)
def test_a_job_that_is_being_deleted_is_left_alone(kind: str, role: str) -> None:
    obj = job(kind, role)
    obj["metadata"]["deletionTimestamp"] = stamp_of(NOW)
    assert not decide(World(obj), NOW)


@pytest.mark.parametrize(("kind", "role"), KINDS.items(), ids=KINDS)
def test_a_job_of_another_manager_is_left_alone(kind: str, role: str) -> None:
    assert not decide(World(job(kind, role, managedBy="kueue.x-k8s.io/multikueue")), NOW)
    assert not decide(World(job(kind, role, managedBy="kueue.x-k8s.io/multikueue", suspend=True)), NOW)


@pytest.mark.parametrize(("kind", "role"), KINDS.items(), ids=KINDS)
def test_a_job_of_ours_begins(kind: str, role: str) -> None:
    for policy in ({}, {"managedBy": "kubeflow.org/training-operator"}):
        plan = decide(World(job(kind, role, **policy)), NOW)
        assert states_in(plan) == ["Created"]
        assert message_in(plan, "Created") == f"{kind} job is created."
        assert written(plan)["startTime"] == stamp_of(NOW)
        assert len(made(plan)) == 1


def invalid() -> Object:
    return manifest("PyTorchJob", Worker={"replicas": 1, "template": {"spec": {"containers": []}}})


def test_an_invalid_job_is_told_everything_once_and_gets_nothing() -> None:
    plan = decide(World(invalid()), NOW)
    (told,) = plan
    assert isinstance(told, SetStatus)
    assert states_in(plan) == ["Created", "Invalid"]
    (event,) = events_in(plan)
    assert (event.reason, event.type) == ("PyTorchJobFailedValidation", "Warning")
    assert event.message == message_in(plan, "Invalid")
    assert event.message.startswith("PyTorchJob failed validation because ")
    assert event.message.count("spec.pytorchReplicaSpecs[Worker].template.spec.containers") == 2
    assert not decide(World(after(invalid(), plan)), NOW + 60)


def test_another_problem_is_told_again() -> None:
    told = after(invalid(), decide(World(invalid()), NOW))
    worse = {**told, "spec": {"pytorchReplicaSpecs": {"Helper": {}}}}
    plan = decide(World(worse), NOW)
    assert states_in(plan) == ["Created", "Invalid"]
    assert "Helper" in message_in(plan, "Invalid")


def test_a_job_that_was_corrected_lives() -> None:
    told = after(invalid(), decide(World(invalid()), NOW))
    plan = decide(World({**told, "spec": job()["spec"]}), NOW)
    assert states_in(plan) == ["Created"]
    assert made(plan) == ["job-master-0"]


def test_a_job_of_another_shape_is_refused() -> None:
    obj = {**job(), "spec": {"pytorchReplicaSpecs": 3}}
    plan = decide(World(obj), NOW)
    assert states_in(plan) == ["Created", "Invalid"]
    assert not decide(World(after(obj, plan)), NOW + 60)


def test_a_long_list_of_problems_is_cut_for_the_event_only() -> None:
    roles: Object = {f"Role{number}" + "x" * 60: {} for number in range(60)}
    plan = decide(World({**job(), "spec": {"pytorchReplicaSpecs": roles}}), NOW)
    (event,) = events_in(plan)
    assert len(event.message) == 1024 < len(message_in(plan, "Invalid"))


def test_an_invalid_mpi_job_of_the_second_dialect_is_told_in_its_words() -> None:
    obj = {**manifest("MPIJob", Launcher=1), "apiVersion": "kubeflow.org/v2beta1"}
    obj["spec"] = {**obj["spec"], "mpiReplicaSpecs": 3, "mpiImplementation": "OpenMPI"}
    (event,) = events_in(decide(World(obj), NOW))
    assert event.reason == "ValidationError"
    assert not event.message.startswith("MPIJob failed validation")


def test_an_mpi_job_of_the_second_dialect_lives_by_its_own_rules() -> None:
    obj = manifest("MPIJob", Launcher=1, Worker=1, mpiImplementation="OpenMPI")
    plan = decide(World(obj), NOW)
    assert states_in(plan) == ["Created"]
    assert made(plan, "Job") == ["job-launcher"]
    assert not decide(World(manifest("MPIJob", Launcher=1, mpiImplementation="OpenMPI", runPolicy=FOREIGN)), NOW)


def test_an_ended_job_is_not_judged_any_more() -> None:
    for spec in (invalid()["spec"], {"pytorchReplicaSpecs": 3}):
        obj = with_status({**job(), "spec": spec}, "Created", "Succeeded", completionTime=stamp_of(NOW))
        assert not decide(World(obj), NOW)


def test_a_job_that_was_let_in_is_not_judged_again() -> None:
    """The server refuses a pod without containers, in words that reach the job's events."""
    obj = with_status(invalid(), "Created", startTime=stamp_of(NOW - 60))
    plan = decide(World(obj), NOW)
    assert states_in(plan) == ["Created"]
    assert made(plan) == made(plan, "Service") == ["job-worker-0"]


def test_created_comes_first_also_when_somebody_wrote_before() -> None:
    plan = decide(World(with_status(job(suspend=True), "Suspended")), NOW)
    assert states_in(plan) == ["Created", "Suspended"]


def test_status_is_written_only_when_it_changed() -> None:
    obj = job()
    read = read_job(obj)
    world = World(obj, every_pod(read), every_service(read))
    settled = after(obj, decide(world, NOW))
    assert status_in(decide(World(settled, world.pods, world.services), NOW + 60)) is None
    worse = World(settled, every_pod(read, "Pending"), world.services)
    assert status_in(decide(worse, NOW + 60)) is not None


def test_a_pattern_of_progress_that_is_none_is_told() -> None:
    plan = decide(World(job(progress={"pattern": "("})), NOW)
    assert states_in(plan) == ["Created", "Invalid"]
    wrong = 'spec.runPolicy.progress.pattern: Invalid value: "(": is no RE2 expression: missing ): ('
    assert wrong in message_in(plan, "Invalid")
    assert states_in(decide(World(job(progress={"pattern": "(?P<step>[0-9]+)"})), NOW)) == ["Created"]

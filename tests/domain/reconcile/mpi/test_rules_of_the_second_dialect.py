"""MPIJob v2beta1: what cannot run, field by field."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.validation.mpi_v2_rules import mpi_v2_errors
from tests.domain.reconcile.mpi.builders import mpi_v2_job, template

ROLES = "spec.mpiReplicaSpecs"


def errors(obj: Object) -> list[str]:
    return [str(one) for one in mpi_v2_errors(obj)]


def roles(**given: Any) -> Object:
    job = mpi_v2_job()
    job["spec"]["mpiReplicaSpecs"] |= given
    return job


def test_what_can_run_is_let_be() -> None:
    assert errors(mpi_v2_job()) == []
    assert errors(mpi_v2_job(None)) == []
    assert errors(mpi_v2_job(runPolicy={"cleanPodPolicy": "All", "managedBy": "kubeflow.org/mpi-operator"})) == []


@pytest.mark.parametrize(
    ("spec", "want"),
    {
        "slots": ({"slotsPerWorker": -1}, "spec.slotsPerWorker: Invalid value: -1"),
        "ttl": (
            {"runPolicy": {"ttlSecondsAfterFinished": -1}},
            "spec.runPolicy.ttlSecondsAfterFinished: Invalid value",
        ),
        "deadline": (
            {"runPolicy": {"activeDeadlineSeconds": -1}},
            "spec.runPolicy.activeDeadlineSeconds: Invalid value",
        ),
        "backoff": ({"runPolicy": {"backoffLimit": -1}}, "spec.runPolicy.backoffLimit: Invalid value: -1"),
        "clean": (
            {"runPolicy": {"cleanPodPolicy": "Some"}},
            'spec.runPolicy.cleanPodPolicy: Unsupported value: "Some": supported values: "All", "None", "Running"',
        ),
        "manager": ({"runPolicy": {"managedBy": "me"}}, 'spec.runPolicy.managedBy: Unsupported value: "me"'),
        "implementation": ({"mpiImplementation": "LAM"}, 'spec.mpiImplementation: Unsupported value: "LAM"'),
        "creation": ({"launcherCreationPolicy": "Soon"}, 'spec.launcherCreationPolicy: Unsupported value: "Soon"'),
        "roles": ({"mpiReplicaSpecs": {}}, "spec.mpiReplicaSpecs: Required value: must have replica specs"),
    }.values(),
)
def test_each_field_has_its_rule(spec: Object, want: str) -> None:
    (error,) = errors(mpi_v2_job(**spec))
    assert error.startswith(want)


@pytest.mark.parametrize(
    ("given", "want"),
    {
        "two launchers": (
            {"Launcher": {"replicas": 2, "template": template()}},
            f"{ROLES}[Launcher].replicas: Invalid value: 2: must be 1",
        ),
        "no launcher": ({"Launcher": None}, f"{ROLES}[Launcher]: Required value: must have Launcher replica spec"),
        "no worker asked for": (
            {"Worker": {"template": template()}},
            f"{ROLES}[Worker].replicas: Invalid value: 0: must be greater than or equal to 1",
        ),
        "restart by exit code": (
            {"Worker": {"replicas": 1, "restartPolicy": "ExitCode", "template": template()}},
            f'{ROLES}[Worker].restartPolicy: Unsupported value: "ExitCode": supported values: "Never", "OnFailure"',
        ),
        "no containers": (
            {"Worker": {"replicas": 1, "template": {"spec": {"containers": []}}}},
            f"{ROLES}[Worker].template.spec.containers: Required value: must define at least one container",
        ),
        "another role": ({"PS": {}}, f'{ROLES}[PS]: Unsupported value: "PS"'),
    }.values(),
)
def test_each_role_has_its_rules(given: Object, want: str) -> None:
    (error,) = errors(roles(**given))
    assert error.startswith(want)


def test_name_must_leave_room_for_the_last_worker() -> None:
    job = mpi_v2_job(1000)
    job["metadata"]["name"] = "a" * 52
    assert errors(job) == []
    job["metadata"]["name"] = "a" * 53
    (error,) = errors(job)
    assert error.startswith(f'metadata.name: Invalid value: "{"a" * 53}"')
    assert "must be no more than 63 characters" in error


def test_name_must_begin_with_a_letter() -> None:
    job = mpi_v2_job()
    job["metadata"]["name"] = "3d"
    (error,) = errors(job)
    assert "a DNS-1035 label must consist of" in error


def test_all_faults_are_told_together() -> None:
    assert len(errors(mpi_v2_job(slotsPerWorker=-1, runPolicy={"backoffLimit": -1}))) == 2

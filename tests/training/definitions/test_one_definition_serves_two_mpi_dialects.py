"""MPIJobs of v1 and v2beta1 in one definition: both are stored as v1, and only defaults tell them apart."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.catalogue import facts_of
from corral.kinds.training.reading import read_job
from corral.ports.object_store import Patch
from corral.ports.refusals import InvalidError
from tests.training.definitions.served_kinds import Served, resource
from tests.training.manifests import manifest

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

SECOND_DEFAULTS = {
    "mpiImplementation": "OpenMPI",
    "launcherCreationPolicy": "AtStartup",
    "sshAuthMountPath": "/root/.ssh",
    "slotsPerWorker": 1,
    "runLauncherAsWorker": False,
}


def mpi_job(version: str, **spec: object) -> Object:
    job = manifest("MPIJob", "job")
    return {**job, "apiVersion": f"kubeflow.org/{version}", "spec": {**job["spec"], **spec}}


def test_only_the_second_dialect_gets_its_defaults(served: Served) -> None:
    assert SECOND_DEFAULTS.items() <= served.create(mpi_job("v2beta1"))["spec"].items()
    first = mpi_job("v1")
    first["metadata"]["name"] = "first"
    assert not SECOND_DEFAULTS.keys() & served.create(first)["spec"].keys()


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_a_job_is_the_same_through_both_versions(served: Served, version: str) -> None:
    given = {"mainContainer": "mpi", "sshAuthMountPath": "/keys", "cleanPodPolicy": "All"}
    made = served.create(mpi_job(version, **given))
    assert given.items() <= made["spec"].items()
    for other in ("v1", "v2beta1"):
        read = served.read("MPIJob", other)
        assert read["apiVersion"] == f"kubeflow.org/{other}"
        assert read["spec"] == made["spec"]


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_the_operator_tells_the_dialects_apart(served: Served, version: str) -> None:
    served.create(mpi_job(version))
    assert facts_of(served.read("MPIJob")).version == version


def test_changes_through_the_first_version_keep_a_job_in_its_dialect(served: Served) -> None:
    served.create(mpi_job("v2beta1", mpiImplementation="Intel"))
    body = {"spec": {"runPolicy": {"suspend": True}}}
    served.client.patch(resource("MPIJob"), served.key(), Patch("merge", body))
    job = served.read("MPIJob")
    assert job["spec"]["mpiImplementation"] == "Intel"
    assert read_job(job).run_policy.suspend


def test_the_second_dialect_knows_three_implementations(served: Served) -> None:
    with pytest.raises(InvalidError) as refused:
        served.create(mpi_job("v2beta1", mpiImplementation="Own"))
    assert 'Unsupported value: "Own": supported values: "OpenMPI", "Intel", "MPICH"' in refused.value.message


def test_the_first_version_is_what_clients_get_who_name_none(served: Served) -> None:
    served.create(mpi_job("v2beta1"))
    found = served.kubectl("get", "mpijob", "job", f"--namespace={served.namespace}", "--output=jsonpath={.apiVersion}")
    assert found == "kubeflow.org/v1"

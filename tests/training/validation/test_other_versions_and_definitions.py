"""Rules hold in every version of a kind, and what a stranger's definition lets in breaks nothing."""

from pathlib import Path

import pytest

from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch
from corral.testing.contracts.kubernetes_api.server import Server
from corral.testing.embedded_api import EmbeddedApi
from corral.testing.kubeconfig_files import written_kubeconfig
from tests.training.validation.conftest import Judge
from tests.training.validation.rows import good

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_early_tensorflow_jobs_are_judged(judge: Judge, version: str) -> None:
    job = {**good("TFJob"), "apiVersion": f"kubeflow.org/{version}"}
    assert judge.create(job).code == 201
    job["spec"]["tfReplicaSpecs"]["worker"] = job["spec"]["tfReplicaSpecs"].pop("Worker")
    assert judge.create(job).code == 201
    job["spec"]["tfReplicaSpecs"]["worker"]["template"]["spec"]["containers"][0]["image"] = ""
    refused = judge.create(job)
    assert refused.message.endswith(
        "denied request: spec.tfReplicaSpecs[worker].template.spec.containers[0].image: Required value: must be required"
    )


@pytest.mark.parametrize("version", ["v1", "v2beta1", "v1alpha2"])
def test_every_dialect_of_mpi_has_no_more_power_than_its_pods(judge: Judge, version: str) -> None:
    job = {**good("MPIJob"), "apiVersion": f"kubeflow.org/{version}"}
    roles = job["spec"]["mpiReplicaSpecs"]
    if version == "v1alpha2":
        job["spec"]["mpiReplicaSpecs"] = roles = {role.lower(): one for role, one in roles.items()}
    assert judge.create(job).code == 201
    first = next(iter(roles))
    roles[first]["template"]["spec"]["nodeName"] = "n1"
    refused = judge.create(job)
    assert refused.code == 422
    assert f"denied request: spec.mpiReplicaSpecs[{first}].template.spec.nodeName: Forbidden: " in refused.message


def test_a_definition_that_lets_anything_in_breaks_nothing(tmp_path: Path) -> None:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    loose = [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": anything}]
    with EmbeddedApi() as api:
        with SyncClient(api.access) as client:
            name = ObjectKey("", "xgboostjobs.kubeflow.org")
            client.patch(CUSTOM_RESOURCE_DEFINITION, name, Patch("json", loose))
        judge = Judge(Server(written_kubeconfig(api.access, tmp_path / "kubeconfig")))
        judge.open()
        job = good("XGBoostJob")
        job["spec"]["xgbReplicaSpecs"]["Worker"]["replicas"] = "three"
        refused = judge.create(job)
        assert refused.code == 422
        assert refused.message.endswith("denied request: spec: Forbidden: does not have the shape of its kind")
        assert judge.create(good("XGBoostJob")).code == 201
        judge.close()

"""The API that clients meet: what is served and how, tables, the scale subresource, and what is written back."""

import json

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch, Scope
from tests.training.ground import Ground
from tests.training.manifests import EVERY_KIND, FACTS, manifest, role
from tests.training.marks import case
from tests.training.measurements import value_of
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]


@case("served-kinds")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_kinds_are_served_without_short_names(stage: Stage, kind: str) -> None:
    found = json.loads(stage.client.raw("GET", "/apis/kubeflow.org/v1"))["resources"]
    by_name = {one["name"]: one for one in found}
    one = by_name[FACTS[kind].plural]
    assert one["namespaced"]
    assert one["kind"] == kind
    assert one["singularName"] == kind.lower()
    assert not one.get("shortNames")
    assert not one.get("categories")
    assert f"{FACTS[kind].plural}/status" in by_name
    scales = kind in ("PyTorchJob", "PaddleJob", "JAXJob")
    assert (f"{FACTS[kind].plural}/scale" in by_name) == scales


@case("served-kinds")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_definitions_are_small_enough_for_plain_apply(stage: Stage, kind: str) -> None:
    name = f"{FACTS[kind].plural}.kubeflow.org"
    stored = stage.client.get(CUSTOM_RESOURCE_DEFINITION, ObjectKey("", name))
    assert len(json.dumps(stored["spec"], separators=(",", ":"))) < 200_000


@case("printer-columns")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_tables_show_the_last_condition(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"suspend": True})
    job.wait_states("Created", "Suspended")
    table = stage.client.list_table(job.resource, Scope(stage.namespace))
    columns = [one["name"] for one in table["columnDefinitions"]]
    assert columns == (["Name", "Age", "State"] if kind == "MPIJob" else ["Name", "State", "Age"])
    assert table["rows"][0]["cells"][columns.index("State")] == "Suspended"


@case("spec-as-sent")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_defaults_are_not_written_back(stage: Stage, kind: str) -> None:
    sent = manifest(kind, "job", run_policy={"suspend": False})
    job = stage.send(sent)
    job.wait_state("Created")
    assert job.read()["spec"] == sent["spec"]


@case("sdk-readable", "suspend-default")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_run_policy_is_always_there(stage: Stage, kind: str) -> None:
    without = stage.submit(kind, "without")
    bare = stage.submit(kind, "bare", run_policy={"backoffLimit": 3})
    assert without.read()["spec"]["runPolicy"].get("suspend", False) is False
    assert bare.read()["spec"]["runPolicy"] == {"backoffLimit": 3, "suspend": False}


@case("scale")
@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob", "JAXJob"])
def test_workers_are_scaled_through_the_subresource(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, roles={"Worker": role(kind, 2)})
    job.wait_pods("worker-0", "worker-1")
    job.run()
    job.wait_counts("Worker", active=2)
    key = ObjectKey(stage.namespace, "job")
    found = stage.client.get(job.resource, key, subresource="scale")
    assert found["spec"]["replicas"] == found["status"]["replicas"] == 2
    assert "training.kubeflow.org/replica-type=worker" in found["status"]["selector"]
    stage.client.patch(job.resource, key, Patch("merge", {"spec": {"replicas": 3}}), subresource="scale")
    job.wait_pods("worker-0", "worker-1", "worker-2")
    assert job.read()["spec"][job.facts.map_field]["Worker"]["replicas"] == 3


@case("default-port")
def test_a_container_of_another_name_gets_the_port_of_the_first(stage: Stage) -> None:
    side: Object = {"name": "side", "image": "example.com/side:1"}
    pod = {"spec": {"containers": [side, {"name": "tensorflow", "image": "example.com/train:1"}]}}
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", 1, pod=pod)})
    job.wait_pods("worker-0")
    containers = {one["name"]: one for one in job.pod("worker-0")["spec"]["containers"]}
    assert not containers["side"].get("ports")
    assert [port["name"] for port in containers["tensorflow"]["ports"]] == ["tfjob-port"]


FRAMEWORKS = {
    "TFJob": "tensorflow",
    "PyTorchJob": "pytorch",
    "MPIJob": "mpi",
    "XGBoostJob": "xgboost",
    "PaddleJob": "paddle",
    "JAXJob": "jax",
}


@case("metrics")
@pytest.mark.parametrize("kind", FRAMEWORKS)
def test_jobs_are_counted(stage: Stage, ground: Ground, kind: str) -> None:
    job = stage.submit(kind, run_policy={"ttlSecondsAfterFinished": 0})
    for short in stage.wait(job.pods, lambda seen: len(seen) == 2):
        job.set_phase(short, "Succeeded")
    job.wait_gone()
    labels = {"job_namespace": stage.namespace, "framework": FRAMEWORKS[kind]}
    operator = ground.operator()
    for word in ("created", "successful", "deleted"):
        name = f"training_operator_jobs_{word}_total"
        stage.wait(lambda name=name: value_of(operator.measurements(), name, labels), lambda seen: seen == 1)  # type: ignore[misc]


@case("metrics")
def test_failures_and_restarts_are_counted(stage: Stage, ground: Ground) -> None:
    job = stage.submit("JAXJob", roles={"Worker": role("JAXJob", 1, "ExitCode")})
    job.wait_pods("worker-0")
    old = job.uid_of("worker-0")
    job.set_phase("worker-0", "Failed", 137)
    job.wait_replaced("worker-0", old)
    job.set_phase("worker-0", "Failed", 1)
    job.wait_state("Failed")
    labels = {"job_namespace": stage.namespace, "framework": "jax"}
    operator = ground.operator()
    for word in ("restarted", "failed"):
        name = f"training_operator_jobs_{word}_total"
        stage.wait(lambda name=name: value_of(operator.measurements(), name, labels), lambda seen: seen == 1)  # type: ignore[misc]

"""The generated definitions on both servers: how they get there, what they say of themselves, what they add to objects."""

import json

import pytest

from corral.kinds.installed import definitions
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CUSTOM_RESOURCE_DEFINITION
from corral.ports.object_store import Patch, Scope, WriteOptions
from corral.ports.refusals import ConflictError, InvalidError
from tests.training.definitions.served_kinds import FILES, Served, definition_names, resource
from tests.training.manifests import EVERY_KIND, FACTS, container, manifest, role

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

LARGEST = 200_000
"""Bytes; kubectl keeps what was applied in an annotation, and annotations end at 262,144."""


@pytest.mark.parametrize("definition", definitions(), ids=lambda one: str(one["spec"]["names"]["plural"]))
def test_a_definition_fits_into_an_annotation(definition: dict[str, object]) -> None:
    assert len(json.dumps(definition, separators=(",", ":"))) < LARGEST


def test_plain_apply_installs_and_then_changes_nothing(served: Served) -> None:
    served.kubectl("apply", f"--filename={FILES}")
    again = served.kubectl("apply", f"--filename={FILES}").splitlines()
    assert len(again) == len(definitions())
    assert all(line.endswith(" unchanged") for line in again)


def test_every_definition_is_established(served: Served) -> None:
    for name in definition_names():
        found = served.client.get(CUSTOM_RESOURCE_DEFINITION, ObjectKey("", name.removeprefix("crd/")))
        states = {one["type"]: one["status"] for one in found["status"]["conditions"]}
        assert states["Established"] == "True"
        assert states["NamesAccepted"] == "True"
        assert states.get("NonStructuralSchema", "False") == "False"


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_fields_are_explained(served: Served, kind: str) -> None:
    text = served.kubectl("explain", f"{FACTS[kind].plural}.spec.runPolicy")
    assert "cleanPodPolicy" in text
    assert "Which pods go when the job ends" in text
    assert "<no description>" not in text


def test_lists_show_state_before_age_except_for_mpi(served: Served) -> None:
    for kind in EVERY_KIND:
        table = served.client.list_table(resource(kind), Scope(served.namespace))
        columns = [one["name"] for one in table["columnDefinitions"]]
        assert columns == (["Name", "Age", "State"] if kind == "MPIJob" else ["Name", "State", "Age"])


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_run_policy_is_there_even_when_nobody_wrote_one(served: Served, kind: str) -> None:
    job = manifest(kind, "job")
    job["spec"].pop("runPolicy", None)
    assert served.create(job)["spec"]["runPolicy"] == {"suspend": False}


def test_two_appliers_each_own_variables_of_one_container(served: Served) -> None:
    for manager, name in (("tuning", "LEARNING_RATE"), ("storage", "DATA_PATH")):
        job = manifest("PyTorchJob", "job")
        env = [{"name": name, "value": manager}]
        worker = role("PyTorchJob", pod={"spec": {"containers": [container("PyTorchJob", env=env)]}})
        job["spec"]["pytorchReplicaSpecs"] = {"Worker": worker}
        options = WriteOptions(manager=manager)
        served.client.patch(resource("PyTorchJob"), served.key(), Patch("apply", job), options=options)
    pod = served.read("PyTorchJob")["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    assert [one["name"] for one in pod["containers"][0]["env"]] == ["LEARNING_RATE", "DATA_PATH"]


def test_two_appliers_of_one_variable_are_in_conflict(served: Served) -> None:
    for manager in ("one", "two"):
        job = manifest("TFJob", "job")
        env = [{"name": "LEARNING_RATE", "value": manager}]
        pod = {"spec": {"containers": [container("TFJob", env=env)]}}
        job["spec"]["tfReplicaSpecs"] = {"Worker": role("TFJob", pod=pod)}
        patch, options = Patch("apply", job), WriteOptions(manager=manager)
        if manager == "one":
            served.client.patch(resource("TFJob"), served.key(), patch, options=options)
            continue
        with pytest.raises(ConflictError):
            served.client.patch(resource("TFJob"), served.key(), patch, options=options)


def test_what_is_inside_of_undescribed_fields_is_kept(served: Served) -> None:
    pod = {
        "metadata": {"labels": {"a": "b"}, "ownerReferences": []},
        "spec": {
            "containers": [container("TFJob", securityContext={"privileged": False}, stdin=True)],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
            "hostname": "h",
            "affinity": {"somethingOfNextYear": {"deep": [1, {"er": None}]}},
        },
    }
    job = manifest("TFJob", "job")
    job["spec"]["tfReplicaSpecs"] = {"Worker": role("TFJob", pod=pod)}
    assert served.create(job)["spec"]["tfReplicaSpecs"]["Worker"]["template"] == pod


@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob", "JAXJob"])
def test_the_scale_subresource_moves_workers(served: Served, kind: str) -> None:
    job = manifest(kind, "job")
    job["spec"][FACTS[kind].map_field] = {"Worker": role(kind, 2)}
    served.create(job)
    where = f"--namespace={served.namespace}"
    served.kubectl("scale", where, f"{FACTS[kind].plural}/job", "--replicas=3")
    assert served.read(kind)["spec"][FACTS[kind].map_field]["Worker"]["replicas"] == 3
    status = {"replicaStatuses": {"Worker": {"active": 2, "selector": "a=b"}}}
    served.client.patch(resource(kind), served.key(), Patch("merge", {"status": status}), subresource="status")
    scale = served.client.get(resource(kind), served.key(), subresource="scale")
    assert scale["spec"] == {"replicas": 3}
    assert scale["status"] == {"replicas": 2, "selector": "a=b"}


def test_the_queue_of_a_job_cannot_be_changed_but_added_and_removed(served: Served) -> None:
    job = manifest("XGBoostJob", "job")
    served.create(job)

    def move(queue: str | None) -> None:
        body = {"spec": {"runPolicy": {"schedulingPolicy": {"queue": queue}}}}
        served.client.patch(resource("XGBoostJob"), served.key(), Patch("merge", body))

    move("first")
    with pytest.raises(InvalidError) as refused:
        move("second")
    told = 'Invalid value: "string": spec.runPolicy.schedulingPolicy.queue is immutable'
    assert f"spec.runPolicy.schedulingPolicy.queue: {told}" in refused.value.message
    move(None)
    move("second")


NOT_CHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
BAD_SPECS = {
    "restartPolicy": ({"restartPolicy": "Sometimes"}, 'Unsupported value: "Sometimes": supported values: '),
    "replicas": ({"replicas": -1}, "Invalid value: -1: "),
    "template": ({"template": {"spec": {"containers": [{"image": "x"}]}}}, "containers[0].name: Required value"),
}


@pytest.mark.parametrize("case", BAD_SPECS)
def test_what_cannot_be_is_refused_in_the_same_words(served: Served, case: str) -> None:
    broken, told = BAD_SPECS[case]
    job = manifest("TFJob", "job")
    job["spec"]["tfReplicaSpecs"]["Worker"] |= broken
    with pytest.raises(InvalidError) as refused:
        served.create(job)
    assert told in refused.value.message
    assert (NOT_CHECKED in refused.value.message) == (case != "replicas")


@pytest.mark.parametrize("quantity", ["lots", "1 Gi", "0x10"])
def test_amounts_must_be_quantities(served: Served, quantity: str) -> None:
    job = manifest("TFJob", "job")
    job["spec"]["runPolicy"] = {"schedulingPolicy": {"minResources": {"cpu": 1, "memory": quantity}}}
    with pytest.raises(InvalidError) as refused:
        served.create(job)
    assert "spec.runPolicy.schedulingPolicy.minResources.memory" in refused.value.message


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_job_without_its_roles_is_refused(served: Served, kind: str) -> None:
    job = manifest(kind, "job")
    del job["spec"][FACTS[kind].map_field]
    with pytest.raises(InvalidError) as refused:
        served.create(job)
    assert f"spec.{FACTS[kind].map_field}: Required value" in refused.value.message


def test_mpi_jobs_are_checked_by_the_operator_not_by_the_server(served: Served) -> None:
    job = manifest("MPIJob", "job", run_policy={"cleanPodPolicy": "Sometimes", "backoffLimit": -1})
    job["spec"]["mpiReplicaSpecs"]["Launcher"]["restartPolicy"] = "Whenever"
    assert served.create(job)["spec"]["runPolicy"]["backoffLimit"] == -1

"""Bad jobs are refused on create and on update, with the field and the words of the contract.

Each row: what is done to a good job of a kind, and what the refusal must say.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from corral.kinds.objects import Object
from corral.ports.refusals import InvalidError
from tests.training.manifests import FACTS, manifest, role
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

CHECKED = ("TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob")


class Row(NamedTuple):
    """One rule."""

    kinds: tuple[str, ...]
    spoil: Callable[[Object, Object], Any]
    """Called with the job and its replica map."""
    path: str
    """The field, with MAP for the map's and ROLE for the first role's."""
    says: str


def _containers(roles: Object) -> list[Object]:
    return list(next(iter(roles.values()))["template"]["spec"]["containers"])


def _without_containers(job: Object, roles: Object) -> None:
    next(iter(roles.values()))["template"]["spec"]["containers"] = []


def _strange_manager(job: Object, roles: Object) -> None:
    job["spec"]["runPolicy"]["managedBy"] = "example.com/other"


def _elastic_without_workers(job: Object, roles: Object) -> None:
    roles.pop("Worker")
    job["spec"]["elasticPolicy"] = {"maxReplicas": 3}


def _two_numbers_of_processes(job: Object, roles: Object) -> None:
    job["spec"] |= {"elasticPolicy": {"nProcPerNode": 2}, "nprocPerNode": "2"}


ROWS = {
    "unknown role": Row(
        ("PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob"),
        lambda job, roles: roles.update(Boss=role(job["kind"])),
        "spec.MAP[Boss]",
        "Unsupported value",
    ),
    "no containers": Row(CHECKED, _without_containers, "MAP[ROLE].template.spec.containers", "must be specified"),
    "no image": Row(
        CHECKED,
        lambda job, roles: _containers(roles)[0].pop("image"),
        "MAP[ROLE].template.spec.containers[0].image",
        "must be required",
    ),
    "no training container": Row(
        CHECKED,
        lambda job, roles: _containers(roles)[0].update(name="another"),
        "MAP[ROLE].template.spec.containers",
        "must have at least one container with name",
    ),
    "chief and master": Row(
        ("TFJob",),
        lambda job, roles: roles.update(Chief=role("TFJob"), Master=role("TFJob")),
        "spec.MAP",
        "must not have more than 1 Chief or Master role",
    ),
    "two masters": Row(
        ("PyTorchJob", "XGBoostJob"),
        lambda job, roles: roles["Master"].update(replicas=2),
        "MAP[Master].replicas",
        "must be 1",
    ),
    "master without a number": Row(
        ("PyTorchJob", "XGBoostJob"),
        lambda job, roles: roles["Master"].pop("replicas"),
        "MAP[Master].replicas",
        "must be 1",
    ),
    "no worker": Row(
        ("PyTorchJob",),
        lambda job, roles: roles["Worker"].update(replicas=0),
        "MAP[Worker].replicas",
        "must be at least 1",
    ),
    "no master": Row(("XGBoostJob",), lambda job, roles: roles.pop("Master"), "spec.MAP[Master]", "must be present"),
    "elastic without workers": Row(
        ("PyTorchJob",),
        _elastic_without_workers,
        "MAP[Worker]",
        "must be configured if elastic policy is used",
    ),
    "two numbers of processes": Row(
        ("PyTorchJob",), _two_numbers_of_processes, "spec.elasticPolicy.nProcPerNode", "Forbidden"
    ),
    "another manager": Row(CHECKED, _strange_manager, "spec.runPolicy.managedBy", "Unsupported value"),
}

EACH = [(name, kind) for name, row in ROWS.items() for kind in row.kinds]


def good(kind: str, name: str = "job") -> Object:
    """Returns a job that is let in, suspended so that nothing else happens."""
    return manifest(kind, name, run_policy={"suspend": True})


def spoilt(kind: str, row: Row) -> tuple[Object, str]:
    """Returns a job that breaks a rule, and the path of the field."""
    job = good(kind)
    field = FACTS[kind].map_field
    first = next(iter(job["spec"][field]))
    row.spoil(job, job["spec"][field])
    return job, row.path.replace("MAP", field).replace("ROLE", first)


@case(40, 42, 51, 52)
@pytest.mark.parametrize(("rule", "kind"), EACH)
def test_a_bad_job_is_refused_on_create_and_on_update(stage: Stage, rule: str, kind: str) -> None:
    row = ROWS[rule]
    bad, path = spoilt(kind, row)
    with pytest.raises(InvalidError) as refused:
        stage.send(bad)
    assert path in refused.value.message
    assert row.says in refused.value.message

    job = stage.send(good(kind))
    job.wait_states("Created", "Suspended")
    before = job.read()
    with pytest.raises(InvalidError) as refused:
        stage.client.update(job.resource, {**before, "spec": bad["spec"]})
    assert path in refused.value.message
    assert row.says in refused.value.message
    assert job.read()["spec"] == before["spec"]


@case(42)
@pytest.mark.parametrize("kind", CHECKED)
@pytest.mark.parametrize("name", ["1job", "a.b", "j" * 64])
def test_a_name_must_be_a_label(stage: Stage, kind: str, name: str) -> None:
    with pytest.raises(InvalidError) as refused:
        stage.send(good(kind, name))
    assert "metadata.name" in refused.value.message


@case("long-names")
def test_names_of_pods_must_fit_too(stage: Stage) -> None:
    with pytest.raises(InvalidError) as refused:
        stage.send(good("TFJob", "j" * 60))
    assert "metadata.name" in refused.value.message


@case("live-empty-map", 42)
@pytest.mark.parametrize("kind", CHECKED)
def test_a_job_needs_its_map(stage: Stage, kind: str) -> None:
    job = good(kind)
    field = FACTS[kind].map_field
    job["spec"].pop(field)
    with pytest.raises(InvalidError) as refused:
        stage.send(job)
    assert f"spec.{field}" in refused.value.message


@case("live-two-errors")
def test_no_containers_gives_both_errors(stage: Stage) -> None:
    bad, path = spoilt("TFJob", ROWS["no containers"])
    with pytest.raises(InvalidError) as refused:
        stage.send(bad)
    assert path in refused.value.message
    assert "must be specified" in refused.value.message
    assert "must have at least one container with name tensorflow" in refused.value.message


@case(42)
@pytest.mark.parametrize("kind", CHECKED)
def test_the_manager_of_a_job_stays(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"managedBy": "kueue.x-k8s.io/multikueue"})
    with pytest.raises(InvalidError) as refused:
        job.set_run_policy(managedBy="kubeflow.org/training-operator")
    assert "spec.runPolicy.managedBy" in refused.value.message
    assert "field is immutable" in refused.value.message


@case(41, "queue-added")
@pytest.mark.parametrize("kind", FACTS)
def test_the_queue_of_a_job_stays(stage: Stage, kind: str) -> None:
    job = stage.submit(kind, run_policy={"suspend": True, "schedulingPolicy": {"queue": "one"}})
    with pytest.raises(InvalidError) as refused:
        job.set_run_policy(schedulingPolicy={"queue": "two"})
    assert "spec.runPolicy.schedulingPolicy.queue is immutable" in refused.value.message
    assert job.read()["spec"]["runPolicy"]["schedulingPolicy"] == {"queue": "one"}
    job.set_run_policy(schedulingPolicy={"queue": None})
    job.set_run_policy(schedulingPolicy={"queue": "three"})


@case(51)
def test_the_old_number_of_processes_warns(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", run_policy={"suspend": True}, elasticPolicy={"nProcPerNode": 2})
    assert [one for one in stage.warnings if "nProcPerNode" in one and "deprecated" in one]
    assert job.read()["spec"]["elasticPolicy"]["nProcPerNode"] == 2

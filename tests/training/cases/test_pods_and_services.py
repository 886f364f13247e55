"""Pods and services of every kind: names, labels, owners, ports, restart policies and what of a template they keep."""

import pytest

from corral.kinds.well_known import CONFIG_MAP, POD
from tests.training.manifests import DECIDING_POD, EVERY_KIND, FACTS, INDEXED_KINDS, USUAL_ROLES, role, template
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

PREFIX = "training.kubeflow.org"


def names_of(kind: str) -> list[str]:
    """Returns the two pods of a usual job."""
    named = [f"{name.lower()}-{index}" for name, count in USUAL_ROLES[kind].items() for index in range(count)]
    return sorted("launcher" if name == "launcher-0" else name for name in named)


@case("names-and-labels", 33)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_children_have_the_fixed_names_labels_and_owners(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    job.wait_pods(*names_of(kind))
    job.wait_services(*([] if kind == "MPIJob" else names_of(kind)))
    owner = {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "name": "job",
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    for short in names_of(kind):
        role_name, _, index = short.partition("-")
        labels = {
            f"{PREFIX}/operator-name": f"{kind.lower()}-controller",
            f"{PREFIX}/job-name": "job",
            f"{PREFIX}/replica-type": role_name,
        }
        if index:
            labels[f"{PREFIX}/replica-index"] = index
        found = dict(job.pod(short)["metadata"]["labels"])
        found.pop(f"{PREFIX}/job-role", None)
        assert found == labels
        assert job.pod(short)["metadata"]["ownerReferences"] == [owner]
        if kind != "MPIJob":
            service = job.service(short)
            assert service["metadata"]["labels"] == labels
            assert service["metadata"]["ownerReferences"] == [owner]


MASTERS = {
    "TFJob": "worker-0",
    "PyTorchJob": "master-0",
    "XGBoostJob": "master-0",
    "JAXJob": "worker-0",
    "MPIJob": "launcher",
}


@case("master-role")
@pytest.mark.parametrize("kind", MASTERS)
def test_one_pod_has_the_master_role(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    job.wait_pods(*names_of(kind))
    masters = [short for short in names_of(kind) if f"{PREFIX}/job-role" in job.pod(short)["metadata"]["labels"]]
    assert masters == [MASTERS[kind]]
    assert job.pod(masters[0])["metadata"]["labels"][f"{PREFIX}/job-role"] == "master"


@case("master-role")
def test_a_chief_has_the_master_role_instead_of_worker_zero(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Chief": 1, "Worker": 1})
    job.wait_pods("chief-0", "worker-0")
    assert job.pod("chief-0")["metadata"]["labels"].get(f"{PREFIX}/job-role") == "master"
    assert f"{PREFIX}/job-role" not in job.pod("worker-0")["metadata"]["labels"]


@case("master-role")
def test_without_a_master_worker_zero_has_the_role(stage: Stage) -> None:
    job = stage.submit("PyTorchJob", roles={"Worker": 2})
    job.wait_pods("worker-0", "worker-1")
    assert job.pod("worker-0")["metadata"]["labels"].get(f"{PREFIX}/job-role") == "master"
    assert f"{PREFIX}/job-role" not in job.pod("worker-1")["metadata"]["labels"]


@case(21)
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_metadata_of_the_template_is_kept_and_the_operators_labels_win(stage: Stage, kind: str) -> None:
    metadata = {
        "labels": {"team": "vision", f"{PREFIX}/job-name": "mine", f"{PREFIX}/replica-type": "mine"},
        "annotations": {"note": "kept"},
    }
    roles = {
        name: role(kind, count, pod=template(kind, metadata=metadata)) for name, count in USUAL_ROLES[kind].items()
    }
    job = stage.submit(kind, roles=roles, metadata={"labels": {"of": "job"}, "annotations": {"of": "job"}})
    job.wait_pods(*names_of(kind))
    for short in names_of(kind):
        made = job.pod(short)["metadata"]
        assert made["labels"]["team"] == "vision"
        assert made["labels"][f"{PREFIX}/job-name"] == "job"
        assert made["labels"][f"{PREFIX}/replica-type"] == short.partition("-")[0]
        assert made["annotations"]["note"] == "kept"
        assert "of" not in made["labels"]
        assert "of" not in made["annotations"]


POD_POLICIES = {"Always": "Always", "OnFailure": "OnFailure", "Never": "Never", "ExitCode": "Never"}


@case(22)
@pytest.mark.parametrize("policy", POD_POLICIES)
def test_restart_policies_reach_pods(stage: Stage, policy: str) -> None:
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", 1, policy)})
    job.wait_pods("worker-0")
    assert job.pod("worker-0")["spec"]["restartPolicy"] == POD_POLICIES[policy]


@case(22, "override-events")
def test_a_templates_own_restart_policy_is_overridden_with_a_warning(stage: Stage) -> None:
    pod = template("TFJob", spec={"restartPolicy": "Always"})
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", 1, "Never", pod=pod)})
    job.wait_pods("worker-0")
    assert job.pod("worker-0")["spec"]["restartPolicy"] == "Never"
    found = stage.wait(lambda: job.events("SetPodTemplateRestartPolicy"))
    assert {one["type"] for one in found} == {"Warning"}


@case("default-restart-policies")
@pytest.mark.parametrize("kind", EVERY_KIND)
def test_each_kind_has_its_own_default_restart_policy(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    job.wait_pods(*names_of(kind))
    wanted = "OnFailure" if kind in ("PyTorchJob", "PaddleJob") else "Never"
    assert {job.pod(short)["spec"]["restartPolicy"] for short in names_of(kind)} == {wanted}


PORTS = {
    "TFJob": ("tfjob-port", 2222),
    "PyTorchJob": ("pytorchjob-port", 23456),
    "XGBoostJob": ("xgboostjob-port", 9999),
    "PaddleJob": ("master", 36543),
    "JAXJob": ("jaxjob-port", 6666),
    "MXJob": ("mxjob-port", 9091),
}


@case("default-port", 34)
@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_the_kinds_port_is_on_container_and_service(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    job.wait_pods(*names_of(kind))
    job.wait_services(*names_of(kind))
    name, number = PORTS[kind]
    for short in names_of(kind):
        ports = job.pod(short)["spec"]["containers"][0]["ports"]
        assert [(port["name"], port["containerPort"]) for port in ports] == [(name, number)]
        ports = job.service(short)["spec"]["ports"]
        assert [(port["name"], port["port"]) for port in ports] == [(name, number)]


@case(34)
def test_a_service_mirrors_ports_and_selects_one_pod(stage: Stage) -> None:
    ports = [{"name": "tfjob-port", "containerPort": 2300}, {"name": "board", "containerPort": 6006}]
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", 2, ports=ports), "PS": 1})
    job.wait_services("ps-0", "worker-0", "worker-1")
    job.wait_pods("ps-0", "worker-0", "worker-1")
    service = job.service("worker-1")["spec"]
    assert {(port["name"], port["port"]) for port in service["ports"]} == {("tfjob-port", 2300), ("board", 6006)}
    assert service["clusterIP"] == "None"
    wanted = set(service["selector"].items())
    chosen = [pod["metadata"]["name"] for pod in stage.all(POD) if wanted <= set(pod["metadata"]["labels"].items())]
    assert chosen == ["job-worker-1"]
    assert len(wanted) == 4


@case("live-unnamed-port")
def test_an_unnamed_port_does_not_stop_the_job(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", 1, ports=[{"containerPort": 6006}])})
    job.wait_services("worker-0")
    job.run("worker-0")
    job.wait_states("Created", "Running")


@case("environment-appended")
@pytest.mark.parametrize("kind", ["TFJob", "PyTorchJob"])
def test_the_operators_variables_come_last_and_win(stage: Stage, kind: str) -> None:
    taken = "TF_CONFIG" if kind == "TFJob" else "MASTER_PORT"
    env = [{"name": "MINE", "value": "kept"}, {"name": taken, "value": "mine"}]
    roles = {name: role(kind, count, env=env) for name, count in USUAL_ROLES[kind].items()}
    job = stage.submit(kind, roles=roles)
    job.wait_pods(*names_of(kind))
    found = job.env_list(DECIDING_POD[kind])
    assert found[0] == env[0]
    assert [one["value"] for one in found if one["name"] == taken][-1] != "mine"


@case("environment-reach")
@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_which_containers_get_the_environment(stage: Stage, kind: str) -> None:
    facts = FACTS[kind]
    pod = {
        "spec": {
            "initContainers": [{"name": "fetch", "image": "example.com/fetch:1"}],
            "containers": [
                {"name": facts.container, "image": "example.com/train:1"},
                {"name": "sidecar", "image": "example.com/side:1"},
            ],
        }
    }
    job = stage.submit(kind, roles={name: role(kind, count, pod=pod) for name, count in USUAL_ROLES[kind].items()})
    job.wait_pods(*names_of(kind))
    for short in names_of(kind):
        assert job.env_list(short)
        assert bool(job.env_list(short, "sidecar")) == (kind != "TFJob")
        fetch = next(one for one in job.pod(short)["spec"]["initContainers"] if one["name"] == "fetch")
        assert not fetch.get("env")


@case(35)
def test_pods_of_others_are_never_touched(stage: Stage) -> None:
    other = stage.make(CONFIG_MAP, "other")
    owner = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "other",
        "uid": other["metadata"]["uid"],
        "controller": True,
    }
    labels = {
        f"{PREFIX}/operator-name": "tfjob-controller",
        f"{PREFIX}/job-name": "job",
        f"{PREFIX}/replica-type": "worker",
        f"{PREFIX}/replica-index": "7",
    }
    metadata = {"labels": labels, "ownerReferences": [owner]}
    foreign = stage.make(POD, "job-worker-7", spec=role("TFJob")["template"]["spec"], metadata=metadata)
    job = stage.submit("TFJob", roles={"Worker": 2}, run_policy={"cleanPodPolicy": "All"})
    job.wait_pods("worker-0", "worker-1")
    job.set_phase("worker-0", "Succeeded")
    job.wait_state("Succeeded")
    job.wait_pods()
    stage.settled()
    assert stage.get(POD, "job-worker-7")["metadata"]["uid"] == foreign["metadata"]["uid"]
    assert "deletionTimestamp" not in stage.get(POD, "job-worker-7")["metadata"]


@case("live-blocked-index", 35)
def test_a_foreign_pod_in_the_way_is_told(stage: Stage) -> None:
    stage.make(POD, "job-worker-1", spec=role("TFJob")["template"]["spec"])
    job = stage.submit("TFJob", roles={"Worker": 2})
    job.wait_pods("worker-0")
    stage.wait(lambda: job.events("FailedCreatePod"))
    job.wait_state("Created")
    assert stage.get(POD, "job-worker-1")["metadata"].get("ownerReferences") is None


@case(35)
def test_a_job_being_deleted_makes_nothing(stage: Stage) -> None:
    job = stage.submit("TFJob", metadata={"finalizers": ["example.com/held"]})
    job.wait_pods("worker-0", "worker-1")
    job.delete()
    job.delete_pod("worker-1")
    stage.settled()
    assert job.pods() == ["worker-0"]
    stage.change(job.resource, job.name, {"metadata": {"finalizers": None}})


@case("default-replicas")
def test_one_replica_unless_told_otherwise(stage: Stage) -> None:
    job = stage.submit("TFJob", roles={"Worker": role("TFJob", None), "PS": role("TFJob", None)})
    job.wait_pods("ps-0", "worker-0")
    mpi = stage.submit("MPIJob", "mpi", roles={"Launcher": role("MPIJob", None), "Worker": role("MPIJob", None)})
    mpi.wait_pods("launcher")
    stage.settled()
    assert mpi.pods() == ["launcher"]


@case("deleted-pods", "restart-in-place")
@pytest.mark.parametrize("kind", INDEXED_KINDS)
def test_a_waiting_pod_that_somebody_deletes_is_made_again(stage: Stage, kind: str) -> None:
    job = stage.submit(kind)
    names = names_of(kind)
    job.wait_pods(*names)
    old = {short: job.uid_of(short) for short in names}
    job.delete_pod(names[1])
    job.wait_replaced(names[1], old[names[1]])
    assert job.uid_of(names[0]) == old[names[0]]

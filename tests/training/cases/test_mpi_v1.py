"""MPIJob v1: a launcher that reaches its workers through the API, and what it needs for that."""

import pytest

from corral.kinds.objects import Object
from corral.kinds.references import ApiResource
from corral.kinds.well_known import CONFIG_MAP, POD, ROLE, ROLE_BINDING, SERVICE_ACCOUNT
from tests.training.manifests import role, template
from tests.training.marks import case
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

KIND = "MPIJob"


LAUNCHERS = {
    "nvidia.com/gpu": True,
    "aliyun.com/gpu": True,
    "example.com/my-gpu-share": True,
    "example.com/fpga": False,
    "cpu": False,
}


@case(54)
@pytest.mark.parametrize("resource", LAUNCHERS)
def test_a_launcher_that_asks_for_gpus_works_too(stage: Stage, resource: str) -> None:
    asked = {"limits": {resource: "1"}}
    job = stage.submit(KIND, "pi", roles={"Launcher": role(KIND, 1, resources=asked), "Worker": 2})
    job.wait_pods("launcher", "worker-0", "worker-1")
    workers = "pi-worker-0 slots=1\npi-worker-1 slots=1\n"
    launcher = "pi-launcher slots=1\n" if LAUNCHERS[resource] else ""
    assert stage.get(CONFIG_MAP, "pi-config")["data"]["hostfile"] == launcher + workers
    hidden = {
        name: job.env_of("launcher").get(name) for name in ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
    }
    named = {one["name"] for one in job.env_list("launcher")}
    assert ("NVIDIA_VISIBLE_DEVICES" in named) == ("NVIDIA_DRIVER_CAPABILITIES" in named) == (not LAUNCHERS[resource])
    assert not any(hidden.values())


def test_the_launcher_is_told_how_to_launch(stage: Stage) -> None:
    job = stage.submit(KIND, "pi", slotsPerWorker=3, mainContainer="mpi")
    job.wait_pods("launcher", "worker-0")
    assert [(one["name"], one.get("value", "")) for one in job.env_list("launcher")] == [
        ("OMPI_MCA_plm_rsh_agent", "/etc/mpi/kubexec.sh"),
        ("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"),
        ("NVIDIA_VISIBLE_DEVICES", ""),
        ("NVIDIA_DRIVER_CAPABILITIES", ""),
        ("I_MPI_HYDRA_BOOTSTRAP", "rsh"),
        ("I_MPI_HYDRA_BOOTSTRAP_EXEC", "/etc/mpi/kubexec.sh"),
    ]
    launcher = job.pod("launcher")["spec"]
    assert [one["name"] for one in launcher["initContainers"]] == ["kubectl-delivery"]
    paths = {one["mountPath"] for one in launcher["containers"][0]["volumeMounts"]}
    assert {"/opt/kube", "/etc/mpi"} <= paths
    config = stage.get(CONFIG_MAP, "pi-config")
    assert config["metadata"]["labels"]["app"] == "pi"
    assert config["data"]["hostfile"] == "pi-worker-0 slots=3\n"
    assert "--container mpi" in config["data"]["kubexec.sh"]
    rules = stage.get(ROLE, "pi-launcher")["rules"]
    named = [rule for rule in rules if rule["resources"] == ["pods/exec"]]
    assert [(rule["verbs"], rule["resourceNames"]) for rule in named] == [(["create"], ["pi-worker-0"])]
    binding = stage.get(ROLE_BINDING, "pi-launcher")
    assert binding["roleRef"]["name"] == "pi-launcher"
    assert [one["name"] for one in binding["subjects"]] == ["pi-launcher"]
    assert launcher["serviceAccountName"] == "pi-launcher"


@case(55)
def test_the_running_workers_are_listed(stage: Stage) -> None:
    job = stage.submit(KIND, "pi", roles={"Launcher": 1, "Worker": 3}, slotsPerWorker=2)
    job.wait_pods("launcher", "worker-0", "worker-1", "worker-2")

    def listed() -> str:
        return str(stage.get(CONFIG_MAP, "pi-config")["data"]["discover_hosts.sh"]).rstrip("\n")

    assert listed() == "#!/bin/sh"
    job.run("worker-2", "worker-0")
    stage.wait(listed, lambda seen: seen == "#!/bin/sh\necho pi-worker-0:2\necho pi-worker-2:2")
    job.run("worker-1")
    stage.wait(listed, lambda seen: seen.count("echo") == 3)
    job.delete_pod("worker-0")
    stage.wait(listed, lambda seen: seen == "#!/bin/sh\necho pi-worker-1:2\necho pi-worker-2:2")


@case("live-mpi-gpu-first")
def test_a_working_launcher_is_listed_first_even_while_it_waits(stage: Stage) -> None:
    asked = {"limits": {"nvidia.com/gpu": "1"}}
    job = stage.submit(KIND, "pi", roles={"Launcher": role(KIND, 1, resources=asked), "Worker": 1})
    job.wait_pods("launcher", "worker-0")
    job.run("worker-0")
    stage.wait(
        lambda: str(stage.get(CONFIG_MAP, "pi-config")["data"]["discover_hosts.sh"]).rstrip("\n"),
        lambda seen: seen == "#!/bin/sh\necho pi-launcher:1\necho pi-worker-0:1",
    )


@case(56, "live-mpi-worker-counts")
@pytest.mark.parametrize("outcome", ["Succeeded", "Failed"])
def test_the_launcher_decides(stage: Stage, outcome: str) -> None:
    job = stage.submit(KIND)
    job.wait_pods("launcher", "worker-0")
    job.run()
    job.wait_states("Created", "Running")
    job.set_phase("launcher", outcome, 0 if outcome == "Succeeded" else 1)
    status = job.wait_states("Created", "Running=False", outcome)
    assert status["replicaStatuses"] == {"Launcher": {outcome.lower(): 1}, "Worker": {}}
    assert status["completionTime"]


@case(57)
def test_workers_that_wait_count_nowhere(stage: Stage) -> None:
    job = stage.submit(KIND, roles={"Launcher": 1, "Worker": 2})
    job.wait_pods("launcher", "worker-0", "worker-1")
    job.run("launcher")
    job.wait_states("Created", "Running")
    job.wait_counts("Launcher", active=1)
    assert job.replica_status("Worker") == {}
    job.run("worker-0", "worker-1")
    job.wait_counts("Worker", active=2)
    assert job.states() == ["Created=True", "Running=True"]


POD_SPEC: Object = {"spec": {"containers": [{"name": "other", "image": "example.com/other:1"}]}}
BINDING: Object = {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "other"}}
TAKEN: dict[str, tuple[ApiResource, str, Object]] = {
    "launcher": (POD, "job-launcher", POD_SPEC),
    "worker": (POD, "job-worker-0", POD_SPEC),
    "ConfigMap": (CONFIG_MAP, "job-config", {"data": {"hostfile": "mine"}}),
    "Role": (ROLE, "job-launcher", {"rules": []}),
    "RoleBinding": (ROLE_BINDING, "job-launcher", BINDING),
}


@case(58)
@pytest.mark.parametrize("what", TAKEN)
def test_objects_of_others_are_never_overwritten(stage: Stage, what: str) -> None:
    resource, name, content = TAKEN[what]
    before = stage.make(resource, name, **content)
    job = stage.submit(KIND)
    found = stage.wait(lambda: job.events("ErrResourceExists"))
    assert {one["type"] for one in found} == {"Warning"}
    assert name in found[0]["message"]
    stage.settled()
    after = stage.get(resource, name)
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


@case(59, "live-mpi-account")
@pytest.mark.parametrize("exists", [True, False])
def test_the_account_of_the_template_is_used(stage: Stage, exists: bool) -> None:
    if exists:
        stage.make(SERVICE_ACCOUNT, "mine")
    pod = template(KIND, spec={"serviceAccountName": "mine"})
    job = stage.submit(KIND, "pi", roles={"Launcher": role(KIND, 1, pod=pod), "Worker": 1})
    job.wait_pods("launcher", "worker-0")
    assert job.pod("launcher")["spec"]["serviceAccountName"] == "mine"
    assert [one["name"] for one in stage.get(ROLE_BINDING, "pi-launcher")["subjects"]] == ["mine"]
    owners = stage.get(SERVICE_ACCOUNT, "mine")["metadata"].get("ownerReferences") or []
    assert [one["uid"] for one in owners] == ([] if exists else [job.uid])
    assert stage.find(SERVICE_ACCOUNT, "pi-launcher") is None


@case(59)
@pytest.mark.parametrize("given", [(), ("I_MPI_HYDRA_BOOTSTRAP",), ("I_MPI_HYDRA_BOOTSTRAP_EXEC",), ("both",)])
def test_the_users_bootstrap_is_kept(stage: Stage, given: tuple[str, ...]) -> None:
    both = ("I_MPI_HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP_EXEC")
    names = both if given == ("both",) else given
    env = [{"name": name, "value": "mine"} for name in names]
    job = stage.submit(KIND, roles={"Launcher": role(KIND, 1, env=env), "Worker": 1})
    job.wait_pods("launcher", "worker-0")
    ours = {"I_MPI_HYDRA_BOOTSTRAP": "rsh", "I_MPI_HYDRA_BOOTSTRAP_EXEC": "/etc/mpi/kubexec.sh"}
    for name in both:
        found = [one["value"] for one in job.env_list("launcher") if one["name"] == name]
        assert found == (["mine"] if name in names else [ours[name]])


@case("live-mpi-sleep")
def test_workers_without_a_command_sleep(stage: Stage) -> None:
    roles = {"Launcher": role(KIND), "Worker": role(KIND, 1, args=["mine"])}
    job = stage.submit(KIND, roles=roles)
    own = {"Launcher": role(KIND), "Worker": role(KIND, 1, command=["mine"])}
    other = stage.submit(KIND, "own", roles=own)
    job.wait_pods("launcher", "worker-0")
    other.wait_pods("launcher", "worker-0")
    made = job.pod("worker-0")["spec"]["containers"][0]
    assert [*made["command"], *(made.get("args") or [])] == ["sleep", "365d"]
    assert other.pod("worker-0")["spec"]["containers"][0]["command"] == ["mine"]


@case("live-mpi-events")
def test_made_pods_are_told(stage: Stage) -> None:
    job = stage.submit(KIND)
    job.wait_pods("launcher", "worker-0")
    stage.wait(lambda: any(one["message"] == "Created worker pod: job-worker-0" for one in job.events()))
    told = job.wait_event("MPIJobRunning", "launcher pod created success: job-launcher")
    assert told["type"] == "Normal"


def test_a_bad_job_is_told_and_gets_nothing(stage: Stage) -> None:
    job = stage.submit(KIND, roles={"Worker": 1})
    found = stage.wait(lambda: job.events("MPIJobFailedValidation"))
    assert found[0]["type"] == "Warning"
    stage.settled()
    assert job.pods() == []

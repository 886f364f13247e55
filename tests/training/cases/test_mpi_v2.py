"""MPIJob v2beta1: workers that wait for ssh, and a launcher that is a Job of the cluster."""

from typing import Any

import pytest

from corral.kinds.objects import Object, is_deleting
from corral.kinds.well_known import CONFIG_MAP, JOB, POD, SECRET, SERVICE
from tests.training.job_on_stage import JobOnStage
from tests.training.manifests import role, template
from tests.training.marks import case, started_with
from tests.training.stage import Stage

pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

KIND = "MPIJob"
PREFIX = "training.kubeflow.org"


def submit(stage: Stage, roles: Object | None = None, name: str = "pi", **given: Any) -> JobOnStage:
    """Submits a job of the second dialect."""
    return stage.submit(KIND, name, roles or {"Launcher": 1, "Worker": 2}, version="v2beta1", **given)


def launchers(job: JobOnStage) -> list[str]:
    """Returns the pods that the launcher Job has made, by what follows the job's name, oldest first."""
    found = [
        pod
        for pod in job.stage.all(POD)
        if pod["metadata"].get("labels", {}).get(f"{PREFIX}/job-role") == "launcher" and not is_deleting(pod)
    ]
    found.sort(key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
    return [pod["metadata"]["name"].removeprefix(f"{job.name}-") for pod in found]


def launched(job: JobOnStage) -> str:
    """Returns the launcher's pod as soon as it is there."""
    return job.stage.wait(lambda: launchers(job))[0]


@case(60)
def test_everything_is_made_and_owned(stage: Stage) -> None:
    job = submit(stage)
    job.wait_pods("worker-0", "worker-1")
    launcher = stage.wait(lambda: stage.find(JOB, "pi-launcher"))
    assert launcher is not None
    service, config, secret = stage.get(SERVICE, "pi"), stage.get(CONFIG_MAP, "pi-config"), stage.get(SECRET, "pi-ssh")
    for made in (service, config, secret, launcher, job.pod("worker-0")):
        assert [(one["kind"], one["uid"], one["controller"]) for one in made["metadata"]["ownerReferences"]] == [
            ("MPIJob", job.uid, True)
        ]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {f"{PREFIX}/operator-name": "mpi-operator", f"{PREFIX}/job-name": "pi"}
    assert not service["spec"].get("ports")
    assert secret["type"] == "kubernetes.io/ssh-auth"
    assert sorted(secret["data"]) == ["ssh-privatekey", "ssh-publickey"]
    assert set(config["data"]) == {"hostfile", "discover_hosts.sh"}
    labels = {f"{PREFIX}/operator-name": "mpi-operator", f"{PREFIX}/job-name": "pi"}
    worker = {**labels, f"{PREFIX}/job-role": "worker", f"{PREFIX}/replica-index": "1"}
    assert job.pod("worker-1")["metadata"]["labels"] == worker
    assert job.pod("worker-1")["spec"]["hostname"] == "pi-worker-1"
    assert job.pod("worker-1")["spec"]["subdomain"] == "pi"
    made = job.pod("worker-1")["spec"]["containers"][0]
    assert made["command"] == ["/usr/sbin/sshd", "-De"]
    assert launcher["spec"]["podReplacementPolicy"] == "Failed"
    assert launcher["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
    told = launcher["spec"]["template"]["metadata"]["labels"]
    assert told[f"{PREFIX}/job-role"] == "launcher"


@case(61)
def test_the_launcher_waits_for_ready_workers(stage: Stage) -> None:
    job = submit(stage, launcherCreationPolicy="WaitForWorkersReady")
    job.wait_pods("worker-0", "worker-1")
    job.run("worker-0")
    stage.settled()
    assert stage.find(JOB, "pi-launcher") is None
    job.run("worker-1")
    stage.wait(lambda: stage.find(JOB, "pi-launcher"))


def running(stage: Stage, **given: Any) -> tuple[JobOnStage, str]:
    """Returns a job that runs, and its launcher's pod."""
    job = submit(stage, **given)
    job.wait_pods("worker-0", "worker-1")
    launcher = launched(job)
    job.run("worker-0", "worker-1", launcher)
    job.wait_states("Created", "Running")
    return job, launcher


@case(62)
def test_one_failed_launcher_pod_is_not_the_end(stage: Stage) -> None:
    job, launcher = running(stage)
    job.set_phase(launcher, "Failed", 1)
    job.wait_status(lambda seen: (seen["replicaStatuses"].get("Launcher") or {}).get("failed") == 1)
    job.never("Failed")


@case(62)
def test_a_failed_launcher_job_is_the_end(stage: Stage) -> None:
    job, launcher = running(stage, run_policy={"backoffLimit": 0})
    job.set_phase(launcher, "Failed", 1, pod_reason="Broken")
    status = job.wait_states("Created", "Running=False", "Failed")
    assert job.condition("Failed")["reason"] == "BackoffLimitExceeded/Broken"
    assert status["completionTime"]


def test_the_launcher_decides_success(stage: Stage) -> None:
    job, launcher = running(stage, run_policy={"cleanPodPolicy": "Running"})
    job.set_phase(launcher, "Succeeded")
    status = job.wait_states("Created", "Running=False", "Succeeded")
    assert status["replicaStatuses"]["Launcher"] == {"succeeded": 1}
    assert status["completionTime"]
    job.wait_pods()
    assert stage.find(JOB, "pi-launcher")


@case(63)
def test_suspension_reaches_the_launcher_and_so_do_changes_made_meanwhile(stage: Stage) -> None:
    job, _ = running(stage)
    job.set_run_policy(suspend=True)
    job.wait_pods()
    stage.wait(lambda: stage.get(JOB, "pi-launcher")["spec"].get("suspend"))
    job.wait_states("Created", "Running=False", "Suspended")
    assert job.condition("Suspended")["message"] == "MPIJob suspended"
    for resource, name in ((SERVICE, "pi"), (CONFIG_MAP, "pi-config"), (SECRET, "pi-ssh")):
        stage.get(resource, name)
    stage.wait(lambda: not launchers(job))

    placed = {
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "schedulingGates": [{"name": "example.com/gate"}],
    }
    changed = {"metadata": {"labels": {"of": "kueue"}}, "spec": {**template(KIND)["spec"], **placed}}
    job.change({"mpiReplicaSpecs": {"Launcher": {"template": changed}}})
    job.set_run_policy(suspend=False)
    stage.wait(lambda: stage.get(JOB, "pi-launcher")["spec"].get("suspend"), lambda seen: not seen)
    made = stage.get(JOB, "pi-launcher")["spec"]["template"]
    assert made["metadata"]["labels"]["of"] == "kueue"
    assert {name: made["spec"].get(name) for name in placed} == placed
    job.wait_pods("worker-0", "worker-1")
    job.wait_states("Created", "Running=False", "Suspended=False")


@case(63, 36)
def test_a_job_created_suspended_has_a_suspended_launcher(stage: Stage) -> None:
    job = submit(stage, run_policy={"suspend": True})
    status = job.wait_states("Created", "Suspended")
    assert "startTime" not in status
    stage.wait(lambda: (stage.find(JOB, "pi-launcher") or {}).get("spec", {}).get("suspend"))
    stage.settled()
    assert job.pods() == launchers(job) == []


BAD: dict[str, tuple[Object, str, Object]] = {
    "no launcher": ({"Worker": 1}, "pi", {}),
    "two launchers": ({"Launcher": 2, "Worker": 1}, "pi", {}),
    "no workers": ({"Launcher": 1, "Worker": 0}, "pi", {}),
    "workers without a number": ({"Launcher": 1, "Worker": role(KIND, None)}, "pi", {}),
    "restart policy": ({"Launcher": 1, "Worker": role(KIND, 1, "Always")}, "pi", {}),
    "clean-up": ({"Launcher": 1, "Worker": 1}, "pi", {"cleanPodPolicy": "Some"}),
    "long name": ({"Launcher": 1, "Worker": 11}, "p" * 54, {}),
}


@case(64)
@pytest.mark.parametrize("what", BAD)
def test_an_invalid_job_is_told_once_and_gets_nothing(stage: Stage, what: str) -> None:
    roles, name, policy = BAD[what]
    job = submit(stage, roles, name, run_policy=policy)
    stage.wait(lambda: job.events("ValidationError"))
    stage.settled()
    found = job.events("ValidationError")
    assert [(one["type"], one.get("count", 1)) for one in found] == [("Warning", 1)]
    assert job.pods() == []
    assert stage.find(SERVICE, name) is None
    assert stage.find(JOB, f"{name}-launcher") is None


FLAVOURS = {
    "OpenMPI": (
        " slots=2",
        {
            "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
            "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
            "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
            "OMPI_MCA_orte_set_default_slots": "2",
        },
    ),
    "Intel": (
        ":2",
        {
            "I_MPI_HYDRA_HOST_FILE": "/etc/mpi/hostfile",
            "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "-o ConnectionAttempts=10",
            "I_MPI_PERHOST": "2",
        },
    ),
    "MPICH": (
        ":2",
        {"HYDRA_HOST_FILE": "/etc/mpi/hostfile", "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10"},
    ),
}


def launcher_env(stage: Stage) -> dict[str, str]:
    """Returns the variables of the launcher's template."""
    found = stage.wait(lambda: stage.find(JOB, "pi-launcher"))
    assert found is not None
    env = found["spec"]["template"]["spec"]["containers"][0]["env"]
    return {one["name"]: one.get("value", "") for one in env}


@case(65)
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_each_implementation_is_told_in_its_own_way(stage: Stage, flavour: str) -> None:
    job = submit(stage, mpiImplementation=flavour, slotsPerWorker=2)
    job.wait_pods("worker-0", "worker-1")
    mark, wanted = FLAVOURS[flavour]
    near = f"pi.{stage.namespace}.svc"
    hosts = "".join(f"pi-worker-{index}.{near}{mark}\n" for index in range(2))
    assert stage.get(CONFIG_MAP, "pi-config")["data"]["hostfile"] == hosts
    blank = {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
    assert launcher_env(stage) == {"K_MPI_JOB_ROLE": "launcher", **wanted, **blank}
    assert job.env_of("worker-0")["K_MPI_JOB_ROLE"] == "worker"
    job.run("worker-1")
    stage.wait(
        lambda: stage.get(CONFIG_MAP, "pi-config")["data"]["discover_hosts.sh"],
        lambda seen: seen == f"#!/bin/sh\necho pi-worker-1.{near}\n",
    )


@case(65)
def test_the_launcher_may_work_too(stage: Stage) -> None:
    job = submit(stage, runLauncherAsWorker=True)
    job.wait_pods("worker-0", "worker-1")
    env = launcher_env(stage)
    assert not {"NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"} & set(env)
    lines = stage.get(CONFIG_MAP, "pi-config")["data"]["hostfile"].splitlines()
    assert lines[0] == f"pi-launcher.pi.{stage.namespace}.svc slots=1"
    assert len(lines) == 3
    index = f"{PREFIX}/replica-index"
    assert [job.pod(f"worker-{number}")["metadata"]["labels"][index] for number in (0, 1)] == ["1", "2"]
    assert stage.get(JOB, "pi-launcher")["spec"]["template"]["metadata"]["labels"][index] == "0"
    assert stage.get(SERVICE, "pi")["spec"]["publishNotReadyAddresses"]


@case(66)
def test_host_network_and_ssh_path_are_respected(stage: Stage) -> None:
    pod = template(KIND, spec={"hostNetwork": True})
    roles = {"Launcher": role(KIND, 1, pod=pod), "Worker": role(KIND, 1, pod=pod)}
    job = submit(stage, roles, sshAuthMountPath="/home/mpi/.ssh")
    plain = submit(stage, name="plain")
    job.wait_pods("worker-0")
    plain.wait_pods("worker-0", "worker-1")
    spec, other = job.pod("worker-0")["spec"], plain.pod("worker-0")["spec"]
    assert (spec["dnsPolicy"], other["dnsPolicy"]) == ("ClusterFirstWithHostNet", "ClusterFirst")
    assert spec["dnsConfig"]["searches"] == [f"pi.{stage.namespace}.svc.cluster.local"]
    keys = [next(one["secret"] for one in found["volumes"] if one["name"] == "ssh-auth") for found in (spec, other)]
    assert [one["defaultMode"] for one in keys] == [0o644, 0o600]  # 0644 is the server's own default
    paths = [next(one["path"] for one in keys[0]["items"] if one["key"] == "ssh-privatekey")]
    assert paths == ["id_rsa"]
    mounts = {one["name"]: one["mountPath"] for one in spec["containers"][0]["volumeMounts"]}
    assert mounts["ssh-auth"] == "/home/mpi/.ssh"


@case(66)
@started_with(CUSTOM_CLUSTER_DOMAIN="cluster.test")
def test_the_cluster_domain_is_in_the_host_file(stage: Stage) -> None:
    job = submit(stage)
    job.wait_pods("worker-0", "worker-1")
    hosts = stage.get(CONFIG_MAP, "pi-config")["data"]["hostfile"].splitlines()
    assert hosts[0] == f"pi-worker-0.pi.{stage.namespace}.svc.cluster.test slots=1"


@case(67)
def test_a_job_that_finished_unseen_no_longer_runs(stage: Stage) -> None:
    job = submit(stage)
    job.wait_pods("worker-0", "worker-1")
    job.set_phase(launched(job), "Succeeded")
    job.wait_states("Created", "Running=False", "Succeeded")
    job.run("worker-0", "worker-1")
    stage.settled()
    assert job.states() == ["Created=True", "Running=False", "Succeeded=True"]


def test_both_dialects_are_read_in_both_versions(stage: Stage) -> None:
    new = submit(stage)
    old = stage.submit(KIND, "old")
    new.wait_pods("worker-0", "worker-1")
    old.wait_pods("launcher", "worker-0")
    assert stage.get(old.resource, "pi")["spec"]["mpiImplementation"] == "OpenMPI"
    assert "mpiImplementation" not in old.read()["spec"]


@case("mpi-missing-workers")
def test_a_missing_worker_is_made_again_and_a_failed_one_only_counted(stage: Stage) -> None:
    job, _ = running(stage)
    old = job.uid_of("worker-0")
    job.delete_pod("worker-0")
    job.wait_replaced("worker-0", old)
    job.set_phase("worker-1", "Failed", 1)
    job.wait_counts("Worker", failed=1)
    job.never("Failed")


@case("mpi-missing-workers")
def test_an_evicted_worker_ends_the_job(stage: Stage) -> None:
    job, _ = running(stage, run_policy={"cleanPodPolicy": "All"})
    job.set_phase("worker-1", "Failed", pod_reason="Evicted")
    status = job.wait_states("Created", "Running=False", "Failed")
    assert job.condition("Failed")["reason"] == "MPIJobEvicted"
    assert status["completionTime"]
    job.wait_pods()


def test_limits_are_those_of_the_launcher(stage: Stage) -> None:
    policy = {"ttlSecondsAfterFinished": 100, "activeDeadlineSeconds": 200, "backoffLimit": 3}
    submit(stage, run_policy=policy)
    found = stage.wait(lambda: stage.find(JOB, "pi-launcher"))
    assert found is not None
    assert {name: found["spec"][name] for name in policy} == policy

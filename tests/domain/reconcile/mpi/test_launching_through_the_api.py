"""MPIJob v1: what the launcher and the workers are given, and what stands beside them."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.kinds.training.job import Place
from corral.kinds.training.status import JobStatus, ReplicaStatus
from corral.kinds.training.validation.mpi_rules import mpi_errors
from corral.reconcile.frameworks.addressing import ClusterAddressing
from corral.reconcile.frameworks.framework import RoleTally
from corral.reconcile.frameworks.mpi import MPI
from corral.reconcile.training.decision import decide
from corral.reconcile.training.pods import pod_of
from corral.reconcile.training.world import Settings, World
from tests.domain.reconcile.mpi.builders import env, heard, mpi_job, mpi_v2_job, pod, read, template, workers

LAUNCHER, FIRST = Place("Launcher", 0), Place("Worker", 0)


def made_pod(obj: Object, place: Place) -> Object:
    return pod_of(MPI, read(obj), place, JobStatus(), Settings())


def companions(obj: Object, *pods: Any) -> dict[str, Object]:
    return {one["kind"]: one for one in MPI.companions(read(obj), pods)}


def gpu(name: str) -> Object:
    return template(resources={"limits": {name: 1}})


def test_launcher_has_no_index_and_workers_have_one() -> None:
    launcher, worker = made_pod(mpi_job(), LAUNCHER), made_pod(mpi_job(), FIRST)
    assert (launcher["metadata"]["name"], worker["metadata"]["name"]) == ("pi-launcher", "pi-worker-0")
    assert "training.kubeflow.org/replica-index" not in launcher["metadata"]["labels"]
    assert launcher["metadata"]["labels"]["training.kubeflow.org/job-role"] == "master"
    assert worker["metadata"]["labels"]["training.kubeflow.org/replica-index"] == "0"
    assert "training.kubeflow.org/job-role" not in worker["metadata"]["labels"]


@pytest.mark.parametrize(
    ("resource", "want_gpu"),
    [("nvidia.com/gpu", True), ("amd.com/gpu", True), ("aliyun.com/gpu-mem", True), ("cpu", False)],
)
def test_launcher_with_gpu_works_too(resource: str, want_gpu: bool) -> None:
    job = mpi_job(launcher=gpu(resource), slotsPerWorker=4)
    data = companions(job, *workers(1))["ConfigMap"]["data"]
    hosts = ["pi-worker-0 slots=4", "pi-worker-1 slots=4"]
    assert data["hostfile"].splitlines() == (["pi-launcher slots=4", *hosts] if want_gpu else hosts)
    found = ["echo pi-launcher:4"] * want_gpu + ["echo pi-worker-0:4"]
    assert data["discover_hosts.sh"].splitlines() == ["#!/bin/sh", *found]
    assert ("NVIDIA_VISIBLE_DEVICES" in env(made_pod(job, LAUNCHER)["spec"]["containers"][0])) is not want_gpu


def test_host_discovery_lists_running_workers_by_name_until_they_leave() -> None:
    job = mpi_job(12)
    pods = [pod("pi-worker-10"), pod("pi-worker-2"), pod("pi-worker-3", "Pending"), pod("pi-launcher")]
    script = companions(job, *pods)["ConfigMap"]["data"]["discover_hosts.sh"]
    assert script == "#!/bin/sh\necho pi-worker-10:1\necho pi-worker-2:1"
    leaving = [pod("pi-worker-10", deleting=True), pod("pi-worker-2")]
    assert companions(job, *leaving)["ConfigMap"]["data"]["discover_hosts.sh"] == "#!/bin/sh\necho pi-worker-2:1"


def test_remote_shell_runs_the_command_in_the_named_pod(tmp_path: Path) -> None:
    script = companions(mpi_job(mainContainer="mpi"))["ConfigMap"]["data"]["kubexec.sh"]
    kubectl = tmp_path / "kubectl"
    kubectl.write_text('#!/bin/sh\nfor one in "$@"; do echo "$one"; done\n')
    kubectl.chmod(0o755)
    wrapper = tmp_path / "kubexec.sh"
    wrapper.write_text(script.replace("/opt/kube", str(tmp_path)))
    ran = subprocess.run(
        ["sh", wrapper, "pi-worker-1", "orted", "-mca", "x y"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [
        "exec", "pi-worker-1", "--container", "mpi", "--", "/bin/sh", "-c", "orted -mca x y",
    ]  # fmt: skip
    assert "--container" not in companions(mpi_job())["ConfigMap"]["data"]["kubexec.sh"]


@pytest.mark.parametrize(
    "own",
    [
        (),
        ("I_MPI_HYDRA_BOOTSTRAP",),
        ("I_MPI_HYDRA_BOOTSTRAP_EXEC",),
        ("I_MPI_HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP_EXEC"),
    ],
)
def test_bootstrap_of_intel_mpi_may_be_the_users_own(own: tuple[str, ...]) -> None:
    given = [{"name": one, "value": "mine"} for one in own]
    told = env(made_pod(mpi_job(launcher=template(env=given)), LAUNCHER)["spec"]["containers"][0])
    defaults = {"I_MPI_HYDRA_BOOTSTRAP": "rsh", "I_MPI_HYDRA_BOOTSTRAP_EXEC": "/etc/mpi/kubexec.sh"}
    assert {one: told[one] for one in defaults} == defaults | dict.fromkeys(own, "mine")
    assert told["OMPI_MCA_plm_rsh_agent"] == "/etc/mpi/kubexec.sh"
    assert told["OMPI_MCA_orte_default_hostfile"] == "/etc/mpi/hostfile"


def test_only_the_first_container_of_the_launcher_is_told() -> None:
    launcher = template({"containers": [{"name": "mpi"}, {"name": "side"}]})
    first, second = made_pod(mpi_job(launcher=launcher), LAUNCHER)["spec"]["containers"]
    assert "OMPI_MCA_plm_rsh_agent" in env(first)
    assert second == {"name": "side"}
    assert MPI.environment(read(mpi_job()), FIRST, ClusterAddressing()) == ()


def test_launcher_gets_kubectl_from_an_init_container() -> None:
    spec = made_pod(mpi_job(launcher=template({"initContainers": [{"name": "mine"}]})), LAUNCHER)["spec"]
    assert [one["name"] for one in spec["initContainers"]] == ["mine", "kubectl-delivery"]
    delivery = spec["initContainers"][1]
    assert env(delivery) == {"TARGET_DIR": "/opt/kube", "NAMESPACE": "ml"}
    assert delivery["resources"]["limits"] == {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}
    mounts = {one["mountPath"] for one in spec["containers"][0]["volumeMounts"]}
    assert mounts == {"/opt/kube", "/etc/mpi"}
    items = spec["volumes"][1]["configMap"]["items"]
    assert {one["key"]: one["mode"] for one in items} == {
        "kubexec.sh": 0o555,
        "hostfile": 0o444,
        "discover_hosts.sh": 0o555,
    }


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ({}, (["sleep"], ["365d"])),
        ({"args": ["mine"]}, (["sleep"], ["365d"])),
        ({"command": ["mine"], "args": ["a"]}, (["mine"], ["a"])),
    ],
)
def test_worker_without_command_sleeps(given: Object, want: tuple[list[str], list[str]]) -> None:
    container = made_pod(mpi_job(worker=template(**given)), FIRST)["spec"]["containers"][0]
    assert (container["command"], container["args"]) == want
    assert [one["mountPath"] for one in container["volumeMounts"]] == ["/etc/mpi"]


def test_launcher_may_run_commands_in_its_workers_only() -> None:
    found = companions(mpi_job())
    assert found["Role"]["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {
            "apiGroups": [""],
            "resources": ["pods/exec"],
            "resourceNames": ["pi-worker-0", "pi-worker-1"],
            "verbs": ["create"],
        },
    ]
    assert {one["metadata"]["name"] for one in found.values()} == {"pi-config", "pi-launcher"}
    assert found["RoleBinding"]["subjects"] == [{"kind": "ServiceAccount", "name": "pi-launcher", "namespace": "ml"}]


def test_job_without_workers_may_not_run_commands_in_any_pod() -> None:
    assert [one["resources"] for one in companions(mpi_job(None))["Role"]["rules"]] == [["pods"]]


def test_account_of_the_template_is_used_and_bound() -> None:
    job = mpi_job(launcher=template({"serviceAccountName": "mine"}))
    found = companions(job)
    assert found["ServiceAccount"]["metadata"]["name"] == "mine"
    assert found["RoleBinding"]["subjects"][0]["name"] == "mine"
    assert made_pod(job, LAUNCHER)["spec"]["serviceAccountName"] == "mine"
    assert "ServiceAccount" not in companions(job, pod("pi-launcher"))


def test_launcher_decides() -> None:
    job = read(mpi_job())
    waiting = {"Launcher": RoleTally(1, active=1), "Worker": RoleTally(2)}
    done = {"Launcher": RoleTally(1, succeeded=1), "Worker": RoleTally(2, active=2)}
    assert MPI.is_running(job, waiting)
    assert not MPI.has_succeeded(job, waiting)
    assert MPI.has_succeeded(job, done)
    assert not MPI.is_running(job, {"Launcher": RoleTally(1), "Worker": RoleTally(2, active=2)})


@pytest.mark.parametrize(
    ("launcher", "want"),
    [
        (ReplicaStatus(active=1), ReplicaStatus(active=2)),
        (ReplicaStatus(succeeded=1), ReplicaStatus()),
        (ReplicaStatus(failed=1), ReplicaStatus()),
    ],
)
def test_workers_are_not_counted_once_the_launcher_has_ended(launcher: ReplicaStatus, want: ReplicaStatus) -> None:
    counts = {"Launcher": launcher, "Worker": ReplicaStatus(active=2)}
    assert MPI.reported(read(mpi_job()), [], counts) == {"Launcher": launcher, "Worker": want}


@pytest.mark.parametrize(
    ("roles", "want"),
    {
        "no roles": ({}, ["spec.mpiReplicaSpecs: Required value: must be required"]),
        "no launcher": (
            {"Worker": {"template": template()}},
            ["spec.mpiReplicaSpecs[Launcher]: Required value: must be present"],
        ),
        "two launchers": (
            {"Launcher": {"replicas": 2, "template": template()}},
            ["spec.mpiReplicaSpecs[Launcher].replicas: Invalid value: 2: must be 1"],
        ),
        "another role": (
            {"Launcher": {"template": template()}, "PS": {"template": template()}},
            ['spec.mpiReplicaSpecs[PS]: Unsupported value: "PS": supported values: "Launcher", "Worker"'],
        ),
        "no containers": (
            {"Launcher": {"template": {}}},
            ["spec.mpiReplicaSpecs[Launcher].template.spec.containers: Required value: must be specified"],
        ),
        "nameless and without image": (
            {"Launcher": {"template": {"spec": {"containers": [{}]}}}},
            [
                "spec.mpiReplicaSpecs[Launcher].template.spec.containers[0].image: Required value: must be required",
                "spec.mpiReplicaSpecs[Launcher].template.spec.containers[0].name: Required value: must be required",
            ],
        ),
    }.values(),
)
def test_what_cannot_run_is_told_field_by_field(roles: Object, want: list[str]) -> None:
    job = mpi_job()
    job["spec"]["mpiReplicaSpecs"] = roles
    assert [str(one) for one in mpi_errors(job)] == want


@pytest.mark.parametrize(
    ("name", "count", "told"),
    [
        ("n" * 55, 1, 'is too long: its pod "NAME-launcher" would have a name of 64 characters, and 63 are allowed'),
        ("n" * 54, 11, 'is too long: its pod "NAME-worker-10" would have a name of 64 characters, and 63 are allowed'),
        ("n" * 55, 0, 'is too long: its pod "NAME-launcher" would have a name of 64 characters, and 63 are allowed'),
        ("1st", 1, "should match: a DNS-1035 label must consist of "),
        ("a.b", 1, "should match: a DNS-1035 label must consist of "),
    ],
)
def test_pods_must_be_able_to_have_their_names(name: str, count: int, told: str) -> None:
    job = mpi_job(count)
    job["metadata"]["name"] = name
    [said] = map(str, mpi_errors(job))
    assert said.startswith(f'metadata.name: Invalid value: "{name}": {told.replace("NAME", name)}')


def test_words_that_mean_nothing_are_told() -> None:
    job = mpi_job()
    job["spec"]["mpiReplicaSpecs"]["Worker"]["restartPolicy"] = "Sometimes"
    job["spec"]["runPolicy"] = {"cleanPodPolicy": "Some", "backoffLimit": -1}
    assert [str(one) for one in mpi_errors(job)] == [
        'spec.mpiReplicaSpecs[Worker].restartPolicy: Unsupported value: "Sometimes": '
        'supported values: "Always", "OnFailure", "Never", "ExitCode"',
        'spec.runPolicy.cleanPodPolicy: Unsupported value: "Some": supported values: "All", "None", "Running"',
        "spec.runPolicy.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
    ]
    assert [reason for reason, _ in heard(decide(World(job), 0.0))] == ["MPIJobFailedValidation"]


PATTERNS = {"loss: (": "is no RE2 expression: ", "loss: [0-9]+": "must have a group named step, total or a metric"}


@pytest.mark.parametrize("make", [mpi_job, mpi_v2_job])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_by_which_no_progress_can_be_read_is_told(make: Any, pattern: str) -> None:
    job = make()
    job["spec"]["runPolicy"] = {"progress": {"pattern": pattern}}
    told = f'spec.runPolicy.progress.pattern: Invalid value: "{pattern}": {PATTERNS[pattern]}'
    assert any(told in message for _, message in heard(decide(World(job), 0.0)))


def test_what_can_run_is_let_be() -> None:
    assert mpi_errors(mpi_job()) == []
    assert mpi_errors(mpi_job(None)) == []
    longest = mpi_job(10)
    longest["metadata"]["name"] = "n" * 54
    assert mpi_errors(longest) == []


def test_restart_policy_in_a_template_is_told_in_the_words_of_this_kind() -> None:
    own = template({"restartPolicy": "Always"})
    first, second = mpi_job(launcher=own), mpi_v2_job()
    second["spec"]["mpiReplicaSpecs"]["Worker"]["template"] = own
    assert "SettedPodTemplateRestartPolicy" in [reason for reason, _ in heard(decide(World(first), 0.0))]
    assert "SetPodTemplateRestartPolicy" in [reason for reason, _ in heard(decide(World(second), 0.0))]

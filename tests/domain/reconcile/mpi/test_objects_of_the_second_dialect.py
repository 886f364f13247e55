"""MPIJob v2beta1: which objects are made, and what stands in them."""

from typing import Any

import pytest

from corral.kinds.objects import Object
from corral.reconcile.frameworks.addressing import ClusterAddressing
from corral.reconcile.plan import Create, Plan
from corral.reconcile.training.world import Gangs, Settings
from tests.domain.reconcile.mpi.builders import (
    UID,
    Cluster,
    env,
    made,
    mpi_v2_job,
    name,
    pod,
    template,
    workers,
)

PREFIX = "training.kubeflow.org/"


def first_plan(settings: Settings | None = None, workers: int | None = 2, **spec: Any) -> Plan:
    return Cluster(mpi_v2_job(workers, **spec), settings).decide()


def one(plan: Plan, kind: str) -> Object:
    (found,) = made(plan, kind)
    return found


def with_roles(launcher: Object, worker: Object, **spec: Any) -> Object:
    job = mpi_v2_job(1, **spec)
    job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"] = launcher
    job["spec"]["mpiReplicaSpecs"]["Worker"]["template"] = worker
    return job


def test_everything_is_made_at_once_with_the_job_as_owner() -> None:
    plan = first_plan()
    everything = {(each.object["kind"], name(each.object)) for each in plan if isinstance(each, Create)}
    assert everything == {
        ("Service", "pi"),
        ("ConfigMap", "pi-config"),
        ("Secret", "pi-ssh"),
        ("Pod", "pi-worker-0"),
        ("Pod", "pi-worker-1"),
        ("Job", "pi-launcher"),
    }
    for each in plan:
        if isinstance(each, Create):
            (owner,) = each.object["metadata"]["ownerReferences"]
            assert (owner["uid"], owner["controller"], owner["blockOwnerDeletion"]) == (UID, True, True)


def test_keys_come_before_the_pods_that_mount_them() -> None:
    stages = [[each.object["kind"] for each in stage if isinstance(each, Create)] for stage in first_plan().stages]
    assert set(stages[0]) == {"Service", "ConfigMap", "Secret"}
    assert set(stages[1]) == {"Pod", "Job"}


def test_keys_are_filled_in_by_the_executor() -> None:
    (secret,) = [each for each in first_plan() if isinstance(each, Create) and each.object["kind"] == "Secret"]
    assert (secret.fill, secret.object["type"]) == ("ssh-key-pair", "kubernetes.io/ssh-auth")
    assert "data" not in secret.object


def test_keys_are_not_asked_for_again_while_a_pod_may_hold_them() -> None:
    cluster = Cluster(mpi_v2_job())
    cluster.step()
    cluster.pods = workers(1)
    assert made(cluster.decide(), "Secret") == []


def test_keys_that_can_be_seen_are_not_made_again() -> None:
    cluster = Cluster(mpi_v2_job())
    cluster.step()
    assert len(made(cluster.decide(), "Secret")) == 1
    cluster.companions += cluster.secrets
    assert made(cluster.decide(), "Secret") == []


def test_service_names_all_pods_of_the_job() -> None:
    service = one(first_plan(), "Service")
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {PREFIX + "operator-name": "mpi-operator", PREFIX + "job-name": "pi"},
    }
    assert service["metadata"]["labels"]["app"] == "pi"
    assert one(first_plan(runLauncherAsWorker=True), "Service")["spec"]["publishNotReadyAddresses"] is True


@pytest.mark.parametrize(
    ("implementation", "want_line", "want_env"),
    [
        (
            "OpenMPI",
            "pi-worker-0.pi.ml.svc slots=2",
            {
                "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
                "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
                "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
                "OMPI_MCA_orte_set_default_slots": "2",
            },
        ),
        (
            "Intel",
            "pi-worker-0.pi.ml.svc:2",
            {
                "I_MPI_HYDRA_HOST_FILE": "/etc/mpi/hostfile",
                "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "-o ConnectionAttempts=10",
                "I_MPI_PERHOST": "2",
            },
        ),
        (
            "MPICH",
            "pi-worker-0.pi.ml.svc:2",
            {"HYDRA_HOST_FILE": "/etc/mpi/hostfile", "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10"},
        ),
    ],
)
def test_each_implementation_has_its_own_words(implementation: str, want_line: str, want_env: dict[str, str]) -> None:
    plan = first_plan(workers=1, mpiImplementation=implementation)
    assert one(plan, "ConfigMap")["data"]["hostfile"] == want_line + "\n"
    told = env(one(plan, "Job")["spec"]["template"]["spec"]["containers"][0])
    blank = {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}
    assert told == {"K_MPI_JOB_ROLE": "launcher", **want_env, **blank}


def test_launcher_that_works_too_comes_first_and_shifts_the_others() -> None:
    plan = first_plan(runLauncherAsWorker=True)
    data = one(plan, "ConfigMap")["data"]
    assert data["hostfile"].splitlines() == [
        "pi-launcher.pi.ml.svc slots=2",
        "pi-worker-0.pi.ml.svc slots=2",
        "pi-worker-1.pi.ml.svc slots=2",
    ]
    assert data["discover_hosts.sh"] == "#!/bin/sh\necho pi-launcher.pi.ml.svc\n"
    assert [each["metadata"]["labels"][PREFIX + "replica-index"] for each in made(plan, "Pod")] == ["1", "2"]
    launcher = one(plan, "Job")["spec"]["template"]
    assert launcher["metadata"]["labels"][PREFIX + "replica-index"] == "0"
    assert "NVIDIA_VISIBLE_DEVICES" not in env(launcher["spec"]["containers"][0])


def test_labels_tell_operator_job_and_role() -> None:
    plan = first_plan()
    labels = {PREFIX + "operator-name": "mpi-operator", PREFIX + "job-name": "pi"}
    launcher = one(plan, "Job")["spec"]["template"]["metadata"]["labels"]
    assert launcher == {**labels, PREFIX + "job-role": "launcher"}
    worker = made(plan, "Pod")[1]["metadata"]["labels"]
    assert worker == {**labels, PREFIX + "job-role": "worker", PREFIX + "replica-index": "1"}


def test_running_workers_can_be_discovered() -> None:
    cluster = Cluster(mpi_v2_job(3))
    cluster.step()
    cluster.pods = [pod("pi-worker-2"), pod("pi-worker-0"), pod("pi-worker-1", "Pending")]
    cluster.step()
    config = next(each for each in cluster.companions if each["kind"] == "ConfigMap")
    want = "#!/bin/sh\necho pi-worker-0.pi.ml.svc\necho pi-worker-2.pi.ml.svc\n"
    assert config["data"]["discover_hosts.sh"] == want


def test_cluster_domain_ends_all_names() -> None:
    plan = first_plan(Settings(addressing=ClusterAddressing("corp.example")), workers=1)
    assert one(plan, "ConfigMap")["data"]["hostfile"] == "pi-worker-0.pi.ml.svc.corp.example slots=2\n"
    assert one(plan, "Pod")["spec"]["dnsConfig"]["searches"] == ["pi.ml.svc.corp.example"]


def test_worker_waits_for_ssh_under_its_own_host_name() -> None:
    worker = one(first_plan(workers=1), "Pod")
    spec = worker["spec"]
    assert (spec["hostname"], spec["subdomain"], spec["restartPolicy"]) == ("pi-worker-0", "pi", "Never")
    assert spec["dnsConfig"]["searches"] == ["pi.ml.svc.cluster.local"]
    assert spec["containers"][0]["command"] == ["/usr/sbin/sshd", "-De"]
    assert env(spec["containers"][0]) == {"K_MPI_JOB_ROLE": "worker"}


@pytest.mark.parametrize("given", [{"command": ["mine"]}, {"args": ["mine"]}])
def test_worker_with_a_command_of_its_own_keeps_it(given: Object) -> None:
    plan = Cluster(with_roles(template(), template(**given))).decide()
    container = one(plan, "Pod")["spec"]["containers"][0]
    assert {field: container.get(field) for field in given} == given
    assert container.get("command") != ["/usr/sbin/sshd", "-De"]


def test_keys_of_root_are_for_root_alone() -> None:
    spec = one(first_plan(workers=1), "Pod")["spec"]
    secret = spec["volumes"][0]["secret"]
    assert (secret["secretName"], secret["defaultMode"]) == ("pi-ssh", 0o600)
    files = [(each["key"], each["path"]) for each in secret["items"]]
    assert files == [
        ("ssh-privatekey", "id_rsa"),
        ("ssh-publickey", "id_rsa.pub"),
        ("ssh-publickey", "authorized_keys"),
    ]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "ssh-auth", "mountPath": "/root/.ssh"}]


def test_keys_of_another_user_have_no_mode_of_ours() -> None:
    spec = one(first_plan(workers=1, sshAuthMountPath="/home/me/.ssh"), "Pod")["spec"]
    assert "defaultMode" not in spec["volumes"][0]["secret"]
    assert spec["containers"][0]["volumeMounts"][0]["mountPath"] == "/home/me/.ssh"


def test_launcher_mounts_the_host_file() -> None:
    spec = one(first_plan(), "Job")["spec"]["template"]["spec"]
    assert [each["mountPath"] for each in spec["containers"][0]["volumeMounts"]] == ["/root/.ssh", "/etc/mpi"]
    items = spec["volumes"][1]["configMap"]["items"]
    assert {each["key"]: each["mode"] for each in items} == {"hostfile": 0o444, "discover_hosts.sh": 0o555}
    assert (spec["hostname"], spec["subdomain"], spec["restartPolicy"]) == ("pi-launcher", "pi", "OnFailure")


def test_pods_on_the_host_network_still_find_each_other() -> None:
    host = template({"hostNetwork": True})
    plan = Cluster(with_roles(host, host)).decide()
    assert one(plan, "Pod")["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert one(plan, "Job")["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_limits_are_the_launchers() -> None:
    policy = {"backoffLimit": 3, "activeDeadlineSeconds": 60, "ttlSecondsAfterFinished": 100}
    spec = one(first_plan(runPolicy=policy), "Job")["spec"]
    assert {field: spec[field] for field in policy} == policy
    assert spec["podReplacementPolicy"] == "Failed"
    plain = one(first_plan(), "Job")["spec"]
    assert set(plain) == {"podReplacementPolicy", "template"}


def test_record_of_a_launcher_outlives_a_short_absence_of_the_operator() -> None:
    spec = one(first_plan(runPolicy={"ttlSecondsAfterFinished": 0}), "Job")["spec"]
    assert spec["ttlSecondsAfterFinished"] == 60


def test_gang_scheduler_replaces_the_one_of_the_template() -> None:
    own = template({"schedulerName": "mine"})
    settings = Settings(gangs=Gangs("volcano", "volcano"))
    plan = Cluster(with_roles(own, own, runPolicy={"schedulingPolicy": {"minAvailable": 1}}), settings).decide()
    assert one(plan, "Pod")["spec"]["schedulerName"] == "volcano"
    assert one(plan, "Pod")["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "pi"
    assert one(plan, "Job")["spec"]["template"]["spec"]["schedulerName"] == "volcano"
    assert one(plan, "PodGroup")["spec"]["minMember"] == 1


def test_gang_counts_launcher_and_workers_and_may_name_its_queue_in_an_annotation() -> None:
    job = mpi_v2_job(3)
    job["metadata"]["annotations"] = {"scheduling.volcano.sh/queue-name": "research"}
    group = one(Cluster(job, Settings(gangs=Gangs("volcano", "volcano"))).decide(), "PodGroup")
    assert (group["spec"]["minMember"], group["spec"]["queue"]) == (4, "research")
    plugins = Settings(gangs=Gangs("scheduler-plugins", "sp"))
    group = one(Cluster(mpi_v2_job(3), plugins).decide(), "PodGroup")
    assert group["spec"]["scheduleTimeoutSeconds"] == 0


def test_name_held_by_somebody_else_is_told() -> None:
    for each in first_plan():
        if isinstance(each, Create):
            assert each.told is not None
            assert each.told.taken is not None
            assert each.told.taken.reason == "ErrResourceExists"

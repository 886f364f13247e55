"""What is different for pods of MPI jobs here: workers that only wait, and launchers that are told of one machine."""

from typing import Any

import pytest

from corral.engine.node.mpi.pod_finding import is_door
from corral.engine.node.mpi.roles import (
    LaunchSite,
    launcher_variables,
    role_of,
    worker_command,
    worker_variables,
)
from corral.kinds.objects import Object
from corral.kinds.training.job import Place
from corral.kinds.training.reading import read_job
from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.mpi import MPI
from corral.reconcile.training.mpi_v2.pods import launcher_template, worker_pod
from corral.reconcile.training.pods import pod_of
from corral.reconcile.training.world import Settings
from tests.domain.reconcile.training_builders import manifest, template


def first(role: str, **container: Any) -> Object:
    """Returns a pod of the first dialect as the operator makes it."""
    given = {"replicas": 1, "template": template("mpi", **container)}
    job = read_job(manifest("MPIJob", name="pi", Launcher=given, Worker=given))
    return pod_of(MPI, job, Place(role, 0), JobStatus(), Settings())


def second(role: str, implementation: str = "OpenMPI", **container: Any) -> Object:
    """Returns a pod of the second dialect as the operator makes it."""
    given = {"replicas": 1, "template": template("mpi", **container)}
    job = read_job(manifest("MPIJob", name="pi", mpiImplementation=implementation, Launcher=given, Worker=given))
    if role == "Worker":
        return worker_pod(job, 0, Settings())
    made = launcher_template(job, Settings())
    return {**made, "metadata": {**made["metadata"], "name": "pi-launcher-x7k2p", "namespace": "ml"}}


def plain_env(pod: Object) -> dict[str, str]:
    return {one["name"]: one["value"] for one in pod["spec"]["containers"][0]["env"] if "value" in one}


@pytest.mark.parametrize("dialect", [first, second])
def test_roles_are_known_in_both_dialects(dialect: Any) -> None:
    assert role_of(dialect("Launcher")) == "launcher"
    assert role_of(dialect("Worker")) == "worker"
    assert role_of({"metadata": {"labels": {"training.kubeflow.org/job-role": "launcher"}}}) is None


@pytest.mark.parametrize("dialect", [first, second])
def test_a_worker_as_the_operator_makes_it_waits_behind_a_door(dialect: Any) -> None:
    pod = dialect("Worker")
    command = worker_command(pod, pod["spec"]["containers"][0])
    assert command is not None
    assert is_door(command)


@pytest.mark.parametrize(
    ("command", "waits"),
    [
        (["/usr/sbin/sshd", "-De", "-f", "/etc/own"], True),
        (["sleep", "infinity"], True),
        (["bash", "-c", "exec /usr/sbin/sshd -De"], True),
        (["sh", "-c", "sleep 365d"], True),
        (["sh", "-c", "/usr/sbin/sshd -p 12345; sleep infinity"], False),
        (["sh", "-c", "prepare && /usr/sbin/sshd -D"], False),
        (["sh", "-c", ""], False),
        (["python", "serve.py"], False),
        ([], False),
    ],
)
def test_only_a_worker_that_merely_waits_is_replaced(command: list[str], waits: bool) -> None:
    pod = first("Worker")
    assert (worker_command(pod, {"name": "mpi", "command": command}) is not None) == waits
    assert worker_command(first("Launcher"), {"name": "mpi", "command": command}) is None


def test_a_launcher_of_the_first_dialect_uses_the_script_of_its_job() -> None:
    pod = first("Launcher")
    told = launcher_variables(pod, plain_env(pod), LaunchSite("/node/bin"))
    assert told["PRTE_MCA_plm_ssh_agent"] == "/etc/mpi/kubexec.sh"
    assert told["PRTE_MCA_prte_default_hostfile"] == told["CORRAL_MPI_HOSTS"] == "/etc/mpi/hostfile"
    assert told["HYDRA_LAUNCHER"] == "rsh"
    assert "OMPI_MCA_plm_rsh_agent" not in told
    assert "OMPI_ALLOW_RUN_AS_ROOT" not in told


@pytest.mark.parametrize("implementation", ["OpenMPI", "MPICH", "Intel"])
def test_a_launcher_of_the_second_dialect_uses_our_ssh(implementation: str) -> None:
    pod = second("Launcher", implementation)
    told = launcher_variables(pod, plain_env(pod), LaunchSite("/node/bin", is_root=True))
    agents = ("OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "HYDRA_LAUNCHER_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC")
    assert {told[name] for name in agents} == {"/node/bin/ssh"}
    assert told["CORRAL_MPI_HOSTS"] == "/etc/mpi/hostfile"
    assert told["OMPI_ALLOW_RUN_AS_ROOT"] == told["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"
    assert ("PRTE_MCA_prte_default_hostfile" in told) == (implementation == "OpenMPI")


def test_a_host_file_is_named_only_to_those_who_can_read_it() -> None:
    pod = second("Launcher", "OpenMPI")
    assert "HYDRA_HOST_FILE" not in launcher_variables(pod, plain_env(pod), LaunchSite("/node/bin"))


def test_what_the_pod_sets_itself_stays() -> None:
    pod = second("Launcher")
    env = {**plain_env(pod), "OMPI_MCA_coll": "tuned", "HYDRA_LAUNCHER": "fork"}
    told = launcher_variables(pod, env, LaunchSite("/node/bin"))
    assert not told.keys() & env.keys()


def test_workers_and_other_pods_are_told_nothing() -> None:
    others: list[Object] = [first("Worker"), second("Worker"), {"metadata": {}}]
    for pod in others:
        assert launcher_variables(pod, {}, LaunchSite("/node/bin", is_root=True)) == {}


def test_each_worker_keeps_what_is_a_hosts_own_in_its_own_folder() -> None:
    told = worker_variables(second("Worker"), {}, "/node/pods/uid/mpi")
    assert told["OMPI_MCA_btl_sm_backing_directory"] == told["OMPI_MCA_orte_tmpdir_base"] == "/node/pods/uid/mpi"
    assert not worker_variables(second("Launcher"), {}, "/node/pods/uid/mpi")


@pytest.mark.parametrize(
    ("container", "is_left_alone"),
    [
        ({"command": ["mpirun", "-mca", "btl_tcp_if_exclude", "lo,docker0", "train"]}, True),
        ({"env": [{"name": "OMPI_MCA_btl_tcp_if_exclude", "value": "lo"}]}, True),
        ({"command": ["mpirun", "train"]}, False),
    ],
)
def test_interfaces_that_somebody_chose_are_not_chosen_again(container: Object, is_left_alone: bool) -> None:
    pod = second("Launcher", **container)
    told = launcher_variables(pod, plain_env(pod), LaunchSite("/node/bin"))
    assert ("OMPI_MCA_btl_tcp_if_include" not in told) == is_left_alone


def test_where_nothing_is_mounted_the_files_of_the_job_are_where_they_really_are() -> None:
    pod = first("Launcher")
    told = launcher_variables(pod, {}, LaunchSite("/node/bin", "/node/pods/uid/volumes/mpi-job-config"))
    assert told["CORRAL_MPI_HOSTS"] == "/node/pods/uid/volumes/mpi-job-config/hostfile"
    assert told["OMPI_MCA_plm_rsh_agent"] == "/node/pods/uid/volumes/mpi-job-config/kubexec.sh"

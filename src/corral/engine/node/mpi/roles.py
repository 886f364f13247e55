"""What is different for pods of MPI jobs on one machine: how workers wait, and what launchers are told besides.

On a cluster a launcher reaches its workers over `kubectl exec` or ssh, and each host has its own name and processors. Here an
agent joins the workers, and all hosts are one machine: processes share its processors, and a launcher must not be surprised
by that. Nothing that the pod itself sets is changed.
"""

import os
import re
import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple

from corral.engine.node.mpi.exec_agent import HOSTS_VARIABLE
from corral.engine.node.mpi.own_programs import program
from corral.engine.node.mpi.pod_finding import DOOR
from corral.kinds.objects import Object, labels_of
from corral.kinds.training.mpi import MPI_JOB, MPI_JOB_V2
from corral.reconcile.frameworks.mpi import CONFIG_PATH, HOSTFILE, KUBEXEC
from corral.reconcile.training.labels import JOB_ROLE, OPERATOR_NAME, REPLICA_TYPE

Role = Literal["launcher", "worker"]

_HOSTFILE_VARIABLES = ("OMPI_MCA_orte_default_hostfile", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE")
_LOOPBACK = "lo" if sys.platform == "linux" else "lo0"

_SSHD = re.compile(r"\s*(?:exec\s+)?(?:\S*/)?sshd(?:\s[^;&|<>]*)?")
_SHELLS = ("sh", "bash", "dash")


def role_of(pod: Object) -> Role | None:
    """Returns what a pod is in an MPI job of either dialect; None for pods of other kinds."""
    labels = labels_of(pod)
    match labels.get(OPERATOR_NAME):
        case MPI_JOB_V2.controller_name:
            role = labels.get(JOB_ROLE)
        case MPI_JOB.controller_name:
            role = labels.get(REPLICA_TYPE)
        case _:
            return None
    return "launcher" if role == "launcher" else "worker" if role == "worker" else None


def worker_command(pod: Object, container: Object) -> tuple[str, ...] | None:
    """Returns what a worker runs in place of a program that only waits to be reached; None when it has work of its own."""
    if role_of(pod) != "worker" or not _only_waits([*(container.get("command") or ()), *(container.get("args") or ())]):
        return None
    return program(DOOR)


def _only_waits(argv: list[str]) -> bool:
    name = os.path.basename(argv[0]) if argv else ""
    if name in _SHELLS and len(argv) == 3 and re.fullmatch(r"-l?e?c", argv[1]):
        return _SSHD.fullmatch(argv[2]) is not None or (argv[2].split()[:1] == ["sleep"] and len(argv[2].split()) == 2)
    return name == "sshd" or (name == "sleep" and len(argv) == 2)


class LaunchSite(NamedTuple):
    """Where a launcher runs."""

    stand_ins: str
    """The folder with our ssh and kubectl."""
    config: str = CONFIG_PATH
    """Where the files of the job are mounted, as the launcher finds them."""
    is_root: bool = False


def launcher_variables(pod: Object, env: Mapping[str, str], site: LaunchSite) -> dict[str, str]:
    """Returns the variables to add to those of a launcher; none for other pods, and none that it has already.

    Open MPI 4 reads those that begin with OMPI, its runtime since version 5 those that begin with PRTE, MPICH those with
    HYDRA, Intel's those with I_MPI.
    """
    if role_of(pod) != "launcher":
        return {}
    is_second = labels_of(pod).get(OPERATOR_NAME) == MPI_JOB_V2.controller_name
    agent = env.get("OMPI_MCA_plm_rsh_agent") or os.path.join(site.config, KUBEXEC)
    if is_second:
        agent = os.path.join(site.stand_ins, "ssh")
    hostfile = next((env[name] for name in _HOSTFILE_VARIABLES if env.get(name)), os.path.join(site.config, HOSTFILE))
    told = {HOSTS_VARIABLE: hostfile, **_agent(agent, is_second), **_same_as(env), **_ON_ONE_MACHINE}
    if not _names_interfaces(pod, env):
        told |= _ON_LOOPBACK
    if site.is_root:
        told |= dict.fromkeys(_AS_ROOT, "1")
    return {name: value for name, value in told.items() if name not in env}


def worker_variables(pod: Object, env: Mapping[str, str], own_folder: str) -> dict[str, str]:
    """Returns the variables to add to those of a worker: a folder of its own for what hosts keep to themselves.

    Open MPI names its files by the name of the machine and the rank on it, so that workers on one machine would take each
    other's for their own, and crash. The launcher must not have these: it would hand them on to all workers.
    """
    if role_of(pod) != "worker":
        return {}
    told = {**dict.fromkeys(_HOST_FOLDERS, own_folder), **_ACROSS_USERS}
    return {name: value for name, value in told.items() if name not in env}


_HOST_FOLDERS = (
    "OMPI_MCA_orte_tmpdir_base",
    "PRTE_MCA_prte_tmpdir_base",
    "OMPI_MCA_btl_vader_backing_directory",
    "OMPI_MCA_btl_sm_backing_directory",
)


def _names_interfaces(pod: Object, env: Mapping[str, str]) -> bool:
    """Tells whether somebody chose interfaces: to include and to exclude at the same time is an error of Open MPI."""
    containers = pod.get("spec", {}).get("containers") or ()
    words = (word for one in containers for word in (*(one.get("command") or ()), *(one.get("args") or ())))
    return any("_tcp_if_" in text for text in (*env, *words))


def _agent(agent: str, is_second: bool) -> dict[str, str]:
    # As ssh, hydra gives options before the host, which the script of the first dialect does not understand.
    kind = "ssh" if is_second else "rsh"
    return {
        "OMPI_MCA_plm_rsh_agent": agent,
        "PRTE_MCA_plm_ssh_agent": agent,
        "HYDRA_LAUNCHER": kind,
        "HYDRA_LAUNCHER_EXEC": agent,
        "I_MPI_HYDRA_BOOTSTRAP": kind,
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": agent,
    }


_RENAMED = {
    "OMPI_MCA_orte_default_hostfile": "PRTE_MCA_prte_default_hostfile",
    "OMPI_MCA_orte_keep_fqdn_hostnames": "PRTE_MCA_prte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots": "PRTE_MCA_prte_set_default_slots",
}
"""What the runtime of Open MPI 5 calls otherwise, and does not take under its former name."""


def _same_as(env: Mapping[str, str]) -> dict[str, str]:
    return {later: env[former] for former, later in _RENAMED.items() if env.get(former)}


_ACROSS_USERS = {
    # Containers of an ordinary user may not open each other's files by way of /proc; files with names they may.
    "UCX_POSIX_USE_PROC_LINK": "n",
}
_ON_ONE_MACHINE = {
    **_ACROSS_USERS,
    # Hosts that are one machine share its processors: nobody owns one, and whoever waits lets others work.
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # This algorithm sorts processes by the name of their machine, and crashes when two hosts have the same.
    "OMPI_MCA_coll": "^han",
    # The daemons call back by an address that is there also without a network, and needs no name to be looked up.
    "HYDRA_IFACE": _LOOPBACK,
    "I_MPI_HYDRA_IFACE": _LOOPBACK,
}
_ON_LOOPBACK = {
    # Open MPI leaves loopback out by default. Its daemons since version 5 cannot do without another interface.
    "OMPI_MCA_if_base_retain_loopback": "1",
    "OMPI_MCA_oob_tcp_if_include": _LOOPBACK,
    "OMPI_MCA_btl_tcp_if_include": _LOOPBACK,
}
_AS_ROOT = (
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    "PRTE_ALLOW_RUN_AS_ROOT",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
)

"""The pods of the second dialect: workers, and the template of the launcher."""

from corral.kinds.objects import Object, copied, owner_reference
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.framework import Variable, variable
from corral.reconcile.frameworks.mpi import (
    CONFIG_PATH,
    CONFIG_VOLUME,
    DATA_MODE,
    DISCOVER,
    HOSTFILE,
    LAUNCHER,
    NO_GPU,
    SCRIPT_MODE,
    WORKER,
    config_volume,
    launcher_name,
    mount,
    slots_of,
)
from corral.reconcile.training.gangs import mark_member
from corral.reconcile.training.mpi_v2.dialect import (
    ROOT_SSH,
    as_gang,
    labels_of_role,
    search_domain,
    secret_name,
    spec_of,
    ssh_path,
    worker_name,
)
from corral.reconcile.training.world import Settings

_SSH_VOLUME = "ssh-auth"
_SSH_FILES = (("ssh-privatekey", "id_rsa"), ("ssh-publickey", "id_rsa.pub"), ("ssh-publickey", "authorized_keys"))
_SSHD = ["/usr/sbin/sshd", "-De"]
_PATIENCE = "-o ConnectionAttempts=10"
_HOSTS = f"{CONFIG_PATH}/{HOSTFILE}"


def worker_pod(job: TrainingJob, index: int, settings: Settings) -> Object:
    """Returns a worker as it is to be created."""
    name = worker_name(job, index)
    template = _from_template(job, Place(WORKER, index), name, settings)
    spec = template["spec"]
    dns = spec.get("dnsConfig") or {}
    searches = [*(dns.get("searches") or []), search_domain(job, settings.addressing)]
    spec["dnsConfig"] = {**dns, "searches": searches}
    first = spec["containers"][0]
    if not first.get("command") and not first.get("args"):
        first["command"] = list(_SSHD)
    _append(first, "env", [variable("K_MPI_JOB_ROLE", "worker")])
    owner = owner_reference(job.facts.resource, job.object)
    metadata = {"name": name, "namespace": job.namespace, **template["metadata"], "ownerReferences": [owner]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def launcher_template(job: TrainingJob, settings: Settings) -> Object:
    """Returns the template from which the launcher Job makes its pods."""
    template = _from_template(job, Place(LAUNCHER, 0), launcher_name(job), settings)
    spec = template["spec"]
    first = spec["containers"][0]
    _append(first, "env", _launcher_environment(job))
    _append(first, "volumeMounts", [mount(CONFIG_VOLUME, CONFIG_PATH)])
    _append(spec, "volumes", [config_volume(job, {HOSTFILE: DATA_MODE, DISCOVER: SCRIPT_MODE})])
    return template


def _launcher_environment(job: TrainingJob) -> list[Variable]:
    slots = slots_of(job)
    told = [variable("K_MPI_JOB_ROLE", "launcher")]
    match spec_of(job).mpi_implementation:
        case "Intel":
            told += [
                variable("I_MPI_HYDRA_HOST_FILE", _HOSTS),
                variable("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", _PATIENCE),
                variable("I_MPI_PERHOST", slots),
            ]
        case "MPICH":
            told += [variable("HYDRA_HOST_FILE", _HOSTS), variable("HYDRA_LAUNCH_EXTRA_ARGS", _PATIENCE)]
        case _:
            told += [
                variable("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
                variable("OMPI_MCA_orte_default_hostfile", _HOSTS),
                variable("OMPI_MCA_plm_rsh_args", _PATIENCE),
                variable("OMPI_MCA_orte_set_default_slots", slots),
            ]
    return told if spec_of(job).run_launcher_as_worker else [*told, *copied(NO_GPU)]


def _from_template(job: TrainingJob, place: Place, name: str, settings: Settings) -> Object:
    """Returns what both roles have in common: labels, gang, host name, keys and restart policy."""
    replicas = job.roles[place.role]
    given = replicas.template.get("metadata") or {}
    labels = {**(given.get("labels") or {}), **labels_of_role(job, place.role, place.index)}
    metadata: Object = {"labels": labels}
    for field in ("annotations", "finalizers"):
        if given.get(field):
            metadata[field] = copied(given[field])
    spec = copied(replicas.template.get("spec") or {})
    spec |= {"hostname": name, "subdomain": job.name, "restartPolicy": replicas.restart_policy}
    if spec.get("hostNetwork"):
        spec["dnsPolicy"] = "ClusterFirstWithHostNet"
    _append(spec, "volumes", [_ssh_volume(job)])
    _append(spec["containers"][0], "volumeMounts", [mount(_SSH_VOLUME, ssh_path(job))])
    template = {"metadata": metadata, "spec": spec}
    mark_member(settings.gangs, as_gang(job), place, template)
    if settings.gangs.dialect:
        spec["schedulerName"] = settings.gangs.scheduler_name
    return template


def _ssh_volume(job: TrainingJob) -> Object:
    """Returns the keys; root's may be read by root alone, another user's must be readable through the group."""
    items = [{"key": key, "path": path} for key, path in _SSH_FILES]
    secret: Object = {"secretName": secret_name(job), "items": items}
    if ssh_path(job) == ROOT_SSH:
        secret["defaultMode"] = 0o600
    return {"name": _SSH_VOLUME, "secret": secret}


def _append(holder: Object, field: str, items: list[Object]) -> None:
    holder[field] = [*(holder.get(field) or []), *items]

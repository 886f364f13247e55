"""MPI in its first dialect: a launcher that reaches the workers through the API, by `kubectl exec`.

The second dialect, which launches over ssh, has different objects and is decided in `corral.reconcile.training.mpi_v2`.
"""

from collections.abc import Iterator, Sequence
from shlex import quote

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.mpi import MPI_JOB, MPIJobSpec
from corral.kinds.training.status import Condition, ReplicaStatus
from corral.kinds.well_known import CONFIG_MAP, ROLE, ROLE_BINDING, SERVICE_ACCOUNT
from corral.reconcile.frameworks.addressing import Addressing
from corral.reconcile.frameworks.framework import Framework, ReplicaStatuses, Setting, Tally, Variable, variable

LAUNCHER, WORKER = "Launcher", "Worker"
CONFIG_PATH, KUBECTL_PATH = "/etc/mpi", "/opt/kube"
CONFIG_VOLUME, KUBECTL_VOLUME = "mpi-job-config", "mpi-job-kubectl"
HOSTFILE, KUBEXEC, DISCOVER = "hostfile", "kubexec.sh", "discover_hosts.sh"
SCRIPT_MODE, DATA_MODE = 0o555, 0o444
NO_GPU = (variable("NVIDIA_VISIBLE_DEVICES", ""), variable("NVIDIA_DRIVER_CAPABILITIES", ""))
"""Keeps a launcher that asks for no GPU from seeing those of its node."""

_DELIVERY = {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}


def slots_of(job: TrainingJob) -> int:
    """Returns the number of processes per worker."""
    spec: MPIJobSpec = job.spec
    return 1 if spec.slots_per_worker is None else spec.slots_per_worker


def launcher_name(job: TrainingJob) -> str:
    """Returns the name of the launcher, and of its account, role and binding."""
    return f"{job.name}-launcher"


def config_name(job: TrainingJob) -> str:
    """Returns the name of the ConfigMap with the host file."""
    return f"{job.name}-config"


def companion(resource: tuple[str, str], job: TrainingJob, name: str) -> Object:
    """Returns the head of an object that the job needs, by API version and kind."""
    metadata = {"name": name, "namespace": job.namespace, "labels": {"app": job.name}}
    return {"apiVersion": resource[0], "kind": resource[1], "metadata": metadata}


def _pod_name(job: TrainingJob, place: Place) -> str:
    return launcher_name(job) if place.role == LAUNCHER else job.child_name(place.role, place.index)


def _containers(job: TrainingJob, role: str) -> list[Object]:
    return (job.roles[role].template.get("spec") or {}).get("containers") or [] if job.has(role) else []


def launcher_has_gpu(job: TrainingJob) -> bool:
    """Whether the launcher asks for a GPU, and so works as well."""
    limits = ((one.get("resources") or {}).get("limits") or {} for one in _containers(job, LAUNCHER))
    return any("gpu" in name for one in limits for name in one)


def _environment(job: TrainingJob, place: Place, addressing: Addressing) -> Sequence[Variable]:
    """Returns what the first container of the launcher is told; Intel's bootstrap may be the user's own."""
    if place.role != LAUNCHER:
        return ()
    told = [
        variable("OMPI_MCA_plm_rsh_agent", f"{CONFIG_PATH}/{KUBEXEC}"),
        variable("OMPI_MCA_orte_default_hostfile", f"{CONFIG_PATH}/{HOSTFILE}"),
    ]
    if not launcher_has_gpu(job):
        told += NO_GPU
    own = {one.get("name") for container in _containers(job, LAUNCHER)[:1] for one in container.get("env") or ()}
    intel = (
        variable("I_MPI_HYDRA_BOOTSTRAP", "rsh"),
        variable("I_MPI_HYDRA_BOOTSTRAP_EXEC", f"{CONFIG_PATH}/{KUBEXEC}"),
    )
    return [*told, *(one for one in intel if one["name"] not in own)]


def _dress(job: TrainingJob, place: Place, pod: Object, setting: Setting) -> None:
    if place.role == LAUNCHER:
        _dress_launcher(job, pod["spec"], setting)
    else:
        _dress_worker(job, pod["spec"])


def _dress_launcher(job: TrainingJob, spec: Object, setting: Setting) -> None:
    mounts = [mount(KUBECTL_VOLUME, KUBECTL_PATH), mount(CONFIG_VOLUME, CONFIG_PATH)]
    delivery = {
        "name": "kubectl-delivery",
        "image": setting.kubectl_delivery_image,
        "imagePullPolicy": "IfNotPresent",
        "env": [variable("TARGET_DIR", KUBECTL_PATH), variable("NAMESPACE", job.namespace)],
        "volumeMounts": mounts,
        "resources": {"limits": dict(_DELIVERY), "requests": dict(_DELIVERY)},
    }
    spec["initContainers"] = [*(spec.get("initContainers") or []), delivery]
    _mount(spec, mounts)
    scripts = {KUBEXEC: SCRIPT_MODE, HOSTFILE: DATA_MODE, DISCOVER: SCRIPT_MODE}
    volumes = [{"name": KUBECTL_VOLUME, "emptyDir": {}}, config_volume(job, scripts)]
    spec["volumes"] = [*(spec.get("volumes") or []), *volumes]
    spec["serviceAccountName"] = _account(job)


def _dress_worker(job: TrainingJob, spec: Object) -> None:
    """Makes a worker wait for commands; Open MPI wants the script on every rank."""
    containers = spec.get("containers") or []
    if containers and not containers[0].get("command"):
        containers[0] |= {"command": ["sleep"], "args": ["365d"]}
    _mount(spec, [mount(CONFIG_VOLUME, CONFIG_PATH)])
    spec["volumes"] = [*(spec.get("volumes") or []), config_volume(job, {KUBEXEC: SCRIPT_MODE})]


def mount(volume: str, path: str) -> Object:
    """Returns a mount of a volume."""
    return {"name": volume, "mountPath": path}


def config_volume(job: TrainingJob, files: dict[str, int]) -> Object:
    """Returns the volume with files of the job's ConfigMap, each with its mode."""
    items = [{"key": name, "path": name, "mode": mode} for name, mode in files.items()]
    return {"name": CONFIG_VOLUME, "configMap": {"name": config_name(job), "items": items}}


def _mount(spec: Object, mounts: list[Object]) -> None:
    for container in (spec.get("containers") or [])[:1]:
        container["volumeMounts"] = [*(container.get("volumeMounts") or []), *mounts]


def _companions(job: TrainingJob, pods: Sequence[PodView]) -> Sequence[Object]:
    return list(_all_companions(job, pods))


def _all_companions(job: TrainingJob, pods: Sequence[PodView]) -> Iterator[Object]:
    yield _config(job, pods)
    # An account is needed only to admit the launcher; one that is not ours cannot be seen, so it is not asked for again.
    if launcher_name(job) not in {pod.name for pod in pods}:
        yield companion((SERVICE_ACCOUNT.api_version, SERVICE_ACCOUNT.kind), job, _account(job))
    role = companion((ROLE.api_version, ROLE.kind), job, launcher_name(job))
    yield role | {"rules": _rules(job)}
    subject = {"kind": SERVICE_ACCOUNT.kind, "name": _account(job), "namespace": job.namespace}
    granted = {"apiGroup": ROLE.group, "kind": ROLE.kind, "name": launcher_name(job)}
    binding = companion((ROLE_BINDING.api_version, ROLE_BINDING.kind), job, launcher_name(job))
    yield binding | {"subjects": [subject], "roleRef": granted}


def _account(job: TrainingJob) -> str:
    spec = (job.roles[LAUNCHER].template.get("spec") or {}) if job.has(LAUNCHER) else {}
    return str(spec.get("serviceAccountName") or spec.get("serviceAccount") or launcher_name(job))


def _workers(job: TrainingJob) -> list[str]:
    return [job.child_name(WORKER, index) for index in range(job.count(WORKER))]


def _rules(job: TrainingJob) -> list[Object]:
    """Returns what the launcher may do; a rule without names would open every pod, so no worker means no such rule."""
    reading = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}
    running = {"apiGroups": [""], "resources": ["pods/exec"], "resourceNames": _workers(job), "verbs": ["create"]}
    return [reading, running] if job.count(WORKER) else [reading]


def _config(job: TrainingJob, pods: Sequence[PodView]) -> Object:
    slots = slots_of(job)
    first = [launcher_name(job)] if launcher_has_gpu(job) else []
    workers = _workers(job)
    ready = sorted(pod.name for pod in pods if pod.phase == "Running" and not pod.is_terminating)
    found = [*first, *(name for name in ready if name != launcher_name(job))]
    data = {
        HOSTFILE: "".join(f"{name} slots={slots}\n" for name in [*first, *workers]),
        KUBEXEC: _kubexec(job),
        DISCOVER: "\n".join(["#!/bin/sh", *(f"echo {name}:{slots}" for name in found)]),
    }
    return companion((CONFIG_MAP.api_version, CONFIG_MAP.kind), job, config_name(job)) | {"data": data}


def _kubexec(job: TrainingJob) -> str:
    """Returns the script that stands in for rsh: the pod first, then the command."""
    spec: MPIJobSpec = job.spec
    container = f" --container {quote(spec.main_container)}" if spec.main_container else ""
    return "\n".join(
        [
            "#!/bin/sh",
            "# Called as a remote shell: the first argument names the pod, the others are the command to run there.",
            "target=$1",
            "shift",
            f'exec {KUBECTL_PATH}/kubectl exec "$target"{container} -- /bin/sh -c "$*"',
            "",
        ]
    )


def _is_running(job: TrainingJob, tally: Tally) -> bool:
    return LAUNCHER in tally and tally[LAUNCHER].active > 0


def _has_succeeded(job: TrainingJob, tally: Tally) -> bool:
    return LAUNCHER in tally and tally[LAUNCHER].succeeded >= max(1, tally[LAUNCHER].expected)


def _reported(job: TrainingJob, conditions: Sequence[Condition], counts: ReplicaStatuses) -> ReplicaStatuses:
    """Tells nothing about workers once the launcher has ended, whatever they still do."""
    launcher = counts.get(LAUNCHER)
    if launcher is None or not (launcher.succeeded or launcher.failed):
        return counts
    return {role: ReplicaStatus() if role == WORKER else one for role, one in counts.items()}


def _told_of_pod(place: Place, name: str) -> tuple[str, str]:
    """Tells of the launcher in the words that clients of this kind look for."""
    if place.role == LAUNCHER:
        return "MPIJobRunning", f"launcher pod created success: {name}"
    return "SuccessfulCreatePod", f"Created worker pod: {name}"


MPI = Framework(
    facts=MPI_JOB,
    environment=_environment,
    reaches="first",
    is_master=lambda job, place: place.role == LAUNCHER,
    is_running=_is_running,
    has_succeeded=_has_succeeded,
    speaks_in_full=lambda job: False,
    counts_terminating=False,
    dress=_dress,
    pod_name=_pod_name,
    tells_of_pod=_told_of_pod,
    notices_begin="Setted",
    indexes=lambda place: place.role != LAUNCHER,
    reported=_reported,
    companions=_companions,
)

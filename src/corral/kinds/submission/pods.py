"""The pods of one role: one container that trains, and those that fetch the code before it."""

from typing import Any, Final

from corral.kinds.objects import Object
from corral.kinds.submission.code_sync import sync_containers
from corral.kinds.submission.job_type import JobType, Role
from corral.kinds.submission.scheduling import gang_labels, placing, queue_labels, told_annotations
from corral.kinds.submission.submission import Submission
from corral.kinds.submission.volumes import mounted

GPU: Final = "nvidia.com/gpu"
TOPOLOGY_GPU: Final = "aliyun.com/gpu"
RDMA: Final = "rdma/hca"
_SHARED_GPU: Final = ("aliyun.com/gpu-mem", "aliyun.com/gpu-core.percentage")
_SHARED_GPU_LABEL: Final = "aliyun.com/gpu-count"
_VISIBLE: Final = "NVIDIA_VISIBLE_DEVICES"


def replicas(submission: Submission, job_type: JobType, role: Role) -> Object:
    """Returns a role as its job lists it."""
    return {
        "replicas": role.count,
        "restartPolicy": role.wishes.restart_policy or ("OnFailure" if submission.retry else "Never"),
        "template": _template(submission, job_type, role),
    }


def _template(submission: Submission, job_type: JobType, role: Role) -> Object:
    own = {**gang_labels(submission, job_type), **job_type.pod_labels(submission)} if role.trains else {}
    metadata = {
        "labels": {**submission.labels, **queue_labels(submission), **own},
        "annotations": {**submission.annotations, **told_annotations(submission), **role.wishes.annotations},
    }
    return {"metadata": _said(metadata), "spec": _spec(submission, job_type, role)}


def _spec(submission: Submission, job_type: JobType, role: Role) -> Object:
    env = environment(submission, job_type, role)
    volumes = mounted(submission, job_type, role)
    before = [one | _said({"env": env, "resources": _plain(role)}) for one in sync_containers(submission)]
    on_host = job_type.host_network(submission)
    return _said(
        {
            "initContainers": before,
            "containers": [_container(submission, job_type, role, env)],
            "volumes": [one.volume for one in volumes],
            "imagePullSecrets": [{"name": name} for name in submission.image_pull_secrets],
            "hostNetwork": on_host,
            # Names of services must stay known to a pod that has the node's network.
            "dnsPolicy": "ClusterFirstWithHostNet" if on_host else "",
            "hostIPC": submission.host_ipc,
            "hostPID": submission.host_pid,
            **placing(submission, role),
        }
    )


def _container(submission: Submission, job_type: JobType, role: Role, env: list[Object]) -> Object:
    uses_rdma = submission.rdma and role.trains
    return _said(
        {
            "name": job_type.facts.container,
            "image": role.wishes.image or submission.image,
            "imagePullPolicy": submission.image_pull_policy,
            "command": _command(submission) if role.runs_command else [],
            "workingDir": submission.start_folder,
            "env": env,
            "ports": [{"name": name, "containerPort": port} for name, port in role.ports],
            "resources": _resources(submission, role),
            "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}} if uses_rdma else {},
            "volumeMounts": [mount for one in mounted(submission, job_type, role) for mount in one.mounts],
        }
    )


def _command(submission: Submission) -> list[str]:
    if submission.argv:
        return [word.replace("$", "$$") for word in submission.argv]
    return [submission.shell, "-c", submission.command] if submission.command else []


def environment(submission: Submission, job_type: JobType, role: Role) -> list[Object]:
    """Returns the variables of a role; what the user says comes before what we say."""
    told = {"workers": str(submission.workers), "gpus": str(submission.gpus), **job_type.env(submission)}
    if not _sees_gpus(submission, role):
        # Without it a container sees every GPU of its node.
        told[_VISIBLE] = "void"
    plain = {**told, **submission.env}
    secret = {one.name: {"secretKeyRef": {"name": one.secret, "key": one.key}} for one in submission.secrets}
    fields = {
        name: {"fieldRef": {"fieldPath": path}} for name, path in submission.pod_fields.items() if name not in plain
    }
    return [
        *({"name": name, "value": value} for name, value in plain.items() if name not in secret),
        *({"name": name, "valueFrom": source} for name, source in {**fields, **secret}.items()),
    ]


def _sees_gpus(submission: Submission, role: Role) -> bool:
    shares = any(name in submission.devices for name in _SHARED_GPU) or _SHARED_GPU_LABEL in submission.labels
    return role.gpus > 0 or (role.takes_devices and shares)


def _plain(role: Role) -> Object:
    """Returns processors and memory of a role; quotas ask for them of every container."""
    wishes = role.wishes
    requests, limits = (
        {"cpu": wishes.cpu, "memory": wishes.memory},
        {"cpu": wishes.cpu_limit, "memory": wishes.memory_limit},
    )
    return _said({"requests": _said(requests), "limits": _said(limits)})


def _resources(submission: Submission, role: Role) -> Object:
    plain = _plain(role)
    devices = dict(submission.devices) if role.takes_devices else {}
    if role.gpus:
        devices[TOPOLOGY_GPU if submission.gpu_topology else GPU] = str(role.gpus)
    if submission.rdma and role.trains:
        devices[RDMA] = "1"
    return _said({**plain, "limits": {**plain.get("limits", {}), **devices}})


def _said(fields: dict[str, Any]) -> Object:
    """Returns the fields that say something."""
    return {name: value for name, value in fields.items() if value}

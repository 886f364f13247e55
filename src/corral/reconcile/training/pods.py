"""A pod of a job, made from the template of its role."""

from corral.kinds.objects import Object, copied, owner_reference
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.framework import Framework
from corral.reconcile.training.gangs import mark_member
from corral.reconcile.training.hangs import avoided_nodes, with_nodes_avoided
from corral.reconcile.training.labels import ATTEMPT, has_attempts, pod_labels, restarts_as_gang
from corral.reconcile.training.world import Settings


def pod_of(framework: Framework, job: TrainingJob, place: Place, status: JobStatus, settings: Settings) -> Object:
    """Returns the pod of one place, as it is to be created."""
    replicas = job.roles[place.role]
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(framework, job, place, status.attempt),
        "spec": copied(replicas.template.get("spec") or {}),
    }
    pod["spec"]["restartPolicy"] = pod_restart_policy(job, replicas.restart_policy)
    _tell(framework, job, place, pod, settings)
    mark_member(settings.gangs, job, place, pod)
    framework.dress(job, place, pod, settings.setting)
    return with_nodes_avoided(pod, avoided_nodes(status))


def pod_restart_policy(job: TrainingJob, policy: str) -> str:
    """Returns what the kubelet does; it must not restart in place what is to be restarted by exit code or as a gang."""
    return "Never" if policy == "ExitCode" or restarts_as_gang(job) else policy


def _metadata(framework: Framework, job: TrainingJob, place: Place, attempt: int) -> Object:
    given = job.roles[place.role].template.get("metadata") or {}
    metadata: Object = {
        "name": framework.pod_name(job, place),
        "namespace": job.namespace,
        "labels": {**(given.get("labels") or {}), **pod_labels(framework, job, place)},
        "ownerReferences": [owner_reference(job.facts.resource, job.object)],
    }
    annotations = dict(given.get("annotations") or {})
    annotations.pop(ATTEMPT, None)
    if has_attempts(job):
        annotations[ATTEMPT] = str(attempt)
    if annotations:
        metadata["annotations"] = annotations
    if given.get("finalizers"):
        metadata["finalizers"] = list(given["finalizers"])
    return metadata


def _tell(framework: Framework, job: TrainingJob, place: Place, pod: Object, settings: Settings) -> None:
    """Appends the framework's environment: on a clash the later one, ours, counts."""
    for container in framework.reached(pod["spec"].get("containers") or []):
        told = framework.environment(job, place, settings.addressing)
        if told:
            container["env"] = [*(container.get("env") or []), *copied(list(told))]

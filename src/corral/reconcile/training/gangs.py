"""Gangs as schedulers know them: a PodGroup per job in one of two dialects, or a mark on the pods for our own scheduler."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from corral.kinds.objects import Object, labels_of, owner_reference
from corral.kinds.pod_view import PodView
from corral.kinds.quantities import quantity_text, total_quantity
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.names import (
    CHECKPOINTS,
    GANG,
    GANG_MOST,
    GANG_SIZE,
    KUEUE_QUEUE,
    OUR_NAMES,
    PREEMPTIBLE,
    QUEUE,
    RUN_TIME,
)
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.mpi import MPIJobSpec
from corral.kinds.training.run_policy import SchedulingPolicy
from corral.kinds.well_known import POD
from corral.reconcile.plan import Action, Create, Delete, EmitEvent, Patch, Told, Update
from corral.reconcile.training.companions import name_taken
from corral.reconcile.training.elastic import gang_bounds_of
from corral.reconcile.training.world import Gangs, World

VOLCANO = ApiResource("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
SCHEDULER_PLUGINS = ApiResource("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")
POD_GROUPS = {"volcano": VOLCANO, "scheduler-plugins": SCHEDULER_PLUGINS}

_OURS = ("minMember", "minResources", "priorityClassName", "scheduleTimeoutSeconds")
"""Fields of a PodGroup that the job decides, also when it no longer gives them."""


def gangs_for(scheduler_name: str) -> Gangs:
    """Returns how gangs are announced to the scheduler of this name; no name announces none."""
    name = scheduler_name.lower()
    if name in ("", "none"):
        return Gangs()
    if name == "volcano":
        return Gangs("volcano", "volcano")
    return Gangs("corral", name) if name in OUR_NAMES else Gangs("scheduler-plugins", scheduler_name)


def mark_member(gangs: Gangs, job: TrainingJob, place: Place, pod: Object) -> None:
    """Lets a pod name its queue, its gang and its scheduler; what the template says of queue and scheduler stays."""
    metadata = pod["metadata"]
    queue = _queue_label(gangs, job)
    if queue:
        metadata["labels"].setdefault(QUEUE, queue)
    if not gangs.dialect:
        return
    pod["spec"]["schedulerName"] = pod["spec"].get("schedulerName") or gangs.scheduler_name
    if gangs.dialect == "volcano":
        told = {"scheduling.k8s.io/group-name": job.name, "volcano.sh/task-spec": place.role.lower()}
        metadata["annotations"] = {**metadata.get("annotations", {}), **told}
    elif gangs.dialect == "scheduler-plugins":
        metadata["labels"]["scheduling.x-k8s.io/pod-group"] = job.name
    else:
        metadata["labels"][GANG] = job.name
        metadata["annotations"] = {**metadata.get("annotations", {}), **_told_to_ours(job)}
        policy = job.run_policy.scheduling_policy
        if policy is not None and policy.priority_class:
            # There is no group to say it: the pods have the priority themselves.
            pod["spec"]["priorityClassName"] = pod["spec"].get("priorityClassName") or policy.priority_class


def _queue_label(gangs: Gangs, job: TrainingJob) -> str:
    """Returns the queue that the labels of a job name; Kueue's label counts where our scheduler is asked, and nobody else reads it."""
    labels = labels_of(job.object)
    return labels.get(QUEUE) or (labels.get(KUEUE_QUEUE, "") if gangs.dialect == "corral" else "")


def _told_to_ours(job: TrainingJob) -> dict[str, str]:
    """Returns what our own scheduler is told with each pod: how large its gang is, and how it may be treated."""
    bounds, policy = gang_bounds_of(job), job.run_policy.scheduling_policy
    size = _min_member(job) - _comes_later(job)
    told: dict[str, str] = {
        name: job.annotations[name] for name in (CHECKPOINTS, PREEMPTIBLE, RUN_TIME) if name in job.annotations
    }
    if policy is not None and policy.queue:
        told[QUEUE] = policy.queue  # no label: it may be any text
    deadline = job.run_policy.active_deadline_seconds
    if deadline and RUN_TIME not in told:
        told[RUN_TIME] = str(deadline)
    if bounds is None:
        return {**told, GANG_SIZE: str(max(size, 1))}
    is_given = policy is not None and policy.min_available is not None
    return {**told, GANG_SIZE: str(max(size if is_given else bounds.least, 1)), GANG_MOST: str(bounds.most)}


def said_anew(world: World, job: TrainingJob, pods: Iterable[PodView]) -> list[Action]:
    """Returns what tells our own scheduler that a gang has another size than its pods said when they were made."""
    if world.settings.gangs.dialect != "corral":
        return []
    told = {name: value for name, value in _told_to_ours(job).items() if name in (GANG_SIZE, GANG_MOST)}
    return [
        Patch(POD, ObjectKey(job.namespace, pod.name), {"metadata": {"uid": pod.uid, "annotations": told}})
        for pod in pods
        if GANG_SIZE in pod.metadata.annotations
        and not (pod.is_finished or pod.is_terminating)
        and any(pod.metadata.annotations.get(name) != value for name, value in told.items())
    ]


def _comes_later(job: TrainingJob) -> int:
    """Returns how many pods are made only when the others run: to start together with them they would have to be there."""
    spec, policy = job.spec, job.run_policy.scheduling_policy
    waits = isinstance(spec, MPIJobSpec) and spec.launcher_creation_policy == "WaitForWorkersReady"
    return int(waits and (policy is None or policy.min_available is None or policy.min_available >= job.total))


def names_other_scheduler(gangs: Gangs, job: TrainingJob) -> bool:
    """Whether a template names a scheduler of its own, so that the gang is not asked for."""
    specs = ((one.template.get("spec") or {}) for one in job.roles.values())
    return bool(gangs.dialect) and any(
        spec.get("schedulerName", "") not in ("", gangs.scheduler_name) for spec in specs
    )


def group_actions(world: World, job: TrainingJob) -> list[Action]:
    """Returns what makes the PodGroup as the job wants it."""
    resource = POD_GROUPS.get(world.settings.gangs.dialect)
    if resource is None:
        return []
    wanted, held = _group(resource, world, job), world.pod_group
    if held is None:
        return [Create(resource, wanted, told=Told(taken=name_taken(job.facts.resource, job.object, wanted)))]
    spec = {name: value for name, value in held["spec"].items() if name not in _OURS} | wanted["spec"]
    return [] if spec == held["spec"] else [Update(resource, {**held, "spec": spec})]


def removal(world: World, job: TrainingJob) -> list[Action]:
    """Returns what removes the PodGroup of a job that no longer needs it."""
    held, resource = world.pod_group, POD_GROUPS.get(world.settings.gangs.dialect)
    if held is None or resource is None or held["metadata"].get("deletionTimestamp"):
        return []
    kind, told = job.facts.resource, f"Deleted PodGroup: {job.name}"
    done = EmitEvent(kind, job.object, "SuccessfulDeletePodGroup", told)
    failed = EmitEvent(kind, job.object, "FailedDeletePodGroup", "Error deleting: ", "Warning")
    return [Delete(resource, job.key, held["metadata"]["uid"], told=Told(done, failed))]


def holds_pods_back(world: World) -> bool:
    """Whether pods must wait until the scheduler has let the group in."""
    if world.settings.gangs.dialect != "volcano":
        return False
    status = (world.pod_group or {}).get("status") or {}
    return status.get("phase") in (None, "", "Pending")


def _group(resource: ApiResource, world: World, job: TrainingJob) -> Object:
    policy = job.run_policy.scheduling_policy or SchedulingPolicy()
    spec: Object = {"minMember": _min_member(job)}
    resources = policy.min_resources or _min_resources(world, job)
    if resources:
        spec["minResources"] = resources
    if resource is VOLCANO:
        held = ((world.pod_group or {}).get("spec") or {}).get("queue")
        spec["queue"] = held or policy.queue or "default"
        if policy.priority_class:
            spec["priorityClassName"] = policy.priority_class
    elif policy.schedule_timeout_seconds is not None:
        spec["scheduleTimeoutSeconds"] = policy.schedule_timeout_seconds
    metadata: Object = {
        "name": job.name,
        "namespace": job.namespace,
        "ownerReferences": [owner_reference(job.facts.resource, job.object)],
    }
    if job.annotations:
        metadata["annotations"] = dict(job.annotations)
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata, "spec": spec}


def _min_member(job: TrainingJob) -> int:
    policy = job.run_policy.scheduling_policy
    return job.total if policy is None or policy.min_available is None else policy.min_available


def _min_resources(world: World, job: TrainingJob) -> dict[str, str]:
    """Returns what the first members ask for together, the most important roles first."""
    priorities = world.settings.priorities

    def rank(role: str) -> int:
        name = (job.roles[role].template.get("spec") or {}).get("priorityClassName", "")
        return -priorities.get(name, 0)

    ranked = sorted(job.roles, key=rank)
    members = (job.roles[role] for role in ranked for _ in range(job.roles[role].count))
    asked: dict[str, list[str]] = {}
    for member in islice(members, max(0, _min_member(job))):
        for name, amount in _requests(member.template):
            asked.setdefault(name, []).append(amount)
    return {name: total_quantity(amounts) for name, amounts in sorted(asked.items())}


def _requests(template: Object) -> Iterator[tuple[str, str]]:
    for container in (template.get("spec") or {}).get("containers") or ():
        resources: dict[str, Any] = container.get("resources") or {}
        for name, amount in (resources.get("requests") or resources.get("limits") or {}).items():
            yield name, quantity_text(amount)

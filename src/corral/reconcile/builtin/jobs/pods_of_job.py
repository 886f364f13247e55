"""The pods of a Job: as its template says, held until counted, and numbered where the Job is indexed."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from corral.kinds.objects import Object, key_of, uid_of
from corral.kinds.well_known import JOB, POD
from corral.reconcile.builtin.child_names import name_sequence
from corral.reconcile.builtin.jobs import per_index
from corral.reconcile.builtin.jobs.job import INDEX, TRACKING, is_tracked
from corral.reconcile.builtin.list_edits import without_finalizer
from corral.reconcile.builtin.pod_making import pod_from
from corral.reconcile.builtin.slow_start import in_growing_batches
from corral.reconcile.plan import Create, Delete, EmitEvent, Patch, Plan

_VARIABLE = "JOB_COMPLETION_INDEX"


def created(job: Object, indexes: Sequence[int | None], pods: Sequence[Object], taken: Collection[str]) -> Plan:
    """Returns the creation of one pod for each index; None stands for a pod without one."""
    names: set[str] = {*taken, *(pod["metadata"]["name"] for pod in pods)}
    failures = per_index.failures(job, pods) if per_index.limit_of(job) is not None else None
    pairs = []
    for index in indexes:
        prefix = f"{job['metadata']['name']}-" if index is None else f"{job['metadata']['name']}-{index}-"
        [name] = islice(name_sequence(prefix, uid_of(job), names), 1)
        names.add(name)
        pod = pod_from(job["spec"]["template"], JOB, job, name, prefix)
        pod["metadata"]["finalizers"] = [*pod["metadata"].get("finalizers", ()), TRACKING]
        if index is not None:
            _number(pod, job["metadata"]["name"], str(index))
        if index is not None and failures is not None:
            pod["metadata"]["annotations"][per_index.FAILURES] = str(failures.get(index, 0))
        pairs.append((Create(POD, pod), EmitEvent(JOB, job, "SuccessfulCreate", f"Created pod: {name}")))
    return in_growing_batches(pairs)


def _number(pod: Object, job: str, index: str) -> None:
    """Tells a new pod its index: in an annotation, a label, the environment and the host name."""
    metadata = pod["metadata"]
    for field in ("annotations", "labels"):
        metadata[field] = {**metadata.get(field, {}), INDEX: index}
    spec = dict(pod["spec"])
    for field in ("initContainers", "containers"):
        if spec.get(field):
            spec[field] = [_with_variable(container) for container in spec[field]]
    if not spec.get("hostname"):
        spec["hostname"] = f"{job}-{index}"
    pod["spec"] = spec


def _with_variable(container: Object) -> Object:
    present = container.get("env") or []
    if any(variable.get("name") == _VARIABLE for variable in present):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {**container, "env": [*present, {"name": _VARIABLE, "valueFrom": source}]}


def released(pod: Object) -> Patch:
    """Returns the patch after which a pod is no longer held."""
    finalizers = pod["metadata"].get("finalizers") or ()
    return without_finalizer(POD, key_of(pod), uid_of(pod), finalizers, TRACKING)


def removed(job: Object, pods: Iterable[Object], *, uncounted: bool) -> Plan:
    """Returns the deletion of pods; `uncounted` ones are released first, because they are no failures."""
    leaving = list(pods)
    releases = [released(pod) for pod in leaving if is_tracked(pod)] if uncounted else []
    deletes = [Delete(POD, key_of(pod), uid_of(pod)) for pod in leaving]
    events = [EmitEvent(JOB, job, "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}") for pod in leaving]
    return Plan().then(*releases).then(*deletes).then(*events)

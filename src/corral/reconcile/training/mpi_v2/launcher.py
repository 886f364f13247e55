"""The launcher: a Job of the cluster, so that its restarts and limits are the cluster's."""

from dataclasses import dataclass

from corral.kinds.objects import Object, is_deleting, key_of, labels_of
from corral.kinds.well_known import JOB
from corral.reconcile.frameworks.mpi import WORKER, companion, launcher_name
from corral.reconcile.plan import Action, Patch, Update
from corral.reconcile.training.companions import created
from corral.reconcile.training.mpi_v2.dialect import spec_of
from corral.reconcile.training.mpi_v2.pods import launcher_template
from corral.reconcile.training.sight import Sight

SHORTEST_RECORD = 60
"""So long at least a finished launcher stays: an operator that was away shortly shall still read its end."""

_DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a launcher ended."""

    succeeded: bool
    reason: str
    message: str
    time: str


def launcher_of(sight: Sight) -> Object | None:
    """Returns the launcher Job, if it is there."""
    name = launcher_name(sight.job)
    jobs = (one for one in sight.world.companions if one["kind"] == JOB.kind)
    return next((one for one in jobs if one["metadata"]["name"] == name), None)


def verdict_of(launcher: Object | None) -> Verdict | None:
    """Returns how the launcher ended, None while it has not."""
    status = (launcher or {}).get("status") or {}
    for one in status.get("conditions") or ():
        if one.get("status") == "True" and one.get("type") in ("Complete", "Failed"):
            succeeded = one["type"] == "Complete"
            ended = (status.get("completionTime") if succeeded else None) or one.get("lastTransitionTime") or ""
            return Verdict(succeeded, one.get("reason") or "", one.get("message") or "", ended)
    return None


def launcher_actions(sight: Sight, *, may_create: bool) -> list[Action]:
    """Returns what makes the launcher as it should be; it is created suspended with a suspended job."""
    held, suspend = launcher_of(sight), sight.job.run_policy.suspend
    if held is None:
        return [_created(sight)] if may_create and _may_launch(sight) else []
    if is_deleting(held) or verdict_of(held) is not None:
        return []
    is_suspended = bool(held["spec"].get("suspend"))
    if suspend and not is_suspended:
        return [suspended(held)]
    if is_suspended and not suspend and _may_launch(sight):
        return [_resumed(sight, held)]
    return []


def suspended(launcher: Object) -> Update:
    """Returns what stops the launcher and keeps its record."""
    return Update(JOB, {**launcher, "spec": {**launcher["spec"], "suspend": True}})


def _may_launch(sight: Sight) -> bool:
    """Whether the workers are as far as the launcher wants them."""
    if spec_of(sight.job).launcher_creation_policy != "WaitForWorkersReady":
        return True
    ready = sum(pod.is_ready and not pod.is_terminating for pod in sight.world.pods)
    return not sight.job.run_policy.suspend and ready >= sight.job.count(WORKER)


def _created(sight: Sight) -> Action:
    job, policy = sight.job, sight.job.run_policy
    template = launcher_template(job, sight.world.settings)
    template["metadata"].pop("finalizers", None)
    ttl = policy.ttl_seconds_after_finished
    given: Object = {
        "ttlSecondsAfterFinished": None if ttl is None else max(ttl, SHORTEST_RECORD),
        "activeDeadlineSeconds": policy.active_deadline_seconds,
        "backoffLimit": policy.backoff_limit,
        "suspend": policy.suspend or None,
    }
    spec = {field: value for field, value in given.items() if value is not None}
    spec |= {"podReplacementPolicy": "Failed", "template": template}
    head = companion((JOB.api_version, JOB.kind), job, launcher_name(job))
    return created(job.facts.resource, job.object, head | {"spec": spec})


def _resumed(sight: Sight, held: Object) -> Action:
    """Returns what lets the launcher go, placed as the job now says.

    A Job that has run before keeps its start time while it is suspended, and with it a template that cannot change: the
    time is taken away first, and the rest follows when that is seen.
    """
    template = held["spec"]["template"]
    changed = _placed(template, launcher_template(sight.job, sight.world.settings))
    if changed != template and (held.get("status") or {}).get("startTime"):
        body = {"metadata": {"resourceVersion": held["metadata"]["resourceVersion"]}, "status": {"startTime": None}}
        return Patch(JOB, key_of(held), body, subresource="status")
    return Update(JOB, {**held, "spec": {**held["spec"], "suspend": False, "template": changed}})


def _placed(template: Object, wanted: Object) -> Object:
    """Returns the template with labels, annotations and scheduling directives as wanted; what others added stays."""
    metadata = dict(template.get("metadata") or {})
    metadata["labels"] = {**labels_of({"metadata": metadata}), **wanted["metadata"]["labels"]}
    annotations = wanted["metadata"].get("annotations")
    if annotations:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    spec = {field: value for field, value in template["spec"].items() if field not in _DIRECTIVES}
    spec |= {field: wanted["spec"][field] for field in _DIRECTIVES if wanted["spec"].get(field)}
    return {**template, "metadata": metadata, "spec": spec}

"""Jobs: pods that run to an end. The server itself writes the selector, from the uid of the job."""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.field_errors import FieldError
from corral.engine.apiserver.resources.job_status import job_status_errors
from corral.engine.apiserver.resources.job_validation import job_change_errors, job_errors
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.replica_sets import default_template
from corral.engine.apiserver.resources.resource import Object

CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
JOB_NAME = "batch.kubernetes.io/job-name"
_MOST_FAILURES = 2**31 - 1


class JobStrategy(OpenStatusStrategy):
    """Jobs in batch/v1."""

    generation = True
    default_propagation = "Orphan"
    """What a delete without a propagation policy does to the pods: for jobs they stay, as they always did."""

    def deletion_warning(self, propagation: str) -> str:
        """Tells that the pods stay, which surprises most."""
        if propagation:
            return ""
        return (
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove "
            "them or set propagationPolicy=Orphan to suppress this warning"
        )

    def default(self, obj: Object) -> None:
        """Chooses how many pods, how many failures, and the other ways of a job."""
        spec = obj.setdefault("spec", {})
        if spec.get("parallelism") is None:
            if spec.get("completions") is None:
                spec["completions"] = 1
            spec["parallelism"] = 1
        if spec.get("backoffLimit") is None:
            spec["backoffLimit"] = 6 if spec.get("backoffLimitPerIndex") is None else _MOST_FAILURES
        replacement = "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed"
        for field, value in (
            ("completionMode", "NonIndexed"),
            ("suspend", False),
            ("podReplacementPolicy", replacement),
            ("manualSelector", False),
        ):
            if spec.get(field) is None:
                spec[field] = value
        default_template(spec)
        _default_failure_policy(spec.get("podFailurePolicy"))
        labels = (spec["template"].get("metadata") or {}).get("labels")
        if labels and not obj["metadata"].get("labels"):
            # The same map on purpose: the labels generated for the template appear on the job too.
            obj["metadata"]["labels"] = labels

    def prepare_create(self, obj: Object) -> None:
        """Starts with an empty status and generates the selector."""
        obj["status"] = {}
        if not obj["spec"]["manualSelector"]:
            _generate_selector(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status."""
        new["status"] = old.get("status") or {}

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the job with its selector and template."""
        return job_errors(obj)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another template, selector or mode."""
        return job_change_errors(new, old)

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks that a finished job stays finished and its numbers fit."""
        return job_status_errors(new, old)

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns how many pods have succeeded."""
        return {"status.successful": str((obj.get("status") or {}).get("succeeded", 0))}


def _default_failure_policy(policy: dict[str, Any] | None) -> None:
    for rule in (policy or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"


def _generate_selector(job: Object) -> None:
    """Labels the template with the job's name and uid, and selects by the uid."""
    meta, spec = job["metadata"], job["spec"]
    template_meta = spec["template"].setdefault("metadata", {})
    labels = template_meta.get("labels")
    is_shared = not meta.get("labels") or meta["labels"] is labels
    template_meta["labels"] = {
        "job-name": meta.get("name", ""),
        JOB_NAME: meta.get("name", ""),
        "controller-uid": meta["uid"],
        CONTROLLER_UID: meta["uid"],
        **(labels or {}),
    }
    if is_shared:
        meta["labels"] = dict(template_meta["labels"])
    selector = spec.get("selector") or {}
    selector["matchLabels"] = {CONTROLLER_UID: meta["uid"], **(selector.get("matchLabels") or {})}
    spec["selector"] = selector

"""Validation of jobs: numbers, modes, policies for failure and success, the generated selector, and what may change."""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.field_errors import FieldError, invalid, not_supported, required, too_long
from corral.engine.apiserver.grammar.names import label_faults, prefixed_path_faults
from corral.engine.apiserver.resources.equality import is_same
from corral.engine.apiserver.resources.job_policies import failure_policy_errors, success_policy_errors
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE, builtin_finalizer_errors, selector_errors
from corral.engine.apiserver.resources.pod_validation import template_errors
from corral.engine.apiserver.resources.replica_sets import mismatch_errors, negative_errors, shown_selector
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.selectors import label_selector_of

Fields = Mapping[str, Any]

_MANY = 100_000
_FEW = 10_000
_NUMBERS = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
_FIXED = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
_SCHEDULING = ("nodeSelector", "tolerations", "schedulingGates")
_INDEXED_ONLY = "requires indexed completion mode"


def job_errors(job: Object) -> list[FieldError]:
    """Returns everything wrong with a job, metadata aside."""
    meta, spec = job["metadata"], job["spec"]
    errors = builtin_finalizer_errors(job)
    errors += [] if spec["manualSelector"] else _generated_errors(meta, spec)
    errors += _spec_errors(spec)
    selector = spec.get("selector")
    if selector is None:
        errors.append(required("spec.selector"))
    else:
        errors += selector_errors(selector, "spec.selector")
    errors += mismatch_errors(selector, spec["template"], "spec.template")
    completions, name = spec.get("completions") or 0, meta.get("name", "")
    if spec["completionMode"] == "Indexed" and completions > 0:
        last = f"{name}-{completions - 1}"
        if label_faults(last):
            detail = f"will not able to create pod with invalid DNS label: {last}"
            errors.append(invalid("metadata.name", name, detail))
    return errors


def job_change_errors(new: Object, old: Object) -> list[FieldError]:
    """Returns every forbidden change of a job."""
    spec, before = new["spec"], old["spec"]
    errors = _completion_change_errors(spec, before)
    if not is_same(spec.get("selector"), before.get("selector")):
        errors.append(invalid("spec.selector", shown_selector(spec.get("selector")), IMMUTABLE))
    template, kept = spec["template"], before["template"]
    if before.get("suspend") and not (old.get("status") or {}).get("startTime"):
        kept = _with_new_scheduling(template, kept)
    if not is_same(template, kept):
        errors.append(invalid("spec.template", template, IMMUTABLE))
    for field in _FIXED:
        if not is_same(spec.get(field), before.get(field)):
            errors.append(invalid(f"spec.{field}", spec.get(field), IMMUTABLE))
    return errors


def _generated_errors(meta: Fields, spec: Fields) -> list[FieldError]:
    """Checks that nobody else has written the labels that tie pods to their job."""
    if spec.get("selector") is None:
        return []
    path = "spec.template.metadata.labels"
    labels = (spec["template"].get("metadata") or {}).get("labels") or {}
    expected = {
        "controller-uid": meta.get("uid", ""),
        "job-name": meta.get("name", ""),
        "batch.kubernetes.io/controller-uid": meta.get("uid", ""),
        "batch.kubernetes.io/job-name": meta.get("name", ""),
    }
    errors: list[FieldError] = []
    for key, value in expected.items():
        if key not in labels:
            errors.append(required(f"{path}[{key}]", f"must be '{value}'"))
        elif labels[key] != value:
            errors.append(invalid(f"{path}[{key}]", dict(sorted(labels.items())), f"must be '{value}'"))
    try:
        if not label_selector_of(spec["selector"]).matches(expected):
            shown = shown_selector(spec["selector"])
            errors.append(invalid("spec.selector", shown, "`selector` not auto-generated"))
    except ApiFailure:
        return errors
    return errors


def _spec_errors(spec: Fields) -> list[FieldError]:
    errors = negative_errors(spec, "spec", *_NUMBERS, "backoffLimitPerIndex", "maxFailedIndexes")
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        errors.append(required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    manager = spec.get("managedBy")
    if manager is not None:
        errors += _manager_errors(manager, "spec.managedBy")
    mode = spec["completionMode"]
    if mode not in ("NonIndexed", "Indexed"):
        errors.append(not_supported("spec.completionMode", mode, ("NonIndexed", "Indexed")))
    if mode == "Indexed":
        errors += _indexed_errors(spec)
    elif mode == "NonIndexed":
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(field) is not None:
                errors.append(invalid(f"spec.{field}", spec[field], _INDEXED_ONLY))
    if spec.get("podFailurePolicy") is not None:
        errors += failure_policy_errors(spec, "spec.podFailurePolicy.rules")
    if spec.get("successPolicy") is not None:
        if mode != "Indexed":
            errors.append(invalid("spec.successPolicy", spec["successPolicy"], _INDEXED_ONLY))
        else:
            errors += success_policy_errors(spec, "spec.successPolicy.rules")
    errors += _replacement_errors(spec, "spec.podReplacementPolicy")
    errors += template_errors(spec["template"], "spec.template")
    return errors + _restart_errors(spec, "spec.template.spec.restartPolicy")


def _restart_errors(spec: Fields, path: str) -> list[FieldError]:
    policy = spec["template"]["spec"]["restartPolicy"]
    if policy == "Always":
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [not_supported(path, policy, ("OnFailure", "Never"))]
    if policy != "Never" and spec.get("podFailurePolicy") is not None:
        return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    return []


def _manager_errors(manager: str, path: str) -> list[FieldError]:
    errors = prefixed_path_errors(manager, path)
    return errors + [too_long(path, 63)] if len(manager) > 63 else errors


def prefixed_path_errors(value: str, path: str) -> list[FieldError]:
    """Returns what is wrong with a path that begins with a domain, such as `acme.io/foo`."""
    if not value:
        return [required(path)]
    return [invalid(path, shown, fault) for shown, fault in prefixed_path_faults(value)]


def _indexed_errors(spec: Fields) -> list[FieldError]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism", 0)
    most_failed = spec.get("maxFailedIndexes")
    errors: list[FieldError] = []
    if completions is None:
        errors.append(required("spec.completions", "when completion mode is Indexed"))
    if parallelism > _MANY:
        detail = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        errors.append(invalid("spec.parallelism", parallelism, detail))
    if completions is not None and most_failed is not None and most_failed > completions:
        detail = "must be less than or equal to completions"
        errors.append(invalid("spec.maxFailedIndexes", most_failed, detail))
    if most_failed is not None and most_failed > _MANY:
        errors.append(invalid("spec.maxFailedIndexes", most_failed, f"must be less than or equal to {_MANY}"))
    if completions is not None and completions > _MANY and spec.get("backoffLimitPerIndex") is not None:
        above = f"when completions are above {_MANY} and used with backoff limit per index"
        if most_failed is None:
            detail = f"must be specified when completions is above {_MANY}"
            errors.append(required("spec.maxFailedIndexes", detail))
        for field, value in (("parallelism", parallelism), ("maxFailedIndexes", most_failed or 0)):
            if value > _FEW:
                errors.append(invalid(f"spec.{field}", value, f"must be less than or equal to {_FEW} {above}"))
    return errors


def _replacement_errors(spec: Fields, path: str) -> list[FieldError]:
    allowed = ("Failed", "TerminatingOrFailed") if spec.get("podFailurePolicy") is None else ("Failed",)
    policy = spec["podReplacementPolicy"]
    return [] if policy in allowed else [not_supported(path, policy, allowed)]


def _completion_change_errors(spec: Fields, before: Fields) -> list[FieldError]:
    completions = spec.get("completions")
    if completions == before.get("completions"):
        return []
    if spec["completionMode"] != "Indexed":
        return [invalid("spec.completions", completions, IMMUTABLE)]
    if completions is None or completions == spec.get("parallelism"):
        return []
    return [invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism")]


def _with_new_scheduling(template: Fields, before: Fields) -> Fields:
    """Returns the old template with the new wishes for nodes: a suspended job may still change where it will run."""
    spec = {**before["spec"], **{field: template["spec"].get(field) for field in _SCHEDULING}}
    affinity, affinity_before = template["spec"].get("affinity") or {}, before["spec"].get("affinity") or {}
    spec["affinity"] = {**affinity_before, "nodeAffinity": affinity.get("nodeAffinity")}
    meta, given = dict(before.get("metadata") or {}), template.get("metadata") or {}
    for field in ("annotations", "labels"):
        meta[field] = given.get(field)
    return {**before, "metadata": meta, "spec": spec}

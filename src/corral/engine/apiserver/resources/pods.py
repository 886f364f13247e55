"""Pods: the strategy that ties defaults, admission and validation together, and the binding to a node."""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.failures import ApiFailure, conflict
from corral.engine.apiserver.field_errors import FieldError, not_supported, required
from corral.engine.apiserver.resources.metadata_validation import builtin_finalizer_errors
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.pod_admission import (
    PriorityResolver,
    admit_changed_pod,
    admit_new_pod,
    no_priority_classes,
)
from corral.engine.apiserver.resources.pod_defaults import default_pod, qos_class
from corral.engine.apiserver.resources.pod_updates import change_errors, status_errors
from corral.engine.apiserver.resources.pod_validation import creation_errors, pod_errors
from corral.engine.apiserver.resources.resource import Object

POD_FIELDS = (
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
)
"""The fields by which pods can be selected."""


class PodStrategy(OpenStatusStrategy):
    """Pods. `resolve_priority` finds PriorityClasses, the one thing a pod needs from outside."""

    generation = True
    graceful = True
    returns_deleted = True

    def __init__(self, resolve_priority: PriorityResolver = no_priority_classes) -> None:
        self._resolve_priority = resolve_priority

    def default(self, obj: Object) -> None:
        """Fills in what a pod leaves open."""
        default_pod(obj)

    def prepare_create(self, obj: Object) -> None:
        """Lets admission complete the pod and starts its status."""
        admit_new_pod(obj, self._resolve_priority)
        spec = obj["spec"]
        obj["status"] = {"phase": "Pending", "qosClass": qos_class(spec)}
        if spec.get("schedulingGates"):
            obj["status"]["conditions"] = [_gated_condition(obj["metadata"].get("creationTimestamp"))]
        _merge_label_keys(spec, obj["metadata"].get("labels") or {})

    def required_account(self, obj: Object) -> str:
        """Returns the account that was named; the default one counts as always there, even before a controller made it."""
        spec = obj.get("spec") or {}
        name = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
        return "" if name == "default" else str(name)

    def change_through(self, subresource: str, new: Object, old: Object) -> list[FieldError] | None:
        """Lets through what `bind` made and checked."""
        return [] if subresource == "binding" else super().change_through(subresource, new, old)

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status and what admission once gave."""
        new["status"] = old.get("status") or {}
        admit_changed_pod(new, old)

    def prepare_status(self, new: Object, old: Object) -> None:
        """Keeps the specification, the owners, and what a status may not lose."""
        super().prepare_status(new, old)
        _keep(new["metadata"], old["metadata"], "ownerReferences")
        status, before = new.setdefault("status", {}), old.get("status") or {}
        for field in ("qosClass", "observedGeneration"):
            if not status.get(field):
                _keep(status, before, field)
        _keep_observed(status.get("conditions") or (), before.get("conditions") or ())

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the whole pod."""
        return builtin_finalizer_errors(obj) + pod_errors(obj) + creation_errors(obj)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Checks that only the few changeable fields differ."""
        return change_errors(new, old)

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks a new status, which may not undo what has ended."""
        return status_errors(new, old)

    def grace_period(self, obj: Object, requested: int | None) -> int:
        """Returns the time a running pod gets to end; one that never ran or has ended gets none."""
        spec, phase = obj["spec"], (obj.get("status") or {}).get("phase")
        if not spec.get("nodeName") or phase in ("Succeeded", "Failed"):
            return 0
        period: int = spec.get("terminationGracePeriodSeconds", 0) if requested is None else requested
        return period if period >= 0 else 1

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns the values of POD_FIELDS."""
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        addresses = status.get("podIPs")
        return {
            "spec.nodeName": spec.get("nodeName", ""),
            "spec.restartPolicy": spec.get("restartPolicy", ""),
            "spec.schedulerName": spec.get("schedulerName", ""),
            "spec.serviceAccountName": spec.get("serviceAccountName", ""),
            "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
            "status.phase": status.get("phase", ""),
            "status.podIP": addresses[0].get("ip", "") if addresses else "",
            "status.nominatedNodeName": status.get("nominatedNodeName", ""),
        }


def bind(pod: Object, binding: Object, now: str) -> Object:
    """Returns the pod bound to the target of a Binding at the time `now`; raises a 409 when it cannot be bound."""
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    name = meta["name"]
    target = _target(binding)
    if meta.get("deletionTimestamp"):
        raise _unbindable(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise _unbindable(name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise _unbindable(name, f"pod {name} has non-empty .spec.schedulingGates")
    given = binding.get("metadata") or {}
    bound_meta = dict(meta)
    for field in ("annotations", "labels"):
        if given.get(field):
            bound_meta[field] = {**(meta.get(field) or {}), **given[field]}
    conditions = _scheduled(status.get("conditions") or (), now)
    return {
        **pod,
        "metadata": bound_meta,
        "spec": {**spec, "nodeName": target},
        "status": {**status, "conditions": conditions},
    }


def _target(binding: Object) -> str:
    target = binding.get("target") or {}
    kind, name = target.get("kind"), target.get("name")
    faults: list[FieldError] = []
    if kind not in (None, "", "Node"):
        faults.append(not_supported("target.kind", kind, ("Node", "<empty>")))
    if not name:
        faults.append(required("target.name"))
    if faults:
        # The real server answers this one without a reason, as if it were its own fault.
        text = str(faults[0]) if len(faults) == 1 else "[" + ", ".join(map(str, faults)) + "]"
        raise ApiFailure(500, "", text)
    return str(name)


def _unbindable(name: str, detail: str) -> ApiFailure:
    return conflict("", "pods/binding", name, detail)


def _scheduled(conditions: Any, now: str) -> list[dict[str, Any]]:
    """Returns the conditions with PodScheduled true, since now unless it was so before."""
    done = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
    found = False
    changed: list[dict[str, Any]] = []
    for condition in conditions:
        if condition.get("type") == "PodScheduled":
            found = True
            if condition.get("status") == "True":
                done["lastTransitionTime"] = condition.get("lastTransitionTime", now)
            changed.append(done)
        else:
            changed.append(condition)
    return changed if found else [*changed, done]


def _gated_condition(now: str | None) -> dict[str, Any]:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": now,
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }


def _merge_label_keys(spec: dict[str, Any], labels: Mapping[str, str]) -> None:
    """Adds to each selector what its matchLabelKeys and mismatchLabelKeys say about the pod's own labels."""
    terms = list(spec.get("topologySpreadConstraints") or ())
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        rules = affinity.get(kind) or {}
        terms += rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        preferred = rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms += [weighted.get("podAffinityTerm") or {} for weighted in preferred]
    for term in terms:
        selector = term.get("labelSelector")
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
            keys = [key for key in term.get(field) or () if key in labels]
            if keys and selector is not None:
                added = [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys]
                selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]


def _keep(holder: dict[str, Any], before: Mapping[str, Any], field: str) -> None:
    if before.get(field) is not None:
        holder[field] = before[field]
    else:
        holder.pop(field, None)


def _keep_observed(conditions: Any, before: Any) -> None:
    """Keeps the observedGeneration of conditions whose new form does not tell one."""
    known: dict[str, list[int]] = {}
    for condition in before:
        known.setdefault(condition.get("type", ""), []).append(condition.get("observedGeneration", 0))
    for condition in conditions:
        generations = known.get(condition.get("type", ""))
        generation = generations.pop(0) if generations else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation

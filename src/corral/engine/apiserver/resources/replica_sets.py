"""Deployments and ReplicaSets: a number of pods from one template, found by a selector that never changes."""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import percent_faults
from corral.engine.apiserver.resources.equality import is_same
from corral.engine.apiserver.resources.metadata_validation import (
    IMMUTABLE,
    NOT_NEGATIVE,
    builtin_finalizer_errors,
    selector_errors,
)
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.pod_defaults import default_pod_spec
from corral.engine.apiserver.resources.pod_validation import template_errors
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.selectors import label_selector_of

Fields = Mapping[str, Any]

_TOO_MANY = "cannot be greater than status.replicas"


class ReplicaSetStrategy(OpenStatusStrategy):
    """ReplicaSets; Deployments add how one template replaces another."""

    generation = True
    counted: tuple[str, ...] = (
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
    )
    """The numbers in status that may not be negative."""
    parts: tuple[str, ...] = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    """The numbers in status that are a part of all replicas."""

    def default(self, obj: Object) -> None:
        """Asks for one replica and completes the template."""
        spec = obj.setdefault("spec", {})
        if spec.get("replicas") is None:
            spec["replicas"] = 1
        default_template(spec)

    def prepare_create(self, obj: Object) -> None:
        """Starts with an empty status."""
        obj["status"] = {}

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status."""
        new["status"] = old.get("status") or {}

    def prepare_status(self, new: Object, old: Object) -> None:
        """Keeps the specification, and drops a number that only later versions tell."""
        super().prepare_status(new, old)
        (new.get("status") or {}).pop("terminatingReplicas", None)

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks numbers, selector and template."""
        spec = obj["spec"]
        errors = builtin_finalizer_errors(obj) + negative_errors(spec, "spec", "replicas", "minReadySeconds")
        return errors + _selected_template_errors(spec)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another selector."""
        selector = new["spec"].get("selector")
        if is_same(selector, old["spec"].get("selector")):
            return []
        return [invalid("spec.selector", shown_selector(selector), IMMUTABLE)]

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks that the parts of a status are not more than the whole."""
        status = new.get("status") or {}
        errors = negative_errors(status, "status", *self.counted)
        whole, available = status.get("replicas", 0), status.get("availableReplicas", 0)
        errors += [invalid(f"status.{f}", status[f], _TOO_MANY) for f in self.parts if status.get(f, 0) > whole]
        if available > status.get("readyReplicas", 0):
            errors.append(invalid("status.availableReplicas", available, "cannot be greater than readyReplicas"))
        return errors

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns the number of replicas there are."""
        return {"status.replicas": str((obj.get("status") or {}).get("replicas", 0))}


class DeploymentStrategy(ReplicaSetStrategy):
    """Deployments: a ReplicaSet per template, and the way from one to the next."""

    counted = (
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
    )
    parts = ("updatedReplicas", "readyReplicas", "availableReplicas")

    def default(self, obj: Object) -> None:
        """Chooses a rolling update of a quarter at a time, and how much history to keep."""
        super().default(obj)
        spec = obj["spec"]
        strategy = spec.setdefault("strategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            for field in ("maxUnavailable", "maxSurge"):
                if rolling.get(field) is None:
                    rolling[field] = "25%"
        for field, value in (("revisionHistoryLimit", 10), ("progressDeadlineSeconds", 600)):
            if spec.get(field) is None:
                spec[field] = value

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status, and counts a change of annotations, which ReplicaSets inherit, as a new generation."""
        super().prepare_update(new, old)
        meta, before = new["metadata"], old["metadata"]
        if (meta.get("annotations") or {}) != (before.get("annotations") or {}):
            meta["generation"] = int(before.get("generation", 0)) + 1

    def prepare_status(self, new: Object, old: Object) -> None:
        """Keeps all but the status and the annotations, in which the revision is noted."""
        super().prepare_status(new, old)
        labels = old["metadata"].get("labels")
        if labels:
            new["metadata"]["labels"] = labels
        else:
            new["metadata"].pop("labels", None)

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks numbers, selector, template, and the way of updating."""
        spec = obj["spec"]
        errors = builtin_finalizer_errors(obj) + negative_errors(spec, "spec", "replicas")
        errors += _selected_template_errors(spec)
        errors += _update_strategy_errors(spec["strategy"], "spec.strategy")
        errors += negative_errors(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
        deadline = spec["progressDeadlineSeconds"]
        if deadline <= spec.get("minReadySeconds", 0):
            errors.append(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"))
        return errors

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks the numbers, and that collisions are never forgotten."""
        errors = super().validate_status(new, old)
        count = (new.get("status") or {}).get("collisionCount", 0)
        if count < 0:
            errors.append(invalid("status.collisionCount", count, NOT_NEGATIVE))
        if count < (old.get("status") or {}).get("collisionCount", 0):
            errors.append(invalid("status.collisionCount", count, "cannot be decremented"))
        return errors

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Returns nothing: deployments are found by name only."""
        return {}


def default_template(spec: dict[str, Any]) -> None:
    """Completes the pod template inside a specification."""
    default_pod_spec(spec.setdefault("template", {}).setdefault("spec", {}))


def negative_errors(holder: Fields, path: str, *fields: str) -> list[FieldError]:
    """Returns an error for each number below zero."""
    return [
        invalid(f"{path}.{field}", value, NOT_NEGATIVE)
        for field in fields
        if (value := holder.get(field)) is not None and value < 0
    ]


def shown_selector(selector: Fields | None) -> Fields | None:
    """Returns a selector with its labels in the order in which messages show them."""
    if not selector:
        return selector
    shown = dict(selector)
    if shown.get("matchLabels"):
        shown["matchLabels"] = dict(sorted(shown["matchLabels"].items()))
    return shown


def mismatch_errors(selector: Fields | None, template: Fields, path: str) -> list[FieldError]:
    """Returns an error when a (valid) selector would not find the pods made from the template."""
    labels = (template.get("metadata") or {}).get("labels") or None
    try:
        if label_selector_of(selector).matches(labels):
            return []
    except ApiFailure:
        return []
    shown = dict(sorted(labels.items())) if labels else None
    return [invalid(f"{path}.metadata.labels", shown, "`selector` does not match template `labels`")]


def _selected_template_errors(spec: Fields) -> list[FieldError]:
    selector, template = spec.get("selector"), spec["template"]
    errors: list[FieldError] = []
    if selector is None:
        errors.append(required("spec.selector"))
    else:
        errors += selector_errors(selector, "spec.selector")
        if errors:
            errors.append(invalid("spec.selector", shown_selector(selector), "invalid label selector"))
            return errors
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            errors.append(invalid("spec.selector", selector, "empty selector is invalid for deployment"))
    errors += mismatch_errors(selector, template, "spec.template")
    errors += template_errors(template, "spec.template")
    policy = template["spec"]["restartPolicy"]
    if policy != "Always":
        errors.append(not_supported("spec.template.spec.restartPolicy", policy, ("Always",)))
    if template["spec"].get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in ReplicaSet is not Supported"
        errors.append(forbidden("spec.template.spec.activeDeadlineSeconds", detail))
    return errors


def _update_strategy_errors(strategy: Fields, path: str) -> list[FieldError]:
    kind, rolling = strategy["type"], strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is None:
            return []
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [forbidden(f"{path}.rollingUpdate", detail)]
    if kind != "RollingUpdate":
        shown = {"Type": kind, "RollingUpdate": rolling}
        return [not_supported(path, shown, ("Recreate", "RollingUpdate"))]
    assert rolling is not None
    errors: list[FieldError] = []
    for field in ("maxUnavailable", "maxSurge"):
        errors += _share_errors(rolling[field], f"{path}.rollingUpdate.{field}")
    unavailable = rolling["maxUnavailable"]
    if _share(unavailable) == 0 and _share(rolling["maxSurge"]) == 0:
        detail = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, detail))
    if isinstance(unavailable, str) and not percent_faults(unavailable) and _share(unavailable) > 100:
        detail = "must not be greater than 100%"
        errors.append(invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, detail))
    return errors


def _share_errors(value: int | str, path: str) -> list[FieldError]:
    if isinstance(value, str):
        return [invalid(path, value, fault) for fault in percent_faults(value)]
    return [] if value >= 0 else [invalid(path, value, NOT_NEGATIVE)]


def _share(value: int | str) -> int:
    """Returns a number or the number before the percent sign; what is neither counts as none."""
    if isinstance(value, int):
        return value
    return int(value.removesuffix("%")) if value.removesuffix("%").isdecimal() else 0

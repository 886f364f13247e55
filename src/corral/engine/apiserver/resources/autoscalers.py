"""HorizontalPodAutoscaler: stored as autoscaling/v2, spoken as v1 too.

What v1 has no field for travels in annotations of its objects (metrics, behavior, current metrics, conditions), so
that nothing is lost when a v1 client writes back what it read; `autoscaler_v1` translates.
"""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import path_faults
from corral.engine.apiserver.resources.amounts import settle_quantities
from corral.engine.apiserver.resources.autoscaler_metrics import METRIC_FIELDS, metrics_errors
from corral.engine.apiserver.resources.autoscaler_v1 import as_v2, default_metric
from corral.engine.apiserver.resources.metadata_validation import NOT_NEGATIVE
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.zero_values import fill
from corral.kinds.quantities import parse_quantity

__all__ = ["AutoscalerStrategy", "as_v2"]

_LONGEST_WINDOW = 3600
_LONGEST_PERIOD = 1800
_QUANTITIES = ("value", "averageValue")
_SCALE_UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
_SCALE_DOWN = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}


class AutoscalerStrategy(OpenStatusStrategy):
    """Autoscalers in either version; defaults are those of the version, everything else looks at v2."""

    def default(self, obj: Object) -> None:
        """Fills bounds, the default metric and, once there is a behavior, all of its rules."""
        fill(obj, {"spec": {"minReplicas": 1, "maxReplicas": 0, "scaleTargetRef": {"kind": "", "name": ""}}})
        if obj.get("apiVersion") == "autoscaling/v1":
            fill(obj, {"status": {"currentReplicas": 0, "desiredReplicas": 0}})
            return
        fill(obj, {"status": {"currentMetrics": None, "desiredReplicas": 0}})
        spec = obj["spec"]
        spec["metrics"] = spec.get("metrics") or [default_metric()]
        _settle_metrics(spec["metrics"], "target")
        _settle_metrics(obj["status"].get("currentMetrics") or [], "current")
        for condition in obj["status"].get("conditions") or ():
            fill(condition, {"lastTransitionTime": None})
        if spec.get("behavior") is not None:
            fill(spec["behavior"], {"scaleUp": _SCALE_UP, "scaleDown": _SCALE_DOWN})

    def prepare_create(self, obj: Object) -> None:
        """Starts with a blank status."""
        if obj.get("apiVersion") == "autoscaling/v1":
            obj["status"] = {"currentReplicas": 0, "desiredReplicas": 0}
        else:
            obj["status"] = {"currentMetrics": None, "desiredReplicas": 0}

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks bounds, target, metrics and behavior."""
        spec = as_v2(obj)["spec"]
        least, most = spec.get("minReplicas"), spec["maxReplicas"]
        errors: list[FieldError] = []
        if least is not None and least < 1:
            errors.append(invalid("spec.minReplicas", least, "must be greater than or equal to 1"))
        if most < 1:
            errors.append(invalid("spec.maxReplicas", most, "must be greater than 0"))
        if least is not None and most < least:
            errors.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
        errors += _scale_target_errors("spec.scaleTargetRef", spec["scaleTargetRef"])
        errors += metrics_errors("spec.metrics", spec, reference_errors)
        behavior = spec.get("behavior") or {}
        for field in ("scaleUp", "scaleDown"):
            if behavior.get(field) is not None:
                errors += _rules_errors(f"spec.behavior.{field}", behavior[field])
        return errors

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses negative counts."""
        status = new.get("status") or {}
        fields = ("currentReplicas", "desiredReplicas")
        return [invalid(f"status.{f}", status[f], NOT_NEGATIVE) for f in fields if status.get(f, 0) < 0]


def reference_errors(path: str, reference: dict[str, Any]) -> Iterator[FieldError]:
    """Returns what is wrong with a reference to an object by kind, name and version."""
    for field in ("kind", "name"):
        text = reference.get(field, "")
        if not text:
            yield required(f"{path}.{field}")
        yield from (invalid(f"{path}.{field}", text, fault) for fault in path_faults(text))
    version = reference.get("apiVersion", "")
    if version.count("/") > 1:
        yield invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")


def _scale_target_errors(path: str, target: dict[str, Any]) -> Iterator[FieldError]:
    yield from reference_errors(path, target)
    version = target.get("apiVersion", "")
    # Of what the group without a name has, only replication controllers can be scaled.
    if "/" not in version and target.get("kind") != "ReplicationController":
        yield invalid(f"{path}.apiVersion", version, "apiVersion must specify API group")


def _settle_metrics(metrics: list[dict[str, Any]], part: str) -> None:
    for metric in metrics:
        for field in METRIC_FIELDS.values():
            settle_quantities((metric.get(field) or {}).get(part) or {}, *_QUANTITIES)


def _rules_errors(path: str, rules: dict[str, Any]) -> Iterator[FieldError]:
    window, select, tolerance = (rules.get(f) for f in ("stabilizationWindowSeconds", "selectPolicy", "tolerance"))
    if window is not None and window < 0:
        yield invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > _LONGEST_WINDOW:
        detail = f"must be less than or equal to {_LONGEST_WINDOW}"
        yield invalid(f"{path}.stabilizationWindowSeconds", window, detail)
    if select is not None and select not in ("Disabled", "Max", "Min"):
        yield not_supported(f"{path}.selectPolicy", select, ("Disabled", "Max", "Min"))
    policies = rules.get("policies") or []
    if not policies:
        yield required(f"{path}.policies", "must specify at least one Policy")
    for index, policy in enumerate(policies):
        yield from _policy_errors(f"{path}.policies[{index}]", policy)
    if tolerance is not None and parse_quantity(str(tolerance)).nanos < 0:
        yield invalid(f"{path}.tolerance", tolerance, NOT_NEGATIVE)


def _policy_errors(path: str, policy: dict[str, Any]) -> Iterator[FieldError]:
    kind, value, period = policy.get("type", ""), policy.get("value", 0), policy.get("periodSeconds", 0)
    if kind not in ("Percent", "Pods"):
        yield not_supported(f"{path}.type", kind, ("Percent", "Pods"))
    if value <= 0:
        yield invalid(f"{path}.value", value, "must be greater than zero")
    if period <= 0:
        yield invalid(f"{path}.periodSeconds", period, "must be greater than zero")
    if period > _LONGEST_PERIOD:
        yield invalid(f"{path}.periodSeconds", period, f"must be less than or equal to {_LONGEST_PERIOD}")

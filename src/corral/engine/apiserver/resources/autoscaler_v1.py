"""Translates HorizontalPodAutoscaler between autoscaling/v1 and v2."""

import json
from collections.abc import Callable
from typing import Any

from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.zero_values import fill

V1, V2 = "autoscaling/v1", "autoscaling/v2"
_PREFIX = "autoscaling.alpha.kubernetes.io/"
METRICS, BEHAVIOR = f"{_PREFIX}metrics", f"{_PREFIX}behavior"
CURRENT_METRICS, CONDITIONS = f"{_PREFIX}current-metrics", f"{_PREFIX}conditions"
_ANNOTATIONS = (METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS)
_CPU_PERCENT = 80
_STATUS_FIELDS = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_SPEC_FIELDS = ("scaleTargetRef", "minReplicas", "maxReplicas")


def default_metric(percent: int = _CPU_PERCENT) -> dict[str, Any]:
    """Returns the metric that v1 knows a field for: processor time as a share of what pods asked for."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def as_v2(obj: Object) -> Object:
    """Returns an autoscaler of either version as v2, the form in which autoscalers rest."""
    if obj.get("apiVersion") != V1:
        return obj
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    annotations = obj["metadata"].get("annotations") or {}
    percent = spec.get("targetCPUUtilizationPercentage")
    metrics = [_metric_to_v2(m, "target") for m in _decoded(annotations, METRICS)]
    metrics += [] if percent is None else [default_metric(percent)]
    new_spec = _picked(spec, _SPEC_FIELDS) | {"metrics": metrics or [default_metric()]}
    behavior = _decoded(annotations, BEHAVIOR)
    if behavior:
        new_spec["behavior"] = _renamed(behavior, _lower_first)
    new_status: dict[str, Any] = _picked(status, _STATUS_FIELDS)
    if not new_status.get("currentReplicas"):  # v2 leaves out a zero that v1 shows
        new_status.pop("currentReplicas", None)
    new_status["currentMetrics"] = _current_to_v2(annotations, status)
    conditions = _decoded(annotations, CONDITIONS)
    if conditions:
        new_status["conditions"] = conditions
    fill(new_status, {"desiredReplicas": 0})
    return {**obj, "apiVersion": V2, "metadata": _cleaned(obj["metadata"]), "spec": new_spec, "status": new_status}


def as_v1(obj: Object) -> Object:
    """Returns an autoscaler of either version as v1."""
    if obj.get("apiVersion") == V1:
        return obj
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metrics, current = spec.get("metrics") or [], status.get("currentMetrics") or []
    new_spec = _picked(spec, _SPEC_FIELDS)
    percents = [m["resource"]["target"]["averageUtilization"] for m in metrics if _is_cpu_percent(m)]
    if percents:
        new_spec["targetCPUUtilizationPercentage"] = percents[0]
    new_status = _picked(status, _STATUS_FIELDS)
    fill(new_status, {"currentReplicas": 0, "desiredReplicas": 0})
    seen = [_cpu_seen(m) for m in current]
    if any(value is not None for value in seen):
        new_status["currentCPUUtilizationPercentage"] = [v for v in seen if v is not None][-1]
    carried = {
        METRICS: [_metric_to_v1(m, "target") for m in metrics if not _is_cpu_percent(m)],
        CURRENT_METRICS: [_metric_to_v1(m, "current") for m in current],
        BEHAVIOR: _behavior_to_v1(spec.get("behavior")),
        CONDITIONS: [_ordered(condition) for condition in status.get("conditions") or ()],
    }
    metadata = _cleaned(obj["metadata"], {key: _encoded(value) for key, value in carried.items() if value})
    return {**obj, "apiVersion": V1, "metadata": metadata, "spec": new_spec, "status": new_status}


def _ordered(condition: dict[str, Any]) -> dict[str, Any]:
    order = ("type", "status", "lastTransitionTime", "reason", "message")
    return {field: condition.get(field) for field in order if field in condition or field == "lastTransitionTime"}


def _is_cpu_percent(metric: dict[str, Any]) -> bool:
    resource = metric.get("resource") or {}
    is_cpu = metric.get("type") == "Resource" and resource.get("name") == "cpu"
    return is_cpu and (resource.get("target") or {}).get("averageUtilization") is not None


def _cpu_seen(metric: dict[str, Any]) -> int | None:
    resource = metric.get("resource") or {}
    is_cpu = metric.get("type") == "Resource" and resource.get("name") == "cpu"
    found: int | None = (resource.get("current") or {}).get("averageUtilization") if is_cpu else None
    return found


def _current_to_v2(annotations: dict[str, str], status: dict[str, Any]) -> list[dict[str, Any]] | None:
    known = _decoded(annotations, CURRENT_METRICS)
    percent = status.get("currentCPUUtilizationPercentage")
    if known:
        return [_metric_to_v2(m, "current") for m in known]
    if percent is None:
        return None
    return [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}]


def _metric_to_v1(metric: dict[str, Any], part: str) -> dict[str, Any]:
    """Returns a metric in the old form, in which a source holds its names and numbers side by side."""
    field = _source_field(metric)
    if not field:
        return metric
    source = metric[field]
    numbers, name = source.get(part) or {}, source.get("metric") or {}
    old: dict[str, Any] = {}
    if field == "object":
        old["target"] = source.get("describedObject") or {}
    if source.get("name"):
        old["name"] = source["name"]
    if name:
        old["metricName"] = name.get("name", "")
    selector = name.get("selector")
    if selector is not None:
        old["metricSelector" if field == "external" else "selector"] = selector
    for new_key, old_key, always in _number_names(field, part):
        if numbers.get(new_key) is not None or always:
            old[old_key] = numbers.get(new_key, "0")
    if source.get("container"):
        old["container"] = source["container"]
    return {"type": metric["type"], field: old}


def _metric_to_v2(metric: dict[str, Any], part: str) -> dict[str, Any]:
    field = _source_field(metric)
    if not field:
        return metric
    old = metric[field]
    numbers = {new: old[key] for new, key, _ in _number_names(field, part) if old.get(key) is not None}
    if part == "target":
        numbers = {"type": _target_type(field, numbers), **numbers}
    new: dict[str, Any] = {key: old[key] for key in ("name", "container") if old.get(key)}
    if field == "object":
        new["describedObject"] = old.get("target") or {}
    new[part] = numbers
    if field in ("object", "pods", "external"):
        new["metric"] = {"name": old.get("metricName", "")}
        selector = old.get("metricSelector" if field == "external" else "selector")
        if selector is not None:
            new["metric"]["selector"] = selector
    return {"type": metric["type"], field: new}


def _source_field(metric: dict[str, Any]) -> str:
    kind = str(metric.get("type", ""))
    field = _lower_first(kind)
    return field if metric.get(field) is not None else ""


def _number_names(field: str, part: str) -> list[tuple[str, str, bool]]:
    """Returns (v2 name, v1 name, shown even when absent) of the numbers of one kind of source."""
    word = part  # "target" or "current" starts the old names
    if field in ("resource", "containerResource"):
        is_status = part == "current"
        return [
            ("averageUtilization", f"{word}AverageUtilization", False),
            ("averageValue", f"{word}AverageValue", is_status),
        ]
    if field == "pods":
        return [("averageValue", f"{word}AverageValue", True)]
    if field == "object":
        return [("value", f"{word}Value", True), ("averageValue", "averageValue", False)]
    return [
        ("value", f"{word}Value", part == "current"),
        ("averageValue", f"{word}AverageValue", False),
    ]


def _target_type(field: str, numbers: dict[str, Any]) -> str:
    if field in ("resource", "containerResource"):
        return "Utilization" if "averageUtilization" in numbers else "AverageValue"
    if field == "external":
        return "Value" if "value" in numbers else "AverageValue"
    return "AverageValue" if "averageValue" in numbers else "Value"


def _behavior_to_v1(behavior: dict[str, Any] | None) -> dict[str, Any] | None:
    """Returns the behavior with capital names and every field shown, as the real server writes it."""
    if behavior is None:
        return None
    blank = dict.fromkeys(("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance"))
    whole = {
        field: None if behavior.get(field) is None else blank | behavior[field] for field in ("scaleUp", "scaleDown")
    }
    renamed: dict[str, Any] = _renamed(whole, lambda name: name[:1].upper() + name[1:])
    return renamed


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {
            rename(key): _renamed(item, rename) for key, item in value.items() if item is not None or key[0].islower()
        }
    return [_renamed(item, rename) for item in value] if isinstance(value, list) else value


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]


def _picked(source: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: source[field] for field in fields if source.get(field) is not None}


def _cleaned(metadata: dict[str, Any], added: dict[str, str] | None = None) -> dict[str, Any]:
    kept = {key: text for key, text in (metadata.get("annotations") or {}).items() if key not in _ANNOTATIONS}
    kept |= added or {}
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**rest, "annotations": kept} if kept else rest


def _encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _decoded(annotations: dict[str, str], key: str) -> Any:
    try:
        return json.loads(annotations.get(key) or "[]")
    except json.JSONDecodeError:
        return []

"""What an autoscaler may measure: five sources, each with a target."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import label_faults, path_faults
from corral.engine.apiserver.resources.resource_requirements import container_resource_faults
from corral.kinds.quantities import parse_quantity

METRIC_FIELDS = {
    # In the order in which the real server looks at them: only the first one present is checked.
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TARGET_TYPES = ("Utilization", "Value", "AverageValue")
_EITHER_RAW = "must set either a target raw value or a target utilization"
_BOTH_RAW = "may not set both a target raw value and a target utilization"

ReferenceErrors = Callable[[str, dict[str, Any]], Iterable[FieldError]]


def metrics_errors(path: str, spec: dict[str, Any], reference_errors: ReferenceErrors) -> list[FieldError]:
    """Returns what is wrong with the metrics of an autoscaler."""
    metrics = spec.get("metrics") or []
    errors = [
        error
        for index, metric in enumerate(metrics)
        for error in _metric_errors(f"{path}[{index}]", metric, reference_errors)
    ]
    if spec.get("minReplicas") == 0 and not any(m.get("type") in ("Object", "External") for m in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden(path, detail))
    return errors


def _metric_errors(path: str, metric: dict[str, Any], reference_errors: ReferenceErrors) -> Iterator[FieldError]:
    kind = metric.get("type", "")
    if not kind:
        yield required(f"{path}.type", "must specify a metric source type")
    if kind not in METRIC_FIELDS:
        yield not_supported(f"{path}.type", kind, sorted(METRIC_FIELDS))
    present = [field for field in METRIC_FIELDS.values() if metric.get(field) is not None]
    if present:
        yield from _source_errors(f"{path}.{present[0]}", present[0], metric[present[0]], reference_errors)
    expected = METRIC_FIELDS.get(kind, "")
    if not expected:
        yield not_supported(f"{path}.type", kind, sorted(METRIC_FIELDS))
    elif expected not in present:
        yield required(f"{path}.{expected}", "must populate information for the given metric source")
    if len(present) != 1:
        surplus = (field for field in present if field != expected)
        yield from (forbidden(f"{path}.{field}", "must populate the given metric source only") for field in surplus)


def _source_errors(
    path: str, field: str, source: dict[str, Any], reference_errors: ReferenceErrors
) -> Iterator[FieldError]:
    target = source.get("target") or {}
    if field == "object":
        yield from reference_errors(f"{path}.describedObject", source.get("describedObject") or {})
    if field in ("object", "external", "pods"):
        yield from _identifier_errors(f"{path}.metric.name", (source.get("metric") or {}).get("name", ""))
    else:
        yield from _resource_name_errors(path, field, source)
    yield from _target_errors(f"{path}.target", target)
    yield from _choice_errors(f"{path}.target", field, target)


def _identifier_errors(path: str, name: str) -> Iterator[FieldError]:
    if not name:
        yield required(path, "must specify a metric name")
    yield from (invalid(path, name, fault) for fault in path_faults(name))


def _resource_name_errors(path: str, field: str, source: dict[str, Any]) -> Iterator[FieldError]:
    name, container = source.get("name", ""), source.get("container", "")
    if not name:
        yield required(f"{path}.name", "must specify a resource name")
    elif field == "containerResource":
        yield from (invalid(f"{path}.name", name, fault) for fault in container_resource_faults(name))
    if field == "containerResource":
        if not container:
            yield required(f"{path}.container", "must specify a container")
        else:
            yield from (invalid(f"{path}.container", container, fault) for fault in label_faults(container))


def _target_errors(path: str, target: dict[str, Any]) -> Iterator[FieldError]:
    kind, utilization = target.get("type", ""), target.get("averageUtilization")
    if not kind:
        yield required(f"{path}.type", "must specify a metric target type")
    if kind not in _TARGET_TYPES:
        yield invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for field in ("value", "averageValue"):
        if target.get(field) is not None and parse_quantity(target[field]).nanos <= 0:
            yield invalid(f"{path}.{field}", target[field], "must be positive")
    if utilization is not None and utilization < 1:
        yield invalid(f"{path}.averageUtilization", utilization, "must be greater than 0")


def _choice_errors(path: str, field: str, target: dict[str, Any]) -> Iterator[FieldError]:
    """Checks which of the target's numbers are there; each source wants another one."""
    value, average = target.get("value"), target.get("averageValue")
    utilization = target.get("averageUtilization")
    if field == "object" and value is None and average is None:
        yield required(f"{path}.averageValue", "must set either a target value or averageValue")
    elif field == "external" and value is None and average is None:
        detail = "must set either a target value for metric or a per-pod target"
        yield required(f"{path}.averageValue", detail)
    elif field == "external" and value is not None and average is not None:
        yield forbidden(f"{path}.value", "may not set both a target value for metric and a per-pod target")
    elif field == "pods" and average is None:
        yield required(f"{path}.averageValue", "must specify a positive target averageValue")
    elif field in ("resource", "containerResource"):
        if utilization is None and average is None:
            yield required(f"{path}.averageUtilization", _EITHER_RAW)
        elif utilization is not None and average is not None:
            yield forbidden(f"{path}.averageValue", _BOTH_RAW)

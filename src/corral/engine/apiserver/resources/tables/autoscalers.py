"""The row of a HorizontalPodAutoscaler: what it measures against what it wants."""

from typing import Any

from corral.engine.apiserver.resources.autoscalers import as_v2
from corral.engine.apiserver.resources.resource import Object, Printer
from corral.engine.apiserver.resources.tables.ages import age
from corral.engine.apiserver.resources.tables.columns import columns

_SHOWN_METRICS = 2
_UNKNOWN = "<unknown>"
_SOURCES = {
    # Metric type: the field that holds it, whether its name is printed, whether averages are marked.
    "External": ("external", False, True),
    "Pods": ("pods", False, False),
    "Object": ("object", False, True),
    "Resource": ("resource", True, False),
    "ContainerResource": ("containerResource", True, False),
}


def _cells(obj: Object, now: float) -> list[Any]:
    scaler = as_v2(obj)
    spec, status, metadata = scaler.get("spec") or {}, scaler.get("status") or {}, scaler["metadata"]
    target, least = spec.get("scaleTargetRef") or {}, spec.get("minReplicas")
    return [
        metadata.get("name", ""),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _metrics(spec.get("metrics") or [], status.get("currentMetrics") or []),
        "<unset>" if least is None else str(least),
        spec.get("maxReplicas", 0),
        status.get("currentReplicas", 0),
        age(metadata.get("creationTimestamp"), now),
    ]


def _metrics(wanted: list[dict[str, Any]], seen: list[dict[str, Any]]) -> str:
    if not wanted:
        return "<none>"
    told = [_metric(spec, seen[i] if i < len(seen) else {}) for i, spec in enumerate(wanted)]
    more = len(told) - _SHOWN_METRICS
    return ", ".join(told[:_SHOWN_METRICS]) + (f" + {more} more..." if more > 0 else "")


def _metric(spec: dict[str, Any], seen: dict[str, Any]) -> str:
    if spec.get("type") not in _SOURCES:
        return "<unknown type>"
    field, is_named, marks_average = _SOURCES[spec["type"]]
    source = spec.get(field) or {}
    target, current = source.get("target") or {}, (seen.get(field) or {}).get("current")
    if target.get("averageValue") is not None:
        told = f"{_value(current, 'averageValue', strict=marks_average)}/{target['averageValue']}"
        told += " (avg)" if marks_average else ""
    elif is_named:
        told = f"{_percent(current, _UNKNOWN)}/{_percent(target, '<auto>')}"
    else:
        told = f"{_value(current, 'value', strict=False)}/{target.get('value', '')}"
    return f"{source.get('name', '')}: {told}" if is_named else told


def _value(current: dict[str, Any] | None, field: str, *, strict: bool) -> str:
    """Returns a measured quantity; a status that lacks it reads as nothing measured, or as 0 where it must be there."""
    if current is None:
        return _UNKNOWN
    found = current.get(field)
    return (_UNKNOWN if strict else "0") if found is None else str(found)


def _percent(holder: dict[str, Any] | None, absent: str) -> str:
    found = (holder or {}).get("averageUtilization")
    return absent if found is None else f"{found}%"


AUTOSCALER = Printer(columns("Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"), _cells)

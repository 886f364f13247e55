"""Event: what happened to an object. Two dialects (core/v1 and events.k8s.io/v1), one store, in the words of core/v1."""

from collections.abc import Mapping
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, required
from corral.engine.apiserver.grammar.names import qualified_name_faults, size, subdomain_faults
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE
from corral.engine.apiserver.resources.resource import Object, Strategy
from corral.engine.apiserver.resources.zero_values import fill

EVENT_TTL_SECONDS = 3600
"""How long an event is kept after its last write."""
CORE, NEW = "v1", "events.k8s.io/v1"
# Names of the same thing in core/v1 and in events.k8s.io/v1; all others are equal.
_NEW_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_CORE_NAMES = {new: old for old, new in _NEW_NAMES.items()}
_CORE_ZEROS: dict[str, Any] = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}
_NEW_OPTIONAL = ("reportingComponent", "reportingInstance")  # not shown by events.k8s.io/v1 when empty
_SELECTABLE_OBJECT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
SELECTABLE_CORE = (
    *(f"involvedObject.{field}" for field in _SELECTABLE_OBJECT),
    "reason",
    "reportingComponent",
    "source",
    "type",
)
SELECTABLE_NEW = (*(f"regarding.{field}" for field in _SELECTABLE_OBJECT), "reason", "reportingController", "type")
_LIMITS = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}
_MUST_BE_UNSET = ("firstTimestamp", "lastTimestamp", "count", "source")
_FIXED = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",  # told twice, as on the real server
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)


class EventStrategy(Strategy):
    """Events; those that come in the new dialect are held to stricter rules."""

    allow_create_on_update = True
    never_owns = True

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self.name_rule = "subdomain" if strict else "path"

    def default(self, obj: Object) -> None:
        """Shows the fields that an event of its dialect always has."""
        if obj.get("apiVersion") == NEW:
            fill(obj, {"eventTime": None, "regarding": {}, "deprecatedSource": {}})
        else:
            fill(obj, _CORE_ZEROS)

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks namespace and speaker, and the stricter rules of the new dialect."""
        event = as_core_event(obj)
        controller = "reportingController" if self._strict else "reportingComponent"
        errors = _legacy_errors(event, controller)
        return errors + _strict_errors(event) if self._strict else errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses changes of all but the series, in the new dialect."""
        if not self._strict:
            return []
        event, before = as_core_event(new), as_core_event(old)
        return [
            invalid("reportingController" if field == "reportingComponent" else field, event.get(field), IMMUTABLE)
            for field in _FIXED
            if (event.get(field) or None) != (before.get(field) or None)
        ]

    def selectable(self, obj: Object) -> Mapping[str, str]:
        """Offers the object and the words of the event, under the names of its dialect."""
        event = as_core_event(obj)
        about, controller = event.get("involvedObject") or {}, event.get("reportingComponent") or ""
        shared = {"reason": event.get("reason", ""), "type": event.get("type", "")}
        if self._strict:
            fields = {f"regarding.{field}": about.get(field, "") for field in _SELECTABLE_OBJECT}
            return {**fields, **shared, "reportingController": controller}
        fields = {f"involvedObject.{field}": about.get(field, "") for field in _SELECTABLE_OBJECT}
        source = (event.get("source") or {}).get("component") or controller
        return {**fields, **shared, "reportingComponent": controller, "source": source}


def as_core_event(obj: Object) -> Object:
    """Returns an event of either dialect as core/v1, the form in which events rest."""
    if obj.get("apiVersion") != NEW:
        return obj
    event = {_CORE_NAMES.get(key, key): value for key, value in obj.items()}
    event["apiVersion"] = CORE
    fill(event, _CORE_ZEROS)
    return event


def as_new_event(obj: Object) -> Object:
    """Returns an event of either dialect as events.k8s.io/v1."""
    if obj.get("apiVersion") == NEW:
        return obj
    event = {
        _NEW_NAMES.get(key, key): value
        for key, value in obj.items()
        if not (key in _NEW_OPTIONAL and not value) and not (key == "count" and not value)
    }
    event["apiVersion"] = NEW
    fill(event, {"eventTime": None, "regarding": {}, "deprecatedSource": {}})
    fill(event, {"deprecatedFirstTimestamp": None, "deprecatedLastTimestamp": None})
    return event


def _legacy_errors(event: Object, controller_field: str) -> list[FieldError]:
    """Checks what every event must keep to; those with an eventTime are of the new kind and must say more."""
    namespace = event["metadata"].get("namespace", "")
    about = (event.get("involvedObject") or {}).get("namespace", "")
    errors: list[FieldError] = []
    homeless = ("default", "kube-system") if event.get("eventTime") else ("default", "")
    agrees = namespace in homeless if not about else event.get("eventTime") or about == namespace
    if not agrees:
        errors.append(invalid("involvedObject.namespace", about, "does not match event.namespace"))
    if event.get("eventTime"):
        errors += _speaker_errors(event, controller_field)
    return errors + [invalid("namespace", namespace, fault) for fault in subdomain_faults(namespace)]


def _speaker_errors(event: Object, controller_field: str) -> list[FieldError]:
    controller = event.get("reportingComponent") or ""
    errors = [] if controller else [required(controller_field)]
    errors += [invalid(controller_field, controller, fault) for fault in qualified_name_faults(controller)]
    for field, limit in _LIMITS.items():
        text = event.get(field) or ""
        if not text and field != "message":
            errors.append(required(field))
        if size(text) > limit:
            errors.append(invalid(field, "", f"can have at most {limit} characters"))
    return errors


def _strict_errors(event: Object) -> list[FieldError]:
    errors = _series_errors(event.get("series"))
    if not event.get("eventTime"):
        errors.append(required("eventTime"))
    if event.get("type") not in ("Normal", "Warning"):
        errors.append(invalid("type", "", f"has invalid value: {event.get('type', '')}"))
    return errors + [invalid(field, "", "needs to be unset") for field in _MUST_BE_UNSET if event.get(field)]


def _series_errors(series: Mapping[str, Any] | None) -> list[FieldError]:
    if series is None:
        return []
    errors = [invalid("series.count", "", "should be at least 2")] if series.get("count", 0) < 2 else []
    return errors if series.get("lastObservedTime") else [*errors, required("series.lastObservedTime")]

"""PersistentVolumeClaim: a wish for storage."""

from copy import deepcopy
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import label_faults, subdomain_faults
from corral.engine.apiserver.resources.amounts import settle_amounts
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE, selector_errors
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.spec_changes import spec_diff
from corral.engine.apiserver.resources.zero_values import fill
from corral.kinds.quantities import parse_quantity

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_STORAGE = "spec.resources[storage]"
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_SPEC_FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


class ClaimStrategy(OpenStatusStrategy):
    """Claims; almost nothing of a claim may change."""

    returns_deleted = True

    def default(self, obj: Object) -> None:
        """Fills the volume mode and brings quantities into their stored form."""
        fill(obj, {"spec": {"resources": {}, "volumeMode": "Filesystem"}, "status": {"phase": "Pending"}})
        settle_amounts(obj["spec"]["resources"], "requests", "limits")
        settle_amounts(obj["status"], "capacity", "allocatedResources")

    def prepare_create(self, obj: Object) -> None:
        """Starts as Pending."""
        obj["status"] = {"phase": "Pending"}
        _pair_data_sources(obj["spec"])

    def prepare_update(self, new: Object, old: Object) -> None:
        """Keeps the status and fills the other form of the data source."""
        super().prepare_update(new, old)
        _pair_data_sources(new["spec"])

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks modes, size, classes and data sources."""
        spec = obj["spec"]
        modes = spec.get("accessModes") or []
        errors = [] if modes else [required("spec.accessModes", "at least 1 access mode is required")]
        errors += selector_errors(spec.get("selector"), "spec.selector")
        errors += _mode_errors(modes)
        errors += _storage_errors(spec["resources"].get("requests") or {})
        errors += _class_errors(spec, "storageClassName")
        if spec["volumeMode"] not in _VOLUME_MODES:
            errors.append(not_supported("spec.volumeMode", spec["volumeMode"], _VOLUME_MODES))
        for field in ("dataSource", "dataSourceRef"):
            if spec.get(field) is not None:
                errors += _source_errors(f"spec.{field}", spec[field])
        return errors + _class_errors(spec, "volumeAttributesClassName")

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses every change but those that bind or grow a claim."""
        spec, before = new["spec"], old["spec"]
        errors: list[FieldError] = []
        kept, was = _comparable(new, old)
        if kept != was:
            errors.append(forbidden("spec", f"{_SPEC_FIXED}\n{spec_diff(_shown(was), _shown(kept))}"))
        size, former = _requested(spec), _requested(before)
        if size < former and size <= _capacity(old):
            detail = "field can not be less than status.capacity"
            errors.append(forbidden("spec.resources.requests.storage", detail))
        if spec["volumeMode"] != before.get("volumeMode"):
            errors.append(invalid("volumeMode", spec["volumeMode"], IMMUTABLE))
        return errors

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses negative capacities."""
        capacity = (new.get("status") or {}).get("capacity") or {}
        return [
            invalid(
                f"status.capacity[{name}]", parse_quantity(text).nanos // 10**9, "must be a valid resource quantity"
            )
            for name, text in capacity.items()
            if parse_quantity(text).nanos < 0
        ]


def _comparable(new: Object, old: Object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns both specs with the allowed changes made equal."""
    kept, was = deepcopy(new["spec"]), deepcopy(old["spec"])
    if not was.get("volumeName"):
        _copy(kept, was, "volumeName")
    marked = (old["metadata"].get("annotations") or {}).get(_CLASS_ANNOTATION)
    if was.get("storageClassName") is None and kept.get("storageClassName") in (
        marked or kept.get("storageClassName"),
    ):
        _copy(was, kept, "storageClassName")
    if (new.get("status") or {}).get("phase") == "Bound":
        if (kept["resources"] or {}).get("requests") is not None:
            kept["resources"]["requests"]["storage"] = (was["resources"].get("requests") or {}).get("storage")
        _copy(was, kept, "volumeAttributesClassName")
    return kept, was


def _shown(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns a spec with the names and the order that the real server shows in differences."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    return {
        "AccessModes": spec.get("accessModes"),
        "Selector": spec.get("selector"),
        "Resources": {"Limits": spec["resources"].get("limits"), "Requests": spec["resources"].get("requests")},
        "VolumeName": spec.get("volumeName", ""),
        "StorageClassName": spec.get("storageClassName"),
        "VolumeMode": spec.get("volumeMode"),
        "DataSource": _shown_source(source, "APIGroup", "Kind", "Name"),
        "DataSourceRef": _shown_source(reference, "APIGroup", "Kind", "Name", "Namespace"),
        "VolumeAttributesClassName": spec.get("volumeAttributesClassName"),
    }


def _shown_source(source: dict[str, Any] | None, *names: str) -> dict[str, Any] | None:
    if source is None:
        return None
    return {name: source.get("apiGroup" if name == "APIGroup" else name.lower()) for name in names}


def _copy(source: dict[str, Any], target: dict[str, Any], field: str) -> None:
    if source.get(field) is None:
        target.pop(field, None)
    else:
        target[field] = source[field]


def _pair_data_sources(spec: dict[str, Any]) -> None:
    """Fills whichever of dataSource and dataSourceRef is missing from the other."""
    for field in ("dataSource", "dataSourceRef"):
        if spec.get(field) is not None:
            fill(spec[field], {"apiGroup": None})
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = {key: value for key, value in reference.items() if key != "namespace"}


def _mode_errors(modes: list[str]) -> list[FieldError]:
    errors = [not_supported("spec.accessModes", mode, _MODES) for mode in modes if mode not in _MODES]
    if "ReadWriteOncePod" in modes and any(mode in _MODES[:3] for mode in modes):
        errors.append(forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes"))
    return errors


def _storage_errors(requests: dict[str, str]) -> list[FieldError]:
    if "storage" not in requests:
        return [required(_STORAGE)]
    if parse_quantity(requests["storage"]).nanos <= 0:
        return [invalid(_STORAGE, requests["storage"], "must be greater than zero")]
    return []


def _class_errors(spec: dict[str, Any], field: str) -> list[FieldError]:
    name = spec.get(field)
    return [invalid(f"spec.{field}", name, fault) for fault in subdomain_faults(name)] if name else []


def _source_errors(path: str, source: dict[str, Any]) -> list[FieldError]:
    errors = [required(f"{path}.{field}") for field in ("name", "kind") if not source.get(field)]
    group, kind = source.get("apiGroup") or "", source.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(invalid(path, kind, detail))
    if group:
        errors += [invalid(f"{path}.apiGroup", group, fault) for fault in subdomain_faults(group)]
    namespace = source.get("namespace")
    if namespace:
        errors += [invalid(f"{path}.namespace", namespace, fault) for fault in label_faults(namespace)]
    return errors


def _requested(spec: dict[str, Any]) -> int:
    return parse_quantity(((spec.get("resources") or {}).get("requests") or {}).get("storage") or "0").nanos


def _capacity(obj: Object) -> int:
    return parse_quantity(((obj.get("status") or {}).get("capacity") or {}).get("storage") or "0").nanos

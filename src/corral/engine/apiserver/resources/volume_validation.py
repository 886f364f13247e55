"""Validation of the volumes of a pod: one source each, a unique name, and paths that stay inside."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from corral.engine.apiserver.grammar.names import label_faults, subdomain_faults
from corral.engine.apiserver.resources.environment_validation import (
    VOLUME_FIELDS,
    field_reference_errors,
    resource_reference_errors,
)
from corral.engine.apiserver.resources.metadata_validation import annotation_errors, label_errors, selector_errors
from corral.kinds.quantities import parse_quantity, resource_quantity

Fields = Mapping[str, Any]

_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_BAD_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_ONE_SOURCE = "may not specify more than 1 volume type"


def volume_list_errors(
    volumes: Sequence[Fields], pod_name: str, path: str
) -> tuple[dict[str, Fields], list[FieldError]]:
    """Returns the valid volumes by name, which mounts may refer to, and what is wrong with the others."""
    valid: dict[str, Fields] = {}
    errors: list[FieldError] = []
    created = {f"{pod_name}-{v.get('name', '')}" for v in volumes if pod_name and v.get("ephemeral") is not None}
    for index, volume in enumerate(volumes):
        where = f"{path}[{index}]"
        name = volume.get("name", "")
        found = _source_errors(volume, pod_name, where)
        if not name:
            found.append(required(f"{where}.name"))
        else:
            found += [invalid(f"{where}.name", name, fault) for fault in label_faults(name)]
        if name in valid:
            found.append(duplicate(f"{where}.name", name))
        if not found:
            valid[name] = volume
        errors += found
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        if claim and claim in created:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(invalid(f"{where}.persistentVolumeClaim.claimName", claim, detail))
    return valid, errors


def descending_path_errors(value: str, path: str) -> list[FieldError]:
    """Returns an error for a path that is absolute or climbs up."""
    errors = [invalid(path, value, "must be a relative path")] if value.startswith("/") else []
    return errors + backstep_errors(value, path)


def backstep_errors(value: str, path: str) -> list[FieldError]:
    """Returns an error for a path with an element `..`."""
    return [invalid(path, value, "must not contain '..'")] if ".." in value.split("/") else []


def _source_errors(volume: Fields, pod_name: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kinds = [kind for kind, value in volume.items() if kind != "name" and value is not None]
    if len(kinds) > 1:
        # The real server looks at the kinds in a fixed order; the first found is the volume, the others are too many.
        kinds.sort(key=lambda kind: _ORDER.get(kind, len(_ORDER)))
        errors = [forbidden(f"{path}.{kind}", _ONE_SOURCE) for kind in kinds[1:]]
    if not kinds:
        return [required(path, "must specify a volume type")]
    kind = kinds[0]
    check = _CHECKS.get(kind)
    found = check(volume[kind], f"{path}.{kind}") if check else []
    name = volume.get("name", "")
    if kind == "ephemeral" and pod_name and name:
        claim = f"{pod_name}-{name}"
        found += [invalid(f"{path}.name", name, f'PVC name "{claim}": {f}') for f in subdomain_faults(claim)]
    return found + errors


def _reserved_path_errors(value: str, path: str) -> list[FieldError]:
    errors = descending_path_errors(value, path)
    if value.startswith("..") and not value.startswith("../"):
        errors.append(invalid(path, value, "must not start with '..'"))
    return errors


def _mode_errors(holder: Fields, field: str, path: str) -> list[FieldError]:
    mode = holder.get(field)
    return [] if mode is None or 0 <= mode <= 0o777 else [invalid(f"{path}.{field}", mode, _BAD_MODE)]


def _empty_dir_errors(source: Fields, path: str) -> list[FieldError]:
    limit = source.get("sizeLimit")
    if limit is not None and parse_quantity(limit).nanos < 0:
        return [forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")]
    return []


def _host_path_errors(source: Fields, path: str) -> list[FieldError]:
    if not source.get("path"):
        return [required(f"{path}.path")]
    errors = backstep_errors(source["path"], f"{path}.path")
    if source.get("type", "") not in _HOST_PATH_TYPES:
        errors.append(not_supported(f"{path}.type", source["type"], _HOST_PATH_TYPES))
    return errors


def _keyed_errors(name_field: str) -> Callable[[Fields, str], list[FieldError]]:
    """Makes the check of a secret or configMap volume; the two differ only in how they name their object."""

    def check(source: Fields, path: str) -> list[FieldError]:
        errors = [] if source.get(name_field) else [required(f"{path}.{name_field}")]
        errors += _mode_errors(source, "defaultMode", path)
        for index, item in enumerate(source.get("items") or ()):
            errors += _item_errors(item, f"{path}.items[{index}]")
        return errors

    return check


def _item_errors(item: Fields, path: str) -> list[FieldError]:
    errors = [required(f"{path}.{field}") for field in ("key", "path") if not item.get(field)]
    errors += _reserved_path_errors(item.get("path", ""), f"{path}.path")
    return errors + _mode_errors(item, "mode", path)


def _claim_errors(source: Fields, path: str) -> list[FieldError]:
    return [] if source.get("claimName") else [required(f"{path}.claimName")]


def _nfs_errors(source: Fields, path: str) -> list[FieldError]:
    errors = [required(f"{path}.{field}") for field in ("server", "path") if not source.get(field)]
    target = source.get("path", "")
    return errors if target.startswith("/") else errors + [invalid(f"{path}.path", target, "must be an absolute path")]


def _csi_errors(source: Fields, path: str) -> list[FieldError]:
    driver = source.get("driver", "")
    errors = [] if driver else [required(f"{path}.driver")]
    if len(driver) > 63:
        errors.append(too_long(f"{path}.driver", 63))
    return errors + [invalid(f"{path}.driver", driver, fault) for fault in subdomain_faults(driver.lower())]


def _image_errors(source: Fields, path: str) -> list[FieldError]:
    policy = source["pullPolicy"]
    if policy in ("Always", "IfNotPresent", "Never"):
        return []
    return [not_supported(f"{path}.pullPolicy", policy, ("Always", "IfNotPresent", "Never"))]


def _downward_errors(source: Fields, path: str) -> list[FieldError]:
    errors = _mode_errors(source, "defaultMode", path)
    for file in source.get("items") or ():
        errors += _downward_file_errors(file, path)
    return errors


def _downward_file_errors(file: Fields, path: str) -> list[FieldError]:
    errors = [] if file.get("path") else [required(f"{path}.path")]
    errors += _reserved_path_errors(file.get("path", ""), f"{path}.path")
    if file.get("fieldRef") is not None:
        errors += field_reference_errors(file["fieldRef"], VOLUME_FIELDS, f"{path}.fieldRef")
        if file.get("resourceFieldRef") is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.append(invalid(path, "resource", detail))
    elif file.get("resourceFieldRef") is not None:
        errors += resource_reference_errors(file["resourceFieldRef"], True, f"{path}.resourceFieldRef")
    else:
        errors.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    return errors + _mode_errors(file, "mode", path)


def _projected_errors(source: Fields, path: str) -> list[FieldError]:
    errors = _mode_errors(source, "defaultMode", path)
    taken: set[str] = set()
    for index, part in enumerate(source.get("sources") or ()):
        where = f"{path}.sources[{index}]"
        kinds = [kind for kind, value in part.items() if value is not None]
        for kind in kinds:
            errors += _projection_errors(kind, part[kind], f"{where}.{kind}", path, taken)
        if len(kinds) > 1:
            errors.append(forbidden(where, "may not specify more than 1 volume type per source"))
    return errors


def _projection_errors(kind: str, part: Fields, where: str, path: str, taken: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    if kind in ("secret", "configMap") and not part.get("name"):
        errors.append(required(f"{where}.name"))
    for index, item in enumerate(part.get("items") or ()):
        downward = kind == "downwardAPI"
        errors += _downward_file_errors(item, where) if downward else _item_errors(item, f"{where}.items[{index}]")
        target = item.get("path")
        if target and target in taken:
            shown = target if downward else part.get("name", "")
            errors.append(invalid(path, shown, "conflicting duplicate paths"))
        taken.add(target or "")
    if kind == "serviceAccountToken":
        seconds = part["expirationSeconds"]
        if seconds < 600:
            detail = "may not specify a duration less than 10 minutes"
            errors.append(invalid(f"{where}.expirationSeconds", seconds, detail))
        if seconds > 1 << 32:
            detail = "may not specify a duration larger than 2^32 seconds"
            errors.append(invalid(f"{where}.expirationSeconds", seconds, detail))
        target = part.get("path", "")
        errors += _reserved_path_errors(target, f"{path}.path") if target else [required(f"{path}.path")]
    return errors


def _ephemeral_errors(source: Fields, path: str) -> list[FieldError]:
    template, path = source.get("volumeClaimTemplate"), f"{path}.volumeClaimTemplate"
    if template is None:
        return [required(path)]
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    errors = annotation_errors(meta.get("annotations"), f"{path}.metadata.annotations")
    errors += label_errors(meta.get("labels"), f"{path}.metadata.labels")
    others = sorted(set(meta) - {"annotations", "labels", "creationTimestamp"})
    errors += [forbidden(f"{path}.metadata.{field}", "cannot be set") for field in others if meta[field]]
    modes = spec.get("accessModes") or ()
    if not modes:
        errors.append(required(f"{path}.spec.accessModes", "at least 1 access mode is required"))
    errors += selector_errors(spec.get("selector"), f"{path}.spec.selector")
    unknown = [mode for mode in modes if mode not in _ACCESS_MODES]
    errors += [not_supported(f"{path}.spec.accessModes", mode, _ACCESS_MODES) for mode in unknown]
    amount = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if amount is None:
        errors.append(required(f"{path}.spec.resources[storage]"))
    elif resource_quantity(amount).nanos <= 0:
        errors.append(invalid(f"{path}.spec.resources[storage]", amount, "must be greater than zero"))
    return errors


_CHECKS: dict[str, Callable[[Fields, str], list[FieldError]]] = {
    "emptyDir": _empty_dir_errors,
    "hostPath": _host_path_errors,
    "secret": _keyed_errors("secretName"),
    "nfs": _nfs_errors,
    "persistentVolumeClaim": _claim_errors,
    "downwardAPI": _downward_errors,
    "configMap": _keyed_errors("name"),
    "projected": _projected_errors,
    "csi": _csi_errors,
    "ephemeral": _ephemeral_errors,
    "image": _image_errors,
}
_ORDER = {kind: index for index, kind in enumerate(_CHECKS)}

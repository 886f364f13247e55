"""Validation of environment variables: their names, and the one source that each value may come from."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import (
    config_key_faults,
    generate_name_faults,
    label_faults,
    qualified_name_faults,
    subdomain_faults,
    variable_name_faults,
)
from corral.kinds.quantities import parse_quantity

Fields = Mapping[str, Any]

ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""The fields of a pod that a variable can show."""
VOLUME_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
"""The fields of a pod that a file of a downward API volume can show."""
_KNOWN_FIELDS = frozenset((*ENV_FIELDS, *VOLUME_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"))
_RESOURCE_FIELDS = tuple(
    f"{side}.{name}" for side in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_HUGE_FIELDS = ("limits.hugepages-", "requests.hugepages-")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_WHAT = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}


def environment_errors(variables: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns what is wrong with the `env` of a container."""
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        name = variable.get("name")
        if not name:
            errors.append(required(f"{path}[{index}].name"))
        else:
            errors += [invalid(f"{path}[{index}].name", name, fault) for fault in variable_name_faults(name)]
        source = variable.get("valueFrom")
        if source is not None:
            errors += _source_errors(source, bool(variable.get("value")), f"{path}[{index}].valueFrom")
    return errors


def environment_source_errors(sources: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns what is wrong with the `envFrom` of a container."""
    errors: list[FieldError] = []
    for index, source in enumerate(sources):
        where = f"{path}[{index}]"
        prefix = source.get("prefix")
        if prefix:
            errors += [invalid(f"{where}.prefix", prefix, fault) for fault in variable_name_faults(prefix)]
        found = [kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]
        for kind in found:
            name = source[kind].get("name")
            if not name:
                errors.append(required(f"{where}.{kind}.name"))
            else:
                faults = generate_name_faults("subdomain", name)
                errors += [invalid(f"{where}.{kind}.name", name, fault) for fault in faults]
        if not found:
            errors.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(found) > 1:
            errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def field_reference_errors(reference: Fields, allowed: Collection[str], path: str) -> list[FieldError]:
    """Returns what is wrong with a `fieldRef`."""
    field = reference.get("fieldPath", "")
    if not field:
        return [required(f"{path}.fieldPath")]
    version = reference["apiVersion"]
    if version != "v1":
        return [_no_field(path, field, f"unsupported pod version: {version}")]
    base, bracket, rest = field.partition("['")
    if bracket and rest.endswith("']"):
        if base not in ("metadata.annotations", "metadata.labels"):
            return [_no_field(path, field, f"field label does not support subscript: {field}")]
        key = rest[:-2].lower() if base == "metadata.annotations" else rest[:-2]
        return [invalid(path, key, fault) for fault in qualified_name_faults(key)]
    field = "spec.nodeName" if field == "spec.host" else field
    if field not in _KNOWN_FIELDS:
        return [_no_field(path, field, f"field label not supported: {field}")]
    return [] if field in allowed else [not_supported(f"{path}.fieldPath", field, allowed)]


def resource_reference_errors(reference: Fields, needs_container: bool, path: str) -> list[FieldError]:
    """Returns what is wrong with a `resourceFieldRef`."""
    errors: list[FieldError] = []
    name = reference.get("resource", "")
    if needs_container and not reference.get("containerName"):
        errors.append(required(f"{path}.containerName"))
    elif not name:
        errors.append(required(f"{path}.resource"))
    elif name not in _RESOURCE_FIELDS and not name.startswith(_HUGE_FIELDS):
        errors.append(not_supported(f"{path}.resource", name, _RESOURCE_FIELDS))
    divisor = reference.get("divisor", "0")
    if parse_quantity(divisor).nanos:
        errors += _divisor_errors(name, divisor, path)
    return errors


def _divisor_errors(name: str, divisor: str, path: str) -> list[FieldError]:
    kind = name.partition(".")[2]
    if kind == "cpu":
        if divisor in ("1m", "1"):
            return []
        detail = "only divisor's values 1m and 1 are supported with the cpu resource"
        return [invalid(f"{path}.divisor", name, detail)]
    what = "hugepages" if kind.startswith("hugepages-") else _WHAT.get(kind)
    if what is None or divisor in _SIZES:
        return []
    detail = f"only divisor's values {', '.join(_SIZES)} are supported with the {what} resource"
    return [invalid(f"{path}.divisor", name, detail)]


def _no_field(path: str, field: str, why: str) -> FieldError:
    return invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {why}")


def _source_errors(source: Fields, has_value: bool, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    found = 0
    for kind, check in _SOURCES.items():
        if source.get(kind) is not None:
            found += 1
            errors += check(source[kind], f"{path}.{kind}")
    if not found:
        listed = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
        errors.append(invalid(path, "", f"must specify one of: {listed}"))
    elif has_value:
        errors.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif found > 1:
        errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def _key_errors(reference: Fields, path: str) -> list[FieldError]:
    name, key = reference.get("name", ""), reference.get("key", "")
    errors = [invalid(f"{path}.name", name, fault) for fault in subdomain_faults(name)]
    if not key:
        return errors + [required(f"{path}.key")]
    return errors + [invalid(f"{path}.key", key, fault) for fault in config_key_faults(key)]


def _file_key_errors(reference: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for field, faults in (("key", variable_name_faults), ("volumeName", label_faults)):
        value = reference.get(field)
        errors += (
            [invalid(f"{path}.{field}", value, f) for f in faults(value)] if value else [required(f"{path}.{field}")]
        )
    if not reference.get("path"):
        errors.append(required(f"{path}.path"))
    return errors


_SOURCES: dict[str, Callable[[Fields, str], list[FieldError]]] = {
    "fieldRef": lambda reference, path: field_reference_errors(reference, ENV_FIELDS, path),
    "resourceFieldRef": lambda reference, path: resource_reference_errors(reference, False, path),
    "configMapKeyRef": _key_errors,
    "secretKeyRef": _key_errors,
    "fileKeyRef": _file_key_errors,
}

"""Validation of object metadata, the same for every kind: names, labels, annotations, owners, finalizers.

Called once per write by the layer above the strategies; strategies call the parts (labels, selectors) for the places
where metadata is nested, as in pod templates.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, required, too_long
from corral.engine.apiserver.grammar.names import (
    generate_name_faults,
    label_faults,
    label_value_faults,
    name_faults,
    qualified_name_faults,
    size,
)
from corral.engine.apiserver.resources.resource import Object

ANNOTATIONS_LIMIT = 256 * 1024
"""The most bytes that the keys and values of an object's annotations may have together."""

IMMUTABLE = "field is immutable"
NOT_NEGATIVE = "must be greater than or equal to 0"

_FIXED = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")


def validate_metadata(obj: Object, *, namespaced: bool, name_rule: str, path: str = "metadata") -> list[FieldError]:
    """Returns what is wrong with the metadata of a new object whose name has already been generated."""
    meta = obj.get("metadata") or {}
    errors: list[FieldError] = []
    generate = meta.get("generateName")
    if generate:
        errors += [invalid(f"{path}.generateName", generate, f) for f in generate_name_faults(name_rule, generate)]
    name = meta.get("name")
    if not name:
        errors.append(required(f"{path}.name", "name or generateName is required"))
    else:
        errors += [invalid(f"{path}.name", name, fault) for fault in name_faults(name_rule, name)]
    errors += _namespace_errors(meta.get("namespace"), namespaced, f"{path}.namespace")
    return errors + _content_errors(meta, path) + _finalizer_errors(meta.get("finalizers") or (), f"{path}.finalizers")


def validate_metadata_update(new: Object, old: Object, path: str = "metadata") -> list[FieldError]:
    """Returns the forbidden changes of metadata, and what is wrong with the parts that may change."""
    meta, before = new["metadata"], old["metadata"]
    errors = _content_errors(meta, path)
    finalizers = meta.get("finalizers") or ()
    errors += _finalizer_errors(finalizers, f"{path}.finalizers")
    if before.get("deletionTimestamp"):
        added = sorted(set(finalizers) - set(before.get("finalizers") or ()))
        if added:
            errors.append(forbidden(f"{path}.finalizers", _late_finalizers(added)))
    if not meta.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = meta.get("generation", 0)
    if generation < before.get("generation", 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    for field in _FIXED:
        value = meta.get(field)
        if value != before.get(field):
            shown = value if value is not None or field.startswith("deletion") else ""
            errors.append(invalid(f"{path}.{field}", shown, IMMUTABLE))
    return errors


def builtin_finalizer_errors(obj: Object, path: str = "metadata.finalizers") -> list[FieldError]:
    """Returns finalizers without a domain, which only custom resources (and leases) may have."""
    detail = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid(f"{path}[{index}]", name, detail)
        for index, name in enumerate(obj["metadata"].get("finalizers") or ())
        if "/" not in name and name not in _STANDARD_FINALIZERS
    ]


def label_errors(labels: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """Returns what is wrong with the keys and values of labels."""
    errors: list[FieldError] = []
    for key, value in (labels or {}).items():
        errors += [invalid(path, key, fault) for fault in qualified_name_faults(key)]
        errors += [invalid(path, value, fault) for fault in label_value_faults(value)]
    return errors


def annotation_errors(annotations: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """Returns what is wrong with the keys of annotations, and whether they are too large together."""
    if not annotations:
        return []
    errors: list[FieldError] = []
    total = 0
    for key, value in annotations.items():
        errors += [invalid(path, key, fault) for fault in qualified_name_faults(key.lower())]
        total += size(key) + size(value)
    if total > ANNOTATIONS_LIMIT:
        errors.append(too_long(path, ANNOTATIONS_LIMIT))
    return errors


def selector_errors(selector: Mapping[str, Any] | None, path: str) -> list[FieldError]:
    """Returns what is wrong with a label selector (matchLabels and matchExpressions)."""
    if not selector:
        return []
    errors = label_errors(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        errors += _requirement_errors(expression, f"{path}.matchExpressions[{index}]")
    return errors


def _requirement_errors(requirement: Mapping[str, Any], path: str) -> list[FieldError]:
    operator, values = requirement.get("operator", ""), requirement.get("values") or ()
    key = requirement.get("key", "")
    errors: list[FieldError] = []
    if operator in ("In", "NotIn"):
        if not values:
            errors.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    errors += [invalid(f"{path}.key", key, fault) for fault in qualified_name_faults(key)]
    for index, value in enumerate(values):
        errors += [invalid(f"{path}.values[{index}]", value, fault) for fault in label_value_faults(value)]
    return errors


def _namespace_errors(namespace: str | None, namespaced: bool, path: str) -> Sequence[FieldError]:
    if not namespaced:
        return [forbidden(path, "not allowed on this type")] if namespace else ()
    if not namespace:
        return [required(path)]
    return [invalid(path, namespace, fault) for fault in label_faults(namespace)]


def _content_errors(meta: Mapping[str, Any], path: str) -> list[FieldError]:
    generation = meta.get("generation", 0)
    errors = [invalid(f"{path}.generation", generation, NOT_NEGATIVE)] if generation < 0 else []
    errors += label_errors(meta.get("labels"), f"{path}.labels")
    errors += annotation_errors(meta.get("annotations"), f"{path}.annotations")
    owners = meta.get("ownerReferences")
    if owners:
        errors += _owner_errors(owners, f"{path}.ownerReferences")
    return errors


def _owner_errors(owners: Sequence[Mapping[str, Any]], path: str) -> Iterator[FieldError]:
    controller = ""
    for owner in owners:
        # "apps/" and "a/b/c" have no version; the path names the list, not the item, as on the wire.
        api_version = owner.get("apiVersion", "")
        if not api_version.rpartition("/")[2] or api_version.count("/") > 1:
            yield invalid(f"{path}.apiVersion", api_version, "version must not be empty")
        for field in ("kind", "name", "uid"):
            if not owner.get(field):
                yield invalid(f"{path}.{field}", "", "must not be empty")
        if api_version == "v1" and owner.get("kind") == "Event":
            yield invalid(path, _in_wire_order(owner), "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            name = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                detail = f'Found "true" in references for {controller} and {name}'
                detail = f"Only one reference can have Controller set to true. {detail}"
                yield invalid(path, [_in_wire_order(each) for each in owners], detail)
            else:
                controller = name


def _in_wire_order(owner: Mapping[str, Any]) -> dict[str, Any]:
    always = {"apiVersion": "", "kind": "", "name": "", "uid": ""}
    return {field: owner.get(field, always.get(field)) for field in _OWNER_FIELDS if field in owner or field in always}


def _finalizer_errors(finalizers: Sequence[str], path: str) -> list[FieldError]:
    errors = [invalid(path, name, fault) for name in finalizers for fault in qualified_name_faults(name)]
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid(path, list(finalizers), detail))
    return errors


def _late_finalizers(added: Sequence[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in added)
    found = f"found new finalizers []string{{{listed}}}"
    return f"no new finalizers can be added if the object is being deleted, {found}"

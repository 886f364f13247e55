"""Validation of what a pod tells the scheduler: affinity, tolerations, spreading, gates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import (
    label_faults,
    label_value_faults,
    qualified_name_faults,
    subdomain_faults,
)
from corral.engine.apiserver.resources.metadata_validation import selector_errors

Fields = Mapping[str, Any]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_BAD_OPERATOR = "not a valid selector operator"


def affinity_errors(affinity: Fields, path: str) -> list[FieldError]:
    """Returns what is wrong with node affinity and with affinity to other pods."""
    errors: list[FieldError] = []
    node = affinity.get("nodeAffinity")
    if node is not None:
        errors += _node_affinity_errors(node, f"{path}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        for index, term in enumerate(terms.get(_REQUIRED) or ()):
            errors += _pod_term_errors(term, f"{path}.{kind}.{_REQUIRED}[{index}]")
        where = f"{path}.{kind}.{_PREFERRED}"
        errors += _weighted_errors(terms.get(_PREFERRED) or (), "podAffinityTerm", _pod_term_errors, where)
    return errors


def toleration_errors(tolerations: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns what is wrong with tolerations."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        key, operator = toleration.get("key", ""), toleration.get("operator", "")
        value, effect = toleration.get("value", ""), toleration.get("effect", "")
        if key:
            errors += [invalid(f"{where}.key", key, fault) for fault in qualified_name_faults(key)]
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            errors.append(invalid(f"{where}.operator", operator, detail))
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.append(invalid(f"{where}.effect", effect, detail))
        if operator in ("Equal", ""):
            faults = label_value_faults(value)
            if faults:
                errors.append(invalid(f"{where}.operator", value, ";".join(faults)))
        elif operator != "Exists":
            errors.append(not_supported(f"{where}.operator", operator, ("Equal", "Exists")))
        elif value:
            errors.append(invalid(f"{where}.operator", value, "value must be empty when `operator` is 'Exists'"))
        if effect and effect not in _EFFECTS:
            errors.append(not_supported(f"{where}.effect", effect, _EFFECTS))
    return errors


def spread_errors(constraints: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns what is wrong with topology spread constraints."""
    errors: list[FieldError] = []
    for index, constraint in enumerate(constraints):
        where = f"{path}[{index}]"
        skew, key = constraint.get("maxSkew", 0), constraint.get("topologyKey", "")
        action = constraint.get("whenUnsatisfiable", "")
        if skew <= 0:
            errors.append(invalid(f"{where}.maxSkew", skew, "must be greater than zero"))
        if not key:
            errors.append(required(f"{where}.topologyKey", "can not be empty"))
        if action not in ("DoNotSchedule", "ScheduleAnyway"):
            allowed = ("DoNotSchedule", "ScheduleAnyway")
            errors.append(not_supported(f"{where}.whenUnsatisfiable", action, allowed))
        pairs = [
            (other.get("topologyKey", ""), other.get("whenUnsatisfiable", "")) for other in constraints[index + 1 :]
        ]
        if (key, action) in pairs:
            errors.append(duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}"))
        errors += _spread_option_errors(constraint, action, where)
        errors += _label_key_errors(constraint, where)
        errors += selector_errors(constraint.get("labelSelector"), f"{where}.labelSelector")
    return errors


def gate_errors(gates: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns what is wrong with scheduling gates."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        errors += [invalid(f"{path}[{index}]", name, fault) for fault in qualified_name_faults(name)]
        if name in seen:
            errors.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
    return errors


def _node_affinity_errors(affinity: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    selector = affinity.get(_REQUIRED)
    if selector is not None:
        terms, where = selector.get("nodeSelectorTerms") or (), f"{path}.{_REQUIRED}.nodeSelectorTerms"
        if not terms:
            errors.append(required(where, "must have at least one node selector term"))
        for index, term in enumerate(terms):
            errors += _node_term_errors(term, f"{where}[{index}]")
    preferred = affinity.get(_PREFERRED) or ()
    return errors + _weighted_errors(preferred, "preference", _loose_node_term_errors, f"{path}.{_PREFERRED}")


def _weighted_errors(
    terms: Sequence[Fields], field: str, check: Callable[[Fields, str], list[FieldError]], path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, term in enumerate(terms):
        weight = term.get("weight", 0)
        if not 0 < weight <= 100:
            errors.append(invalid(f"{path}[{index}].weight", weight, "must be in the range 1-100"))
        errors += check(term.get(field) or {}, f"{path}[{index}].{field}")
    return errors


def _loose_node_term_errors(term: Fields, path: str) -> list[FieldError]:
    return _node_term_errors(term, path, strict=False)


def _node_term_errors(term: Fields, path: str, strict: bool = True) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        errors += _node_requirement_errors(requirement, strict, f"{path}.matchExpressions[{index}]")
    for index, requirement in enumerate(term.get("matchFields") or ()):
        errors += _node_field_errors(requirement, f"{path}.matchFields[{index}]")
    return errors


def _node_requirement_errors(requirement: Fields, strict: bool, path: str) -> list[FieldError]:
    key, operator = requirement.get("key", ""), requirement.get("operator", "")
    values = requirement.get("values") or ()
    errors: list[FieldError] = []
    if operator in ("In", "NotIn"):
        if not values:
            errors.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.append(required(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, _BAD_OPERATOR))
    errors += [invalid(f"{path}.key", key, fault) for fault in qualified_name_faults(key)]
    for index, value in enumerate(values if strict else ()):
        errors += [invalid(f"{path}.values[{index}]", value, fault) for fault in label_value_faults(value)]
    return errors


def _node_field_errors(requirement: Fields, path: str) -> list[FieldError]:
    key, operator = requirement.get("key", ""), requirement.get("operator", "")
    values = requirement.get("values") or ()
    errors: list[FieldError] = []
    if operator not in ("In", "NotIn"):
        errors.append(invalid(f"{path}.operator", operator, _BAD_OPERATOR))
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.append(required(f"{path}.values", detail))
    if key != "metadata.name":
        return errors + [invalid(f"{path}.key", key, "not a valid field selector key")]
    for index, value in enumerate(values):
        errors += [invalid(f"{path}.values[{index}]", value, fault) for fault in subdomain_faults(value)]
    return errors


def _pod_term_errors(term: Fields, path: str) -> list[FieldError]:
    errors = selector_errors(term.get("labelSelector"), f"{path}.labelSelector")
    errors += selector_errors(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        errors += [invalid(f"{path}.namespace", name, fault) for fault in label_faults(name)]
    errors += _label_key_errors(term, path)
    key = term.get("topologyKey", "")
    if not key:
        errors.append(required(f"{path}.topologyKey", "can not be empty"))
    return errors + [invalid(f"{path}.topologyKey", key, fault) for fault in qualified_name_faults(key)]


def _label_key_errors(term: Fields, path: str) -> list[FieldError]:
    """Checks matchLabelKeys and mismatchLabelKeys, which add the pod's own labels to the selector."""
    errors: list[FieldError] = []
    selector = term.get("labelSelector")
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = term.get(field) or ()
        if keys and selector is None:
            errors.append(forbidden(f"{path}.{field}", "must not be specified when labelSelector is not set"))
            continue
        for index, key in enumerate(keys):
            errors += [invalid(f"{path}.{field}[{index}]", key, fault) for fault in qualified_name_faults(key)]
    matched = list(term.get("matchLabelKeys") or ())
    if matched and selector is not None:
        seen = set(selector.get("matchLabels") or ())
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key", "")
            if key in matched and key in seen:
                detail = "exists in both matchLabelKeys and labelSelector"
                errors.append(invalid(f"{path}[{matched.index(key)}]", key, detail))
            seen.add(key)
    for index, key in enumerate(matched):
        if key in (term.get("mismatchLabelKeys") or ()):
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            errors.append(invalid(f"{path}.matchLabelKeys[{index}]", key, detail))
    return errors


def _spread_option_errors(constraint: Fields, action: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    domains = constraint.get("minDomains")
    if domains is not None:
        if domains <= 0:
            errors.append(invalid(f"{path}.minDomains", domains, "must be greater than zero"))
        if action != "DoNotSchedule":
            detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            errors.append(invalid(f"{path}.minDomains", domains, detail))
    for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        policy = constraint.get(field)
        if policy not in (None, "Honor", "Ignore"):
            errors.append(not_supported(f"{path}.{field}", policy, ("Honor", "Ignore")))
    return errors

"""Validation of the policies of a job: which failures count, and which successes are enough."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from corral.engine.apiserver.grammar.names import qualified_name_faults
from corral.engine.apiserver.resources.job_indexes import count_indexes
from corral.engine.apiserver.resources.metadata_validation import NOT_NEGATIVE

Fields = Mapping[str, Any]

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")


def failure_policy_errors(spec: Fields, path: str) -> list[FieldError]:
    """Returns what is wrong with the rules of `podFailurePolicy`."""
    rules = spec["podFailurePolicy"].get("rules") or ()
    pod = spec["template"]["spec"]
    names = {c.get("name") for field in ("containers", "initContainers") for c in pod.get(field) or ()}
    errors = [too_many(path, len(rules), 20)] if len(rules) > 20 else []
    for index, rule in enumerate(rules):
        errors += _failure_rule_errors(spec, rule, names, f"{path}[{index}]")
    return errors


def _failure_rule_errors(spec: Fields, rule: Fields, names: Collection[Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    action = rule.get("action", "")
    if not action:
        errors.append(required(f"{path}.action", _valid_values(_ACTIONS)))
    elif action == "FailIndex":
        if spec.get("backoffLimitPerIndex") is None:
            errors.append(invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set"))
    elif action not in _ACTIONS:
        errors.append(not_supported(f"{path}.action", action, _ACTIONS))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
    if codes is not None:
        errors += _exit_code_errors(codes, names, f"{path}.onExitCodes")
    errors += _pod_condition_errors(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        detail = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(FieldError("Invalid value", path, detail))
    if codes is None and not conditions:
        detail = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(FieldError("Invalid value", path, detail))
    return errors


def _exit_code_errors(codes: Fields, names: Collection[Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    operator, values, name = codes.get("operator", ""), codes.get("values") or [], codes.get("containerName")
    if not operator:
        errors.append(required(f"{path}.operator", _valid_values(("In", "NotIn"))))
    elif operator not in ("In", "NotIn"):
        errors.append(not_supported(f"{path}.operator", operator, ("In", "NotIn")))
    if name is not None and name not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(f"{path}.containerName", name, detail))
    if not values:
        errors.append(invalid(f"{path}.values", values, "at least one value is required"))
    elif len(values) > 255:
        errors.append(too_many(f"{path}.values", len(values), 255))
    seen: set[int] = set()
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            errors.append(invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator"))
        if value in seen:
            errors.append(duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    if values != sorted(values):
        errors.append(invalid(f"{path}.values", values, "must be ordered"))
    return errors


def _pod_condition_errors(patterns: Sequence[Fields], path: str) -> list[FieldError]:
    errors = [too_many(path, len(patterns), 20)] if len(patterns) > 20 else []
    for index, pattern in enumerate(patterns):
        kind, status = pattern.get("type", ""), pattern.get("status", "")
        errors += [invalid(f"{path}[{index}].type", kind, fault) for fault in qualified_name_faults(kind)]
        if status not in ("False", "True", "Unknown"):
            errors.append(not_supported(f"{path}[{index}].status", status, ("False", "True", "Unknown")))
    return errors


def success_policy_errors(spec: Fields, path: str) -> list[FieldError]:
    """Returns what is wrong with the rules of `successPolicy`."""
    rules = spec["successPolicy"].get("rules") or ()
    errors: list[FieldError] = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        errors.append(required(path, detail))
    if len(rules) > 20:
        errors.append(too_many(path, len(rules), 20))
    for index, rule in enumerate(rules):
        errors += _success_rule_errors(rule, spec.get("completions") or 0, f"{path}[{index}]")
    return errors


def _success_rule_errors(rule: Fields, completions: int, path: str) -> list[FieldError]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        return [required(path, "at least one of succeededCount or succeededIndexes must be specified")]
    errors: list[FieldError] = []
    total = 0
    if indexes is not None:
        total, fault = count_indexes(indexes, completions)
        if fault:
            errors.append(invalid(f"{path}.succeededIndexes", indexes, f"error parsing succeededIndexes: {fault}"))
    if count is not None:
        where = f"{path}.succeededCount"
        if count < 0:
            errors.append(invalid(where, count, NOT_NEGATIVE))
        if count > completions:
            detail = f"must be less than or equal to {completions} (the number of specified completions)"
            errors.append(invalid(where, count, detail))
        if indexes is not None and count > total:
            what = "the number of indexes in the specified succeededIndexes field"
            errors.append(invalid(where, count, f"must be less than or equal to {total} ({what})"))
    return errors


def _valid_values(values: Sequence[str]) -> str:
    return "valid values: [" + " ".join(f'"{value}"' for value in values) + "]"

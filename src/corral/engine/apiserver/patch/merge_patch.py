"""Merge patch (RFC 7386) as the real server runs it.

One habit differs from the RFC and is kept: nulls inside objects of an added or replaced list are dropped too.
"""

from typing import Any

from corral.engine.apiserver.failures import bad_request
from corral.engine.apiserver.patch.refusals import not_an_object


def apply(target: dict[str, Any], patch: Any) -> dict[str, Any]:
    """Returns the target with the patch merged in: null removes, objects merge, everything else replaces."""
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise not_an_object(patch, "error decoding patch: ")
    return _merged(target, patch)


def _merged(target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    result = dict(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
            continue
        current = result.get(key)
        if not isinstance(current, dict):
            result[key] = without_nulls(value)
        elif isinstance(value, dict):
            result[key] = _merged(current, value)
        else:
            result[key] = value
    return result


def without_nulls(value: Any) -> Any:
    """Returns the value without null fields at any depth; null items of lists stay."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Returns the smallest merge patch that turns `old` into `new`, provided that `new` holds no nulls."""
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if key in old and before == value:
            continue
        both = isinstance(before, dict) and isinstance(value, dict)
        patch[key] = difference(before or {}, value) if both else value
    return patch

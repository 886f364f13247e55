"""Validation of resource requirements: which resources a container may name, and how requests relate to limits."""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import is_qualified_name, label_faults, qualified_name_faults
from corral.engine.apiserver.resources.metadata_validation import NOT_NEGATIVE
from corral.kinds.quantities import Quantity, QuantityError, parse_quantity, resource_quantity

_CONTAINER = frozenset(("cpu", "memory", "ephemeral-storage"))
_COUNTED = frozenset(
    (
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    )
)
_STANDARD = _CONTAINER | _COUNTED | frozenset(("storage", "requests.storage"))
_STANDARD |= {f"{side}.{name}" for side in ("requests", "limits") for name in _CONTAINER}
_HUGE = "hugepages-"
_POD_LEVEL = ("cpu", _HUGE, "memory")

NameFaults = Callable[[str], tuple[str, ...]]


def is_extended(name: str) -> bool:
    """Tells whether this is a resource of a vendor, such as `nvidia.com/gpu`: whole numbers, never overcommitted."""
    return not is_native(name) and not name.startswith("requests.") and is_qualified_name(f"requests.{name}")


def is_native(name: str) -> bool:
    """Tells whether the resource belongs to Kubernetes itself."""
    return "/" not in name or "kubernetes.io/" in name


@lru_cache(maxsize=1024)
def container_resource_faults(name: str) -> tuple[str, ...]:
    """Checks the name of a resource that a container asks for."""
    faults = _resource_faults(name)
    if "/" not in name:
        if name not in _CONTAINER and not name.startswith(_HUGE):
            faults += ("must be a standard resource for containers",)
    elif not is_native(name) and not is_extended(name):
        faults += ("doesn't follow extended resource name standard",)
    return faults


def requirement_errors(
    resources: Mapping[str, Any],
    path: str,
    claims: Collection[str] = (),
    name_faults: NameFaults = container_resource_faults,
) -> list[FieldError]:
    """Returns what is wrong with `limits`, `requests` and `claims`; amounts are already well formed."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    errors: list[FieldError] = []
    for name, text in limits.items():
        errors += _amount_errors(name, text, f"{path}.limits[{name}]", name_faults)
    for name, text in requests.items():
        errors += _amount_errors(name, text, f"{path}.requests[{name}]", name_faults)
        errors += _ratio_errors(name, text, limits.get(name), path)
    named = {*limits, *requests}
    if not named & {"cpu", "memory"} and any(name.startswith(_HUGE) for name in named):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    if resources.get("claims"):
        errors += _claim_errors(resources["claims"], claims, f"{path}.claims")
    return errors


def pod_requirement_errors(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """Returns what is wrong with the resources of a pod as a whole, next to those of its containers."""
    resources = spec["resources"]
    errors: list[FieldError] = []
    if resources.get("claims") is not None:
        errors.append(forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level"))
    errors += [
        not_supported(f"{path}.{side}[{name}]", name, _POD_LEVEL)
        for side in ("limits", "requests")
        for name in resources.get(side) or ()
        if not name.startswith(_POD_LEVEL) and not _resource_faults(name)
    ]
    errors += requirement_errors(resources, path, (), _resource_faults)
    for name, text in (resources.get("requests") or {}).items():
        total = sum(_nanos(c, "requests", name) for c in spec.get("containers") or ())
        if total > resource_quantity(text).nanos:
            sum_text = resource_quantity(f"{total}n").text
            detail = f"must be greater than or equal to aggregate container requests of {sum_text}"
            errors.append(invalid(f"{path}.requests[{name}]", text, detail))
    for index, container in enumerate(spec.get("containers") or ()):
        for name, text in (resources.get("limits") or {}).items():
            if _nanos(container, "limits", name) > resource_quantity(text).nanos:
                own = container["resources"]["limits"][name]
                detail = f"must be less than or equal to pod limits of {text}"
                errors.append(invalid(f"{path}.containers[{index}][{name}].limits", own, detail))
    return errors


def _resource_faults(name: str) -> tuple[str, ...]:
    faults = qualified_name_faults(name)
    if not faults and "/" not in name and name not in _STANDARD and not name.startswith((_HUGE, f"requests.{_HUGE}")):
        return ("must be a standard resource type or fully qualified",)
    return faults


def _amount_errors(name: str, text: str, path: str, name_faults: NameFaults) -> list[FieldError]:
    errors = [invalid(path, name, fault) for fault in name_faults(name)]
    amount = resource_quantity(text)
    if amount.nanos < 0:
        errors.append(invalid(path, text, NOT_NEGATIVE))
    if not amount.is_whole and (name in _COUNTED or is_extended(name)):
        errors.append(invalid(path, text, "must be an integer"))
    if name.startswith(_HUGE) and not _is_multiple_of_page(name, amount):
        errors.append(invalid(path, text, f"{text} is not positive integer multiple of {name}"))
    return errors


def _ratio_errors(name: str, text: str, limit: str | None, path: str) -> list[FieldError]:
    elastic = is_native(name) and not name.startswith(_HUGE)
    if limit is None:
        if elastic:
            return []
        return [required(f"{path}.limits", "Limit must be set for non overcommitable resources")]
    asked, allowed = resource_quantity(text).nanos, resource_quantity(limit).nanos
    if asked != allowed and not elastic:
        return [invalid(f"{path}.requests", text, f"must be equal to {name} limit of {limit}")]
    if asked > allowed:
        return [invalid(f"{path}.requests", text, f"must be less than or equal to {name} limit of {limit}")]
    return []


def _is_multiple_of_page(name: str, amount: Quantity) -> bool:
    try:
        page = parse_quantity(name.removeprefix(_HUGE))
    except QuantityError:
        return False
    return page.nanos > 0 and page.is_whole and amount.nanos % page.nanos == 0


def _claim_errors(wanted: list[dict[str, Any]], claims: Collection[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in enumerate(wanted):
        name, request = claim.get("name", ""), claim.get("request", "")
        if not name:
            errors.append(required(f"{path}[{index}]"))
            continue
        key = f"{name}/{request}" if request else name
        errors += [invalid(f"{path}[{index}].request", request, f) for f in label_faults(request)] if request else []
        if name in seen or key in seen or (not request and any(s.startswith(f"{name}/") for s in seen)):
            errors.append(duplicate(f"{path}[{index}]", name if name in seen else key))
        seen.add(key)
        if name not in claims:
            listed = ": " + ", ".join(sorted(claims)) if claims else " which is empty"
            text = f'"{name}": must be one of the names in pod.spec.resourceClaims{listed}'
            errors.append(FieldError("Not found", f"{path}[{index}]", text))
    return errors


def _nanos(container: Mapping[str, Any], side: str, name: str) -> int:
    text = ((container.get("resources") or {}).get(side) or {}).get(name)
    return 0 if text is None else resource_quantity(text).nanos

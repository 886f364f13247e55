"""What the default admission plugins of a cluster do to pods, as far as clients see it.

Runs after defaulting and before the pod is checked. Service account: the name only; a mounted token would be added in
`_use_service_account`. Priority: the number comes from a PriorityClass, which the caller looks up.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from corral.engine.apiserver.failures import forbidden
from corral.engine.apiserver.resources.pod_defaults import alias_service_account
from corral.engine.apiserver.resources.resource import Object

_LASTING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_LASTING_SECONDS = 300


class Priority(msgspec.Struct, frozen=True):
    """What a PriorityClass says: its name ("" when there is no class at all), its value, and whether pods may preempt."""

    name: str
    value: int
    preemption_policy: str = "PreemptLowerPriority"


PriorityResolver = Callable[[str], Priority | None]
"""Finds a PriorityClass by name; "" asks for the one that is the global default. None when there is no such class."""


def no_priority_classes(name: str) -> Priority | None:
    """Resolves priorities where no class is defined but the two that always exist."""
    return _BUILTIN.get(name)


_BUILTIN = {
    "": Priority("", 0),
    "system-cluster-critical": Priority("system-cluster-critical", 2_000_000_000),
    "system-node-critical": Priority("system-node-critical", 2_000_001_000),
}


def admit_new_pod(pod: Object, resolve_priority: PriorityResolver) -> None:
    """Completes a new pod, in place; raises a 403 when its priority cannot be."""
    spec = pod["spec"]
    _use_service_account(spec)
    _tolerate_lost_nodes(spec)
    _set_priority(pod, resolve_priority)


def admit_changed_pod(new: Object, old: Object) -> None:
    """Completes a changed pod, in place: a manifest sent again must not seem to take away what was given at first."""
    spec, before = new["spec"], old["spec"]
    _tolerate_lost_nodes(spec)
    for field in ("priority", "preemptionPolicy"):
        if spec.get(field) is None and before.get(field) is not None:
            spec[field] = before[field]


def _use_service_account(spec: dict[str, Any]) -> None:
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = "default"
        alias_service_account(spec)


def _tolerate_lost_nodes(spec: dict[str, Any]) -> None:
    tolerations = spec.get("tolerations") or []
    missing = [key for key in _LASTING if not any(_tolerates(each, key) for each in tolerations)]
    if missing:
        spec["tolerations"] = tolerations + [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _LASTING_SECONDS}
            for key in missing
        ]


def _tolerates(toleration: Mapping[str, Any], key: str) -> bool:
    return toleration.get("key") in (key, None, "") and toleration.get("effect") in ("NoExecute", None, "")


def _set_priority(pod: Object, resolve_priority: PriorityResolver) -> None:
    spec, name = pod["spec"], pod["metadata"].get("name", "")
    wanted = spec.get("priorityClassName") or ""
    found = resolve_priority(wanted)
    if found is None:
        if wanted:
            raise forbidden("", "pods", name, f"no PriorityClass with name {wanted} was found")
        found = _BUILTIN[""]
    given = spec.get("priority")
    if given is not None and given != found.value:
        raise forbidden("", "pods", name, _computed(f"integer value of priority ({given})", str(found.value)))
    policy = spec.get("preemptionPolicy")
    if policy is not None and policy != found.preemption_policy:
        detail = _computed(f"string value of PreemptionPolicy ({policy})", found.preemption_policy)
        raise forbidden("", "pods", name, detail)
    if found.name:
        spec["priorityClassName"] = found.name
    spec["priority"], spec["preemptionPolicy"] = found.value, found.preemption_policy


def _computed(what: str, value: str) -> str:
    given = f"the {what} must not be provided in pod spec"
    return f"{given}; priority admission controller computed {value} from the given PriorityClass name"

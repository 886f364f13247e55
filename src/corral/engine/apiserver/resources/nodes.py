"""Node: a machine that runs pods, as it describes itself."""

from collections.abc import Iterator
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import label_value_faults, qualified_name_faults
from corral.engine.apiserver.resources.amounts import amount_errors, settle_amounts
from corral.engine.apiserver.resources.ip_addresses import range_faults
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.zero_values import fill

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_INFO = (
    "machineID",
    "systemUUID",
    "bootID",
    "kernelVersion",
    "osImage",
    "containerRuntimeVersion",
    "kubeletVersion",
    "kubeProxyVersion",
    "operatingSystem",
    "architecture",
)
_ZEROS = {
    "spec": {},
    "status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": dict.fromkeys(_INFO, "")},
}
_ONCE = 'node updates may not change {} except from "" to valid'


class NodeStrategy(OpenStatusStrategy):
    """Nodes; they bring their status when they register."""

    def default(self, obj: Object) -> None:
        """Fills allocatable from capacity and pairs the two fields of pod ranges."""
        fill(obj, _ZEROS)
        spec, status = obj["spec"], obj["status"]
        for field in ("taints", "podCIDRs"):
            if not spec.get(field):
                spec.pop(field, None)
        for condition in status.get("conditions") or ():
            fill(condition, {"lastHeartbeatTime": None, "lastTransitionTime": None})
        settle_amounts(status, "capacity", "allocatable")
        if status.get("allocatable") is None and status.get("capacity") is not None:
            status["allocatable"] = dict(status["capacity"])
        one, many = spec.get("podCIDR"), spec.get("podCIDRs")
        if one and not many:
            spec["podCIDRs"] = [one]
        elif many and not one:
            spec["podCIDR"] = many[0]

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks taints, resources and pod ranges."""
        spec = obj["spec"]
        # The real server looks for taints under metadata, and says so.
        errors = list(_taint_errors("metadata.taints", spec.get("taints") or []))
        return errors + _resource_errors(obj["status"]) + _range_errors(spec.get("podCIDRs") or [])

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another pod range or provider, once set."""
        spec, before = new["spec"], old.get("spec") or {}
        return [
            forbidden(f"spec.{field}", _ONCE.format(field.removesuffix("s")))
            for field in ("podCIDRs", "providerID")
            if before.get(field) and before[field] != spec.get(field)
        ]

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks resources and refuses an address told twice."""
        errors = _resource_errors(new.get("status") or {})
        seen: list[dict[str, str]] = []
        for index, address in enumerate((new.get("status") or {}).get("addresses") or ()):
            if address in seen:
                shown = {"Type": address.get("type", ""), "Address": address.get("address", "")}
                errors.append(duplicate(f"status.addresses[{index}]", shown))
            seen.append(address)
        return errors

    def selectable(self, obj: Object) -> dict[str, str]:
        """Offers whether the node takes no new pods."""
        return {"spec.unschedulable": "true" if (obj.get("spec") or {}).get("unschedulable") else "false"}


def _resource_errors(status: dict[str, Any]) -> list[FieldError]:
    return [
        error
        for field in ("capacity", "allocatable")
        for name, text in (status.get(field) or {}).items()
        for error in amount_errors(f"status.{field}.{name}", name, text)
    ]


def _range_errors(ranges: list[str]) -> list[FieldError]:
    errors = [
        invalid(f"spec.podCIDRs[{i}]", text, fault) for i, text in enumerate(ranges) for fault in range_faults(text)
    ]
    bad = next(((i, text) for i, text in enumerate(ranges) if range_faults(text)), None)
    if len(ranges) > 1 and bad:
        found = f"invalid CIDR[{bad[0]}]: <nil> (invalid CIDR address: {bad[1]})"
        detail = f"invalid PodCIDRs. failed to check with dual stack with error:{found}"
        errors.append(FieldError("Internal error", "spec.podCIDRs", detail))
    if len(ranges) > 1 and (bad or len(ranges) > 2 or len({":" in text for text in ranges}) != 2):
        errors.append(invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family"))
    return errors


def _taint_errors(path: str, taints: list[dict[str, Any]]) -> Iterator[FieldError]:
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        here = f"{path}[{index}]"
        key, value, effect = taint.get("key", ""), taint.get("value", ""), taint.get("effect", "")
        yield from (invalid(f"{here}.key", key, fault) for fault in qualified_name_faults(key))
        faults = label_value_faults(value)
        if faults:
            yield invalid(f"{here}.value", value, ";".join(faults))
        if not effect:
            yield required(f"{here}.effect")
        elif effect not in _EFFECTS:
            yield not_supported(f"{here}.effect", effect, _EFFECTS)
        if (key, effect) in seen:
            shown = {"Key": key, "Value": value, "Effect": effect, "TimeAdded": taint.get("timeAdded")}
            found = duplicate(here, shown)
            yield FieldError(found.kind, found.path, f"{found.text}: taints must be unique by key and effect pair")
        seen.add((key, effect))

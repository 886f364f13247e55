"""Service: a stable name and address for pods."""

from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import subdomain_faults
from corral.engine.apiserver.resources.ip_addresses import address_faults, parsed
from corral.engine.apiserver.resources.open_status import OpenStatusStrategy
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.service_ledger import Ledger
from corral.engine.apiserver.resources.service_shape import (
    has_cluster_address,
    has_health_port,
    has_node_ports,
    is_headless,
    is_reachable_from_outside,
)
from corral.engine.apiserver.resources.service_validation import service_errors
from corral.engine.apiserver.resources.zero_values import fill

_FIXED = "may not change once set"
_AFFINITY_SECONDS = 10800


class ServiceStrategy(OpenStatusStrategy):
    """Services; their addresses and ports come from a ledger, before preparation."""

    allow_create_on_update = True
    name_rule = "label1035"
    returns_deleted = True

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._ledger = ledger or Ledger()

    def allocate(self, new: Object, old: Object | None) -> list[FieldError]:
        """Gives a service the addresses and ports it asks for."""
        return self._ledger.allocate(new, old)

    def release(self, uid: str) -> None:
        """Gives back what was not stored."""
        self._ledger.release(uid)

    def default(self, obj: Object) -> None:
        """Sets type, affinity, protocols, target ports and traffic policies."""
        fill(obj, {"spec": {"sessionAffinity": "None", "type": "ClusterIP"}, "status": {"loadBalancer": {}}})
        spec = obj["spec"]
        if spec["sessionAffinity"] == "None":
            spec.pop("sessionAffinityConfig", None)
        elif spec["sessionAffinity"] == "ClientIP":
            config = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
            if config.get("timeoutSeconds") is None:
                spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}
        for port in spec.get("ports") or ():
            fill(port, {"protocol": "TCP"})
            port["targetPort"] = port.get("targetPort") or port.get("port", 0)
        if is_reachable_from_outside(spec):
            fill(spec, {"externalTrafficPolicy": "Cluster"})
        if spec["type"] in ("ClusterIP", "NodePort", "LoadBalancer"):
            fill(spec, {"internalTrafficPolicy": "Cluster"})
        if spec["type"] == "LoadBalancer":
            fill(spec, {"allocateLoadBalancerNodePorts": True})
            for point in obj["status"]["loadBalancer"].get("ingress") or ():
                if point.get("ip"):
                    fill(point, {"ipMode": "VIP"})

    def prepare_create(self, obj: Object) -> None:
        """Starts without a load balancer; clusterIPs follow clusterIP, for those who know only the older field."""
        obj["status"] = {"loadBalancer": {}}
        if obj["spec"].get("clusterIP") and not obj["spec"].get("clusterIPs"):
            obj["spec"]["clusterIPs"] = [obj["spec"]["clusterIP"]]
        if not has_cluster_address(obj["spec"]):
            _drop(obj["spec"], "internalTrafficPolicy")

    def prepare_update(self, new: Object, old: Object) -> None:
        """Drops what no longer applies after a change of type, unless the user changed it too."""
        super().prepare_update(new, old)
        spec, before = new["spec"], old["spec"]
        if has_cluster_address(before) and not has_cluster_address(spec):
            if all(spec.get(field) == before.get(field) for field in ("clusterIP", "clusterIPs")):
                _drop(spec, "clusterIP", "clusterIPs")
            _drop_unchanged(spec, before, "ipFamilies", "ipFamilyPolicy")
            _drop(spec, "internalTrafficPolicy")
        if has_node_ports(before) and not has_node_ports(spec) and _node_ports(spec) <= _node_ports(before):
            for port in spec.get("ports") or ():
                port.pop("nodePort", None)
        if has_health_port(before) and not has_health_port(spec):
            _drop_unchanged(spec, before, "healthCheckNodePort")
        if before.get("type") == "LoadBalancer" != spec.get("type"):
            _drop_unchanged(spec, before, "allocateLoadBalancerNodePorts", "loadBalancerClass")
        if is_reachable_from_outside(before) and not is_reachable_from_outside(spec):
            _drop_unchanged(spec, before, "externalTrafficPolicy")
        if spec.get("type") != "LoadBalancer":
            new["status"] = {**(new.get("status") or {}), "loadBalancer": {}}

    def validate(self, obj: Object) -> list[FieldError]:
        """Checks the whole spec."""
        return list(service_errors(obj["spec"], {}))

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another cluster address, load balancer class or health port."""
        spec, before = new["spec"], old["spec"]
        errors: list[FieldError] = []
        if has_cluster_address(spec) and has_cluster_address(before):
            errors += _address_changes(spec, before)
        if spec.get("type") == before.get("type") == "LoadBalancer":
            name = spec.get("loadBalancerClass")
            if name != before.get("loadBalancerClass"):
                errors.append(invalid("spec.loadBalancerClass", name, _FIXED))
        both = has_health_port(spec) and has_health_port(before)
        if both and spec.get("healthCheckNodePort") != before.get("healthCheckNodePort"):
            errors.append(forbidden("spec.healthCheckNodePort", "field is immutable"))
        return errors

    def validate_status(self, new: Object, old: Object) -> list[FieldError]:
        """Checks the points of a load balancer."""
        points = ((new.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
        path = "status.loadBalancer.ingress"
        if points and new["spec"].get("type") != "LoadBalancer":
            return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
        return [error for index, point in enumerate(points) for error in _ingress_errors(f"{path}[{index}]", point)]

    def selectable(self, obj: Object) -> dict[str, str]:
        """Offers the cluster address and the type."""
        spec = obj.get("spec") or {}
        return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


def _address_changes(spec: dict[str, Any], before: dict[str, Any]) -> list[FieldError]:
    now, was = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    errors: list[FieldError] = []
    if is_headless(spec) and is_headless(before):
        return errors
    if len(now) == len(was):
        errors += [
            invalid(f"spec.clusterIPs[{i}]", now, _FIXED)
            for i, (one, former) in enumerate(zip(now, was, strict=True))
            if one != former
        ]
    elif not now:
        errors.append(invalid("spec.clusterIPs[0]", now, "primary clusterIP can not be unset"))
    elif was and now[0] != was[0]:
        errors.append(invalid("spec.clusterIPs[0]", now, _FIXED))
    if is_headless(spec) == is_headless(before):
        families, former_families = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
        if families and former_families and families[0] != former_families[0]:
            errors.append(invalid("spec.ipFamilies[0]", families, _FIXED))
    return errors


def _ingress_errors(path: str, point: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    address, mode, host = point.get("ip"), point.get("ipMode"), point.get("hostname")
    if address:
        errors += [invalid(f"{path}.ip", address, fault) for fault in address_faults(address)]
        if mode is None:
            errors.append(required(f"{path}.ipMode", "must be specified when `ip` is set"))
    elif mode is not None:
        errors.append(forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set"))
    if mode is not None and address and mode not in ("Proxy", "VIP"):
        errors.append(not_supported(f"{path}.ipMode", mode, ("Proxy", "VIP")))
    if host:
        errors += [invalid(f"{path}.hostname", host, fault) for fault in subdomain_faults(host)]
        if parsed(host) is not None:
            errors.append(invalid(f"{path}.hostname", host, "must be a DNS name, not an IP address"))
    return errors


def _node_ports(spec: dict[str, Any]) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}


def _drop(spec: dict[str, Any], *fields: str) -> None:
    for field in fields:
        spec.pop(field, None)


def _drop_unchanged(spec: dict[str, Any], before: dict[str, Any], *fields: str) -> None:
    _drop(spec, *(field for field in fields if spec.get(field) == before.get(field)))

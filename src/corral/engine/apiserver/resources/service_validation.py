"""The rules of a service, in the words of kube-apiserver."""

from collections.abc import Iterator, Set
from typing import Any

from corral.engine.apiserver.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from corral.engine.apiserver.grammar.names import (
    between,
    label_faults,
    port_name_faults,
    port_number_faults,
    qualified_name_faults,
    subdomain_faults,
)
from corral.engine.apiserver.resources.ip_addresses import address_faults, endpoint_faults, range_faults
from corral.engine.apiserver.resources.metadata_validation import label_errors
from corral.engine.apiserver.resources.service_shape import (
    has_health_port,
    is_headless,
    is_reachable_from_outside,
)

PROTOCOLS = ("SCTP", "TCP", "UDP")
TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'"
_NOT_FOR_EXTERNAL = "may not be set for ExternalName services"
_SPREADS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_LONGEST_AFFINITY = 86400


def service_errors(spec: dict[str, Any], known: dict[str, Any]) -> Iterator[FieldError]:
    """Returns what is wrong with a service; `known` is the former spec, whose addresses are taken as they were."""
    kind = spec.get("type", "")
    ports = spec.get("ports") or []
    if not ports and not is_headless(spec) and kind != "ExternalName":
        yield required("spec.ports")
    yield from _type_errors(spec, kind)
    yield from _port_errors(ports)
    yield from label_errors(spec.get("selector"), "spec.selector")
    yield from _affinity_errors(spec)
    yield from cluster_address_errors(spec, set(known.get("clusterIPs") or ()))
    yield from _external_address_errors(spec, set(known.get("externalIPs") or ()))
    if kind not in TYPES:
        yield not_supported("spec.type", kind, TYPES)
    yield from _node_port_errors(kind, ports)
    yield from _duplicate_port_errors(ports)
    yield from _balancer_errors(spec, kind)
    yield from _traffic_errors(spec, kind)


def _type_errors(spec: dict[str, Any], kind: str) -> Iterator[FieldError]:
    if kind in ("LoadBalancer", "NodePort") and is_headless(spec):
        yield invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind != "ExternalName":
        return
    for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(field):
            yield forbidden(f"spec.{field}", _NOT_FOR_EXTERNAL)
    name = spec.get("externalName", "").removesuffix(".")
    if not name:
        yield required("spec.externalName")
    else:
        yield from (invalid("spec.externalName", name, fault) for fault in subdomain_faults(name))


def _port_errors(ports: list[dict[str, Any]]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path = f"spec.ports[{index}]"
        name = port.get("name", "")
        if name:
            yield from (invalid(f"{path}.name", name, fault) for fault in label_faults(name))
            if name in seen:
                yield duplicate(f"{path}.name", name)
            seen.add(name)
        elif len(ports) > 1:
            yield required(f"{path}.name")
        number = port.get("port", 0)
        yield from (invalid(f"{path}.port", number, fault) for fault in port_number_faults(number))
        if port.get("protocol") not in PROTOCOLS:
            yield not_supported(f"{path}.protocol", port.get("protocol", ""), PROTOCOLS)
        yield from _target_errors(f"{path}.targetPort", port.get("targetPort", 0))
        application = port.get("appProtocol")
        if application is not None:
            faults = qualified_name_faults(application)
            yield from (invalid(f"{path}.appProtocol", application, fault) for fault in faults)


def _target_errors(path: str, target: int | str) -> Iterator[FieldError]:
    faults = port_number_faults(target) if isinstance(target, int) else port_name_faults(target)
    yield from (invalid(path, target, fault) for fault in faults)


def _affinity_errors(spec: dict[str, Any]) -> Iterator[FieldError]:
    affinity, config = spec.get("sessionAffinity", ""), spec.get("sessionAffinityConfig")
    path = "spec.sessionAffinityConfig"
    if affinity not in ("ClientIP", "None"):
        yield not_supported("spec.sessionAffinity", affinity, ("ClientIP", "None"))
    elif affinity == "None" and config is not None:
        yield forbidden(path, "must not be set when session affinity is None")
    elif affinity == "ClientIP":
        seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
        if seconds is None:
            yield required(path, "when session affinity type is ClientIP")
        elif not 0 < seconds <= _LONGEST_AFFINITY:
            detail = f"must be greater than 0 and less than {_LONGEST_AFFINITY}"
            yield invalid(f"{path}.clientIP.timeoutSeconds", seconds, detail)


def cluster_address_errors(spec: dict[str, Any], known: Set[str]) -> list[FieldError]:
    """Returns what is wrong with clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy together."""
    if spec.get("type") == "ExternalName":
        return []
    one, many = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    families, policy = spec.get("ipFamilies") or [], spec.get("ipFamilyPolicy")
    errors: list[FieldError] = []
    if one and not many:
        errors.append(required("spec.clusterIPs"))
    elif one and many[0] != one:
        errors.append(invalid("spec.clusterIPs", many, "first value must match `clusterIP`"))
    elif many and not one:
        errors.append(invalid("spec.clusterIPs", many, "must be empty when `clusterIP` is not specified"))
    for index, family in enumerate(families):
        if family not in ("IPv4", "IPv6"):
            errors.append(not_supported(f"spec.ipFamilies[{index}]", family, ("IPv4", "IPv6")))
        if family in families[:index]:
            errors.append(duplicate(f"spec.ipFamilies[{index}]", family))
    policies = ("PreferDualStack", "RequireDualStack", "SingleStack")
    if policy is not None and policy not in policies:
        errors.append(not_supported("spec.ipFamilyPolicy", policy, policies))
    return errors + _address_list_errors(many, families, known)


def _address_list_errors(addresses: list[str], families: list[str], known: Set[str]) -> list[FieldError]:
    path = "spec.clusterIPs"
    bad: list[FieldError] = []
    for index, address in enumerate(addresses):
        if index == 0 and address == "None":
            if len(addresses) > 1:
                bad.append(invalid(path, addresses, "'None' must be the first and only value"))
        elif address not in known:
            bad += [invalid(f"{path}[{index}]", address, fault) for fault in address_faults(address)]
    errors = list(bad)
    if len(addresses) > 2:
        errors.append(invalid(path, addresses, "may only hold up to 2 values"))
    if bad:
        return errors  # what follows would only confuse
    if len(addresses) > 1 and len({":" in address for address in addresses}) != 2:
        errors.append(invalid(path, addresses, "may specify no more than one IP for each IP family"))
    if addresses != ["None"]:
        for index, (address, family) in enumerate(zip(addresses, families, strict=False)):
            if family in ("IPv4", "IPv6") and (":" in address) != (family == "IPv6"):
                detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
                errors.append(invalid(f"{path}[{index}]", address, detail))
    return errors


def _external_address_errors(spec: dict[str, Any], known: Set[str]) -> Iterator[FieldError]:
    for index, address in enumerate(spec.get("externalIPs") or ()):
        faults = () if address in known else address_faults(address)
        yield from (invalid(f"spec.externalIPs[{index}]", address, f) for f in faults or endpoint_faults(address))


def _node_port_errors(kind: str, ports: list[dict[str, Any]]) -> Iterator[FieldError]:
    seen: set[tuple[Any, int]] = set()
    for index, port in enumerate(ports):
        if kind == "ClusterIP" and port.get("nodePort"):
            yield forbidden(f"spec.ports[{index}].nodePort", "may not be used when `type` is 'ClusterIP'")
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("nodePort", 0))
        if key[1] and key in seen:
            yield duplicate(f"spec.ports[{index}].nodePort", key[1])
        seen.add(key)


def _duplicate_port_errors(ports: list[dict[str, Any]]) -> Iterator[FieldError]:
    seen: set[tuple[Any, Any]] = set()
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("port"))
        if key in seen:
            shown = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield duplicate(f"spec.ports[{index}]", shown)
        seen.add(key)


def _balancer_errors(spec: dict[str, Any], kind: str) -> Iterator[FieldError]:
    ranges, path = spec.get("loadBalancerSourceRanges") or [], "spec.LoadBalancerSourceRanges"
    if ranges and kind != "LoadBalancer":
        yield forbidden(path, _ONLY_BALANCED)
    for index, text in enumerate(ranges):
        yield from (invalid(f"{path}[{index}]", text.strip(), fault) for fault in range_faults(text.strip()))
    if kind != "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is not None:
        yield forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_BALANCED)
    name = spec.get("loadBalancerClass")
    if name is not None:
        path = "spec.loadBalancerClass"
        if kind != "LoadBalancer":
            yield forbidden(path, _ONLY_BALANCED)
        else:
            yield from (invalid(path, name, fault) for fault in qualified_name_faults(name))


def _traffic_errors(spec: dict[str, Any], kind: str) -> Iterator[FieldError]:
    outside, health = spec.get("externalTrafficPolicy"), spec.get("healthCheckNodePort")
    if not is_reachable_from_outside(spec):
        if outside:
            yield invalid("spec.externalTrafficPolicy", outside, "may only be set for externally-accessible services")
    elif outside not in ("Cluster", "Local"):
        yield not_supported("spec.externalTrafficPolicy", outside, ("Cluster", "Local"))
    if health and not has_health_port(spec):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield invalid("spec.healthCheckNodePort", health, detail)
    elif health and port_number_faults(health):
        yield invalid("spec.healthCheckNodePort", health, between(1, 65535))
    inside = spec.get("internalTrafficPolicy")
    if inside is not None and inside not in ("Cluster", "Local"):
        yield not_supported("spec.internalTrafficPolicy", inside, ("Cluster", "Local"))
    spread = spec.get("trafficDistribution")
    if spread is not None and spread not in _SPREADS:
        yield not_supported("spec.trafficDistribution", spread, _SPREADS)

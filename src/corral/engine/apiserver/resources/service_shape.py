"""What the type of a service says about its other fields."""

from collections.abc import Mapping
from typing import Any


def has_cluster_address(spec: Mapping[str, Any]) -> bool:
    """Tells whether the service has a cluster address, or None as one."""
    return spec.get("type") != "ExternalName"


def is_headless(spec: Mapping[str, Any]) -> bool:
    """Tells whether the service is only a name for its pods."""
    return (spec.get("clusterIPs") or [spec.get("clusterIP")]) == ["None"]


def has_node_ports(spec: Mapping[str, Any]) -> bool:
    """Tells whether the service opens ports on every node."""
    return spec.get("type") in ("NodePort", "LoadBalancer")


def has_health_port(spec: Mapping[str, Any]) -> bool:
    """Tells whether a load balancer asks each node if it has endpoints."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def is_reachable_from_outside(spec: Mapping[str, Any]) -> bool:
    """Tells whether traffic from outside the cluster can arrive."""
    return has_node_ports(spec) or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))

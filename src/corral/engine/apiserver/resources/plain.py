"""The plain built-in kinds, one line each: everything but pods, workloads and custom resource definitions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from corral.engine.apiserver.resources.access import (
    RBAC_GROUP,
    BindingStrategy,
    RoleStrategy,
    ServiceAccountStrategy,
)
from corral.engine.apiserver.resources.autoscaler_v1 import as_v1, as_v2
from corral.engine.apiserver.resources.autoscalers import AutoscalerStrategy
from corral.engine.apiserver.resources.claims import ClaimStrategy
from corral.engine.apiserver.resources.config import ConfigMapStrategy, SecretStrategy
from corral.engine.apiserver.resources.endpoints import EndpointsStrategy
from corral.engine.apiserver.resources.events import (
    SELECTABLE_CORE,
    SELECTABLE_NEW,
    EventStrategy,
    as_core_event,
    as_new_event,
)
from corral.engine.apiserver.resources.leases import LeaseStrategy
from corral.engine.apiserver.resources.namespaces import NamespaceStrategy
from corral.engine.apiserver.resources.nodes import NodeStrategy
from corral.engine.apiserver.resources.priorities import PriorityClassStrategy
from corral.engine.apiserver.resources.resource import Resource, Strategy
from corral.engine.apiserver.resources.service_ledger import Ledger
from corral.engine.apiserver.resources.services import ServiceStrategy
from corral.engine.apiserver.schema.node import Schema

SchemaOf = Callable[[str, str, str], Schema]
_ALL = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True)
class _Kind:
    kind: str
    strategy: Strategy
    short: str = ""
    subresources: tuple[str, ...] = ()
    plural: str = ""
    fields: dict[str, Any] | None = None


_SERVICE = _Kind(
    "Service",
    ServiceStrategy(),
    "svc",
    ("status",),
    fields={"categories": ("all",), "selectable_fields": ("spec.clusterIP", "spec.type")},
)
_CORE = (
    _Kind("ConfigMap", ConfigMapStrategy(), "cm"),
    _Kind("Endpoints", EndpointsStrategy(), "ep", plural="endpoints"),
    _Kind("Event", EventStrategy(strict=False), "ev", fields={"selectable_fields": SELECTABLE_CORE}),
    _Kind("PersistentVolumeClaim", ClaimStrategy(), "pvc", ("status",)),
    _Kind("Secret", SecretStrategy(), fields={"selectable_fields": ("type",)}),
    _Kind("ServiceAccount", ServiceAccountStrategy(), "sa"),
    _SERVICE,
)
_CLUSTER = (
    _Kind(
        "Namespace",
        NamespaceStrategy(),
        "ns",
        ("finalize", "status"),
        fields={
            "selectable_fields": ("status.phase",),
            "verbs": tuple(verb for verb in _ALL if verb != "deletecollection"),
        },
    ),
    _Kind("Node", NodeStrategy(), "no", ("status",), fields={"selectable_fields": ("spec.unschedulable",)}),
)
_NEW_EVENT = _Kind(
    "Event",
    EventStrategy(strict=True),
    "ev",
    fields={
        "selectable_fields": SELECTABLE_NEW,
        "storage_group": "",
        "storage_version": "v1",
        "to_storage": as_core_event,
        "from_storage": as_new_event,
    },
)
_AUTOSCALER = _Kind(
    "HorizontalPodAutoscaler", AutoscalerStrategy(), "hpa", ("status",), fields={"categories": ("all",)}
)
_OLD_AUTOSCALER = _Kind(
    "HorizontalPodAutoscaler",
    AutoscalerStrategy(),
    "hpa",
    ("status",),
    fields={"categories": ("all",), "storage_version": "v2", "to_storage": as_v2, "from_storage": as_v1},
)
_ROLES = (_Kind("Role", RoleStrategy(namespaced=True)), _Kind("RoleBinding", BindingStrategy(namespaced=True)))
_CLUSTER_ROLES = (
    _Kind("ClusterRole", RoleStrategy(namespaced=False)),
    _Kind("ClusterRoleBinding", BindingStrategy(namespaced=False)),
)
_PRIORITY_CLASS = _Kind("PriorityClass", PriorityClassStrategy(), "pc", plural="priorityclasses")

_SERVED: tuple[tuple[str, str, bool, tuple[_Kind, ...]], ...] = (
    # group, version, whether its objects lie in namespaces, kinds
    ("", "v1", True, _CORE),
    ("", "v1", False, _CLUSTER),
    ("events.k8s.io", "v1", True, (_NEW_EVENT,)),
    ("coordination.k8s.io", "v1", True, (_Kind("Lease", LeaseStrategy()),)),
    ("scheduling.k8s.io", "v1", False, (_PRIORITY_CLASS,)),
    ("autoscaling", "v2", True, (_AUTOSCALER,)),
    ("autoscaling", "v1", True, (_OLD_AUTOSCALER,)),
    (RBAC_GROUP, "v1", True, _ROLES),
    (RBAC_GROUP, "v1", False, _CLUSTER_ROLES),
)


def plain_resources(schema_of: SchemaOf, ledger: Ledger | None = None) -> tuple[Resource, ...]:
    """Returns the resources of the plain kinds; `schema_of(group, version, kind)` gives their shapes.

    `ledger` knows the addresses and ports of services; without one nothing is taken yet.
    """
    service = replace(_SERVICE, strategy=ServiceStrategy(ledger))
    return tuple(
        _resource(group, version, namespaced, service if kind is _SERVICE else kind, schema_of)
        for group, version, namespaced, kinds in _SERVED
        for kind in kinds
    )


def _resource(group: str, version: str, namespaced: bool, kind: _Kind, schema_of: SchemaOf) -> Resource:
    lower = kind.kind.lower()
    return Resource(
        group=group,
        version=version,
        kind=kind.kind,
        plural=kind.plural or f"{lower}s",
        namespaced=namespaced,
        schema=schema_of(group, version, kind.kind),
        strategy=kind.strategy,
        singular=lower,
        short_names=(kind.short,) if kind.short else (),
        subresources=kind.subresources,
        **(kind.fields or {}),
    )

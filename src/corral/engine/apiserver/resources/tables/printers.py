"""Which kind is printed how."""

from typing import Any

from corral.engine.apiserver.resources.resource import Object, Printer
from corral.engine.apiserver.resources.tables import cluster, workloads
from corral.engine.apiserver.resources.tables.autoscalers import AUTOSCALER
from corral.engine.apiserver.resources.tables.columns import columns
from corral.engine.apiserver.resources.tables.pods import POD


def _name_and_birth(obj: Object, now: float) -> list[Any]:
    metadata = obj["metadata"]
    return [metadata.get("name", ""), metadata.get("creationTimestamp") or "0001-01-01T00:00:00Z"]


DEFAULT_PRINTER = Printer(columns("Name", "Created At:date"), _name_and_birth)
"""The printer of kinds that have none of their own: roles, cluster roles, custom resource definitions."""

_PRINTERS = {
    ("", "Pod"): POD,
    ("apps", "Deployment"): workloads.DEPLOYMENT,
    ("apps", "ReplicaSet"): workloads.REPLICA_SET,
    ("batch", "Job"): workloads.JOB,
    ("", "Namespace"): cluster.NAMESPACE,
    ("", "Service"): cluster.SERVICE,
    ("", "Endpoints"): cluster.ENDPOINTS,
    ("", "Node"): cluster.NODE,
    ("", "ConfigMap"): cluster.CONFIG_MAP,
    ("", "Secret"): cluster.SECRET,
    ("", "ServiceAccount"): cluster.SERVICE_ACCOUNT,
    ("", "PersistentVolumeClaim"): cluster.CLAIM,
    ("", "Event"): cluster.EVENT,
    ("events.k8s.io", "Event"): cluster.EVENT,
    ("coordination.k8s.io", "Lease"): cluster.LEASE,
    ("scheduling.k8s.io", "PriorityClass"): cluster.PRIORITY_CLASS,
    ("autoscaling", "HorizontalPodAutoscaler"): AUTOSCALER,
    ("rbac.authorization.k8s.io", "RoleBinding"): cluster.BINDING,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): cluster.BINDING,
}


def printer_for(group: str, kind: str) -> Printer:
    """Returns how a built-in kind is printed, in whichever of its versions."""
    return _PRINTERS.get((group, kind), DEFAULT_PRINTER)

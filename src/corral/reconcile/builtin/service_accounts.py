"""Every namespace has a ServiceAccount `default`, because pods are refused without one."""

from corral.kinds.objects import Object, is_deleting
from corral.kinds.well_known import SERVICE_ACCOUNT
from corral.reconcile.plan import NOTHING_TO_DO, Create, Plan

DEFAULT = "default"


def decide(namespace: Object, has_account: bool) -> Plan:
    """Makes the account where it is missing; a namespace that is going away gets no new content."""
    is_terminating = (namespace.get("status") or {}).get("phase") == "Terminating"
    if has_account or is_terminating or is_deleting(namespace):
        return NOTHING_TO_DO
    metadata = {"name": DEFAULT, "namespace": namespace["metadata"]["name"]}
    return Plan.of(Create(SERVICE_ACCOUNT, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}))

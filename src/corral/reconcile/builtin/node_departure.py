"""A node that is taken away: its pods fail as lost, then its objects go."""

from collections.abc import Iterable

from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import LEASE, NODE, POD
from corral.reconcile.builtin.pods import has_ended
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, Delete, Plan, SetStatus

LEASE_NAMESPACE = "kube-node-lease"


def decide(name: str, node: Object | None, pods: Iterable[Object], now: float) -> Plan:
    """Returns what does away with a node and everything on it; the node goes last, so that a half-done plan is found."""
    plan = Plan.of(*(_loss(name, pod, now) for pod in pods if is_deleting(pod) or not has_ended(pod)))
    if node is None:
        return plan
    lease = Delete(LEASE, ObjectKey(LEASE_NAMESPACE, name), "")
    return plan.then(lease, Delete(NODE, key_of(node), uid_of(node)))


def _loss(name: str, pod: Object, now: float) -> Action:
    if is_deleting(pod):
        return Delete(POD, key_of(pod), uid_of(pod), grace_seconds=0)
    return SetStatus(POD, pod, lost_status(name, pod, now))


def lost_status(name: str, pod: Object, now: float) -> Object:
    """Returns the status of a pod whose node is gone; nobody knows how its containers ended."""
    status, stamp = pod.get("status") or {}, stamp_of(now)
    lost: Object = {
        **status,
        "phase": "Failed",
        "reason": "NodeLost",
        "message": f"node {name} was taken away",
        "conditions": [_unready(one, stamp) for one in status.get("conditions") or ()],
    }
    for field in ("initContainerStatuses", "containerStatuses"):
        if status.get(field):
            lost[field] = [_ended(one, stamp) for one in status[field]]
    return lost


def _unready(condition: Object, stamp: str) -> Object:
    if condition.get("type") not in ("Ready", "ContainersReady") or condition.get("status") == "False":
        return condition
    return {**condition, "status": "False", "reason": "NodeLost", "lastTransitionTime": stamp}


def _ended(container: Object, stamp: str) -> Object:
    state = container.get("state") or {}
    if "terminated" in state:
        return container
    ended = {
        "exitCode": 137,
        "reason": "ContainerStatusUnknown",
        "message": "The node of the container was taken away",
        "startedAt": (state.get("running") or {}).get("startedAt"),
        "finishedAt": stamp,
    }
    return {**container, "ready": False, "started": False, "state": {"terminated": ended}}

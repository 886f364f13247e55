"""What a ReplicaSet tells about its pods."""

from collections.abc import Sequence

from corral.kinds.objects import Object, labels_of, matches_labels
from corral.kinds.well_known import REPLICA_SET
from corral.reconcile.builtin.pods import available_in, condition_of, is_ready
from corral.reconcile.builtin.replica_sets.decision import wanted_replicas
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import LookAgainAfter, Plan, SetStatus

FAILURE = "ReplicaFailure"


def report(replica_set: Object, ours: Sequence[Object], failure: str | None, now: float) -> Plan:
    """Returns the write of a changed status; `failure` is why a creation or deletion was refused.

    With minReadySeconds, pods become available by waiting: then the key is looked at again in time.
    """
    min_ready = int(replica_set["spec"].get("minReadySeconds") or 0)
    waits = [available_in(pod, min_ready, now) for pod in ours]
    labels = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
    counts = {
        "replicas": len(ours),
        "fullyLabeledReplicas": sum(1 for pod in ours if matches_labels(labels_of(pod), labels)),
        "readyReplicas": sum(1 for pod in ours if is_ready(pod)),
        "availableReplicas": sum(1 for wait in waits if wait == 0.0),
        "observedGeneration": int(replica_set["metadata"].get("generation") or 0),
    }
    status: Object = {name: count for name, count in counts.items() if count or name == "replicas"}
    before = replica_set.get("status") or {}
    status |= {name: before[name] for name in before.keys() - counts.keys() - {"conditions"}}
    if conditions := _conditions(replica_set, len(ours), failure, now):
        status["conditions"] = conditions
    plan = Plan() if status == before else Plan.of(SetStatus(REPLICA_SET, replica_set, status))
    pending = [wait for wait in waits if wait]
    return plan.then(LookAgainAfter(min(pending) + 0.05)) if pending else plan


def _conditions(replica_set: Object, count: int, failure: str | None, now: float) -> list[Object]:
    """Returns the conditions: the first failure is kept until a try succeeds, since it is the one that explains."""
    others = [one for one in (replica_set.get("status") or {}).get("conditions") or () if one.get("type") != FAILURE]
    if failure is None:
        return others
    known = condition_of(replica_set, FAILURE)
    if known is not None:
        return [*others, known]
    reason = "FailedCreate" if count < wanted_replicas(replica_set) else "FailedDelete"
    told = {"type": FAILURE, "status": "True", "lastTransitionTime": stamp_of(now), "reason": reason}
    return [*others, {**told, "message": failure}]

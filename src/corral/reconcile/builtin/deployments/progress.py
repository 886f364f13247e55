"""What a Deployment tells: counters, availability, progress and its deadline."""

from collections.abc import Sequence
from dataclasses import dataclass

from corral.kinds.objects import Object
from corral.reconcile.builtin.deployments.limits import deadline_of, limits_of
from corral.reconcile.builtin.deployments.sizes import available
from corral.reconcile.builtin.pods import condition_of
from corral.reconcile.moments import seconds_of, stamp_of

PROGRESSING, AVAILABLE, FAILURE = "Progressing", "Available", "ReplicaFailure"
DONE, TIMED_OUT, PAUSED = "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "DeploymentPaused"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the status is made of."""

    deployment: Object
    current: Object | None
    """The ReplicaSet of the present template, if there is one."""
    replica_sets: Sequence[Object]
    """All of them, the current one included."""
    sized: int
    """How many pods all of them are asked for, after this step."""
    collisions: int
    created: str = ""
    """The name of a ReplicaSet that this step creates."""
    rolls_out: bool = True
    """Whether progress is judged in this step: not while paused or being scaled."""


def status_of(facts: Facts, now: float) -> Object:
    """Returns the whole status."""
    deployment = facts.deployment
    ready, running = _sum(facts.replica_sets, "readyReplicas"), sum(map(available, facts.replica_sets))
    counts = {
        "observedGeneration": int(deployment["metadata"].get("generation") or 0),
        "replicas": _sum(facts.replica_sets, "replicas"),
        "updatedReplicas": _sum([facts.current] if facts.current else [], "replicas"),
        "readyReplicas": ready,
        "availableReplicas": running,
        "unavailableReplicas": max(0, facts.sized - running),
    }
    status: Object = {name: count for name, count in counts.items() if count}
    if facts.collisions or "collisionCount" in (deployment.get("status") or {}):
        status["collisionCount"] = facts.collisions
    if conditions := _conditions(facts, status, now):
        status["conditions"] = conditions
    return status


def is_complete(deployment: Object, status: Object) -> bool:
    """Whether all pods are of the present template, available, and no others are left."""
    replicas = limits_of(deployment).replicas
    counts = [int(status.get(name) or 0) for name in ("updatedReplicas", "replicas", "availableReplicas")]
    return counts == [replicas] * 3


def overdue_in(deployment: Object, status: Object, now: float) -> float | None:
    """Returns the seconds until a rollout without progress counts as failed, None when none is under way."""
    deadline, progress = deadline_of(deployment), condition_of({"status": status}, PROGRESSING)
    if deadline is None or progress is None or is_complete(deployment, status):
        return None
    if progress.get("reason") in (TIMED_OUT, DONE, PAUSED):
        return None
    since = seconds_of(progress.get("lastUpdateTime"))
    return None if since is None else max(0.0, since + deadline - now)


def _sum(replica_sets: Sequence[Object], field: str) -> int:
    return sum(int((one.get("status") or {}).get(field) or 0) for one in replica_sets)


def _conditions(facts: Facts, status: Object, now: float) -> list[Object]:
    deployment = facts.deployment
    conditions: list[Object] = list((deployment.get("status") or {}).get("conditions") or ())
    if int(status.get("availableReplicas") or 0) >= limits_of(deployment).least_available:
        words = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        words = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    conditions = _with(conditions, AVAILABLE, words, now)
    conditions = _with_failure(conditions, facts, now)
    if deadline_of(deployment) is None:
        return [one for one in conditions if one.get("type") != PROGRESSING]
    told = _progress(facts, status, now)
    if told is None:
        return conditions
    return _with(conditions, PROGRESSING, told, now, renew=told[1] == "ReplicaSetUpdated")


def _with_failure(conditions: list[Object], facts: Facts, now: float) -> list[Object]:
    ordered = [facts.current, *facts.replica_sets] if facts.current else list(facts.replica_sets)
    failure = next((found for one in ordered if (found := condition_of(one, FAILURE))), None)
    if failure is None:
        return [one for one in conditions if one.get("type") != FAILURE]
    words = (failure.get("status", "True"), failure.get("reason", ""), failure.get("message", ""))
    return _with(conditions, FAILURE, words, now)


def _progress(facts: Facts, status: Object, now: float) -> tuple[str, str, str] | None:
    """Returns (status, reason, message) of the progress, None to leave it as it is."""
    deployment, before = facts.deployment, facts.deployment.get("status") or {}
    known = condition_of(deployment, PROGRESSING)
    reason = (known or {}).get("reason")
    paused = bool(deployment["spec"].get("paused"))
    if paused or reason == PAUSED:
        if paused and reason not in (PAUSED, TIMED_OUT):
            return "Unknown", PAUSED, "Deployment is paused"
        return None if paused else ("Unknown", "DeploymentResumed", "Deployment is resumed")
    if facts.created:
        return "True", "NewReplicaSetCreated", f'Created new replica set "{facts.created}"'
    if not facts.rolls_out:
        return None
    is_settled = reason == DONE and status.get("replicas", 0) == status.get("updatedReplicas", 0)
    if is_settled:
        return None
    name = f'ReplicaSet "{facts.current["metadata"]["name"]}"' if facts.current else ""
    name = name or f'Deployment "{deployment["metadata"]["name"]}"'
    if is_complete(deployment, status):
        return "True", DONE, f"{name} has successfully progressed."
    if _has_moved(before, status):
        return "True", "ReplicaSetUpdated", f"{name} is progressing."
    if known is None and facts.current:
        return "True", "FoundNewReplicaSet", f'Found new replica set "{facts.current["metadata"]["name"]}"'
    if reason == TIMED_OUT or overdue_in(deployment, before, now) == 0.0:
        return "False", TIMED_OUT, f"{name} has timed out progressing."
    return None


def _has_moved(before: Object, after: Object) -> bool:
    def count(status: Object, name: str) -> int:
        return int(status.get(name) or 0)

    rises = any(
        count(after, one) > count(before, one) for one in ("updatedReplicas", "readyReplicas", "availableReplicas")
    )
    old = [count(one, "replicas") - count(one, "updatedReplicas") for one in (after, before)]
    return rises or old[0] < old[1]


def _with(
    conditions: list[Object], kind: str, words: tuple[str, str, str], now: float, *, renew: bool = False
) -> list[Object]:
    """Returns the conditions with one said anew; the same status and reason again changes nothing, unless renewed."""
    status, reason, message = words
    old = next((one for one in conditions if one.get("type") == kind), None)
    if old is not None and not renew and (old.get("status"), old.get("reason")) == (status, reason):
        return conditions
    since = old["lastTransitionTime"] if old is not None and old.get("status") == status else stamp_of(now)
    told = {
        "type": kind,
        "status": status,
        "lastUpdateTime": stamp_of(now),
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    }
    return [*(one for one in conditions if one.get("type") != kind), told]

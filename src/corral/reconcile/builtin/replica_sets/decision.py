"""A ReplicaSet's next step: claim pods, make the missing, give up the surplus."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.well_known import POD, REPLICA_SET
from corral.reconcile.builtin.child_names import name_sequence
from corral.reconcile.builtin.claiming import Claim, claimed
from corral.reconcile.builtin.pod_making import pod_from
from corral.reconcile.builtin.pods import dispensable_first, is_active
from corral.reconcile.builtin.slow_start import in_growing_batches
from corral.reconcile.plan import Create, Delete, EmitEvent, Plan

BURST = 500
"""At most so many pods are made or deleted in one go."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A ReplicaSet and the pods of its namespace."""

    replica_set: Object
    pods: Sequence[Object]
    taken: Collection[str] = ()
    """Names that new pods must not have."""
    relatives: Sequence[Object] = ()
    """Pods of all ReplicaSets of the same owner; those on crowded nodes go first."""


def claim(observed: Observed) -> Claim:
    """Returns the active pods that are ours."""
    active = [pod for pod in observed.pods if is_active(pod)]
    return claimed(REPLICA_SET, observed.replica_set, POD, active)


def wanted_replicas(replica_set: Object) -> int:
    """Returns how many pods it shall have."""
    replicas = replica_set["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def next_pods(observed: Observed, ours: Sequence[Object], now: float) -> Plan:
    """Returns the creations or deletions that bring the number of pods to what is wanted."""
    replica_set = observed.replica_set
    if is_deleting(replica_set):
        return Plan()
    surplus = len(ours) - wanted_replicas(replica_set)
    if surplus < 0:
        return _creations(observed, min(-surplus, BURST))
    return _deletions(observed, ours, min(surplus, BURST), now) if surplus else Plan()


def _creations(observed: Observed, count: int) -> Plan:
    replica_set = observed.replica_set
    prefix = f"{replica_set['metadata']['name']}-"
    taken = {pod["metadata"]["name"] for pod in observed.pods} | set(observed.taken)
    pairs = []
    for name in islice(name_sequence(prefix, uid_of(replica_set), taken), count):
        pod = pod_from(replica_set["spec"]["template"], REPLICA_SET, replica_set, name, prefix)
        event = EmitEvent(REPLICA_SET, replica_set, "SuccessfulCreate", f"Created pod: {name}")
        pairs.append((Create(POD, pod), event))
    return in_growing_batches(pairs)


def _deletions(observed: Observed, ours: Sequence[Object], count: int, now: float) -> Plan:
    nodes = (pod["spec"].get("nodeName") for pod in observed.relatives or ours if is_active(pod))
    crowding = Counter(node for node in nodes if node)
    leaving = dispensable_first(ours, crowding, now)[:count]
    deletes = (Delete(POD, key_of(pod), uid_of(pod)) for pod in leaving)
    events = (
        EmitEvent(REPLICA_SET, observed.replica_set, "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}")
        for pod in leaving
    )
    return Plan().then(*deletes).then(*events)

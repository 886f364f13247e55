"""How many pods each ReplicaSet shall have next. Pure arithmetic over (uid -> replicas)."""

from collections.abc import Mapping, Sequence

from corral.kinds.objects import Object, is_deleting, uid_of
from corral.reconcile.builtin.deployments.limits import Limits
from corral.reconcile.builtin.deployments.revisions import DESIRED, MOST, annotations_of
from corral.reconcile.builtin.deployments.template import age_order

Sizes = Mapping[str, int]
"""The wanted replicas by uid; a ReplicaSet that is not named stays as it is."""


def asked(replica_set: Object) -> int:
    """Returns the replicas that a ReplicaSet is asked for."""
    replicas = replica_set["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)


def available(replica_set: Object) -> int:
    """Returns the replicas that are available."""
    return int((replica_set.get("status") or {}).get("availableReplicas") or 0)


def active(replica_sets: Sequence[Object]) -> list[Object]:
    """Returns the ReplicaSets that are asked for pods."""
    return [one for one in replica_sets if asked(one) > 0]


# --- rolling ----------------------------------------------------------------------------------------------------------


def grown(limits: Limits, new: int, total: int) -> int:
    """Returns the next size of the new ReplicaSet: as far as the surge allows, never past what is wanted."""
    if new >= limits.replicas:
        return limits.replicas
    return new + max(0, min(limits.most - total, limits.replicas - new))


def shrunk(limits: Limits, new: Object, old: Sequence[Object]) -> Sizes:
    """Returns the next sizes of the old ReplicaSets, oldest first.

    Pods that are not available go first, since nobody misses them; then as many as availability allows. Pods of the new
    ReplicaSet that are not available yet count as missing, so that two bad rollouts in a row do no harm.
    """
    ordered = sorted(active(old), key=age_order)
    missing = asked(new) - available(new)
    room = sum(map(asked, [*old, new])) - limits.least_available - missing
    if room <= 0:
        return {}
    sizes = {uid_of(one): asked(one) for one in ordered}
    for one in ordered:
        unhealthy = max(0, asked(one) - available(one))
        given_up = min(room, unhealthy)
        sizes[uid_of(one)] -= given_up
        room -= given_up
    spare = sum(map(available, [*old, new])) - limits.least_available
    for one in ordered:
        given_up = max(0, min(sizes[uid_of(one)], spare))
        sizes[uid_of(one)] -= given_up
        spare -= given_up
    return {uid_of(one): sizes[uid_of(one)] for one in ordered if sizes[uid_of(one)] != asked(one)}


# --- a change of replicas ---------------------------------------------------------------------------------------------


def is_being_scaled(limits: Limits, replica_sets: Sequence[Object]) -> bool:
    """Whether the deployment's replicas changed since some active ReplicaSet was last sized."""
    for one in active(replica_sets):
        desired = annotations_of(one).get(DESIRED, "")
        if desired.isdecimal() and int(desired) != limits.replicas:
            return True
    return False


def rescaled(limits: Limits, new: Object | None, old: Sequence[Object], *, rolling: bool, known: int) -> Sizes:
    """Returns sizes after a change of replicas: in the middle of a rollout each gets its share.

    `known` is the number of pods in the deployment's status, for ReplicaSets that do not note their own share.
    """
    everybody = [*old, new] if new is not None else list(old)
    running = active(everybody)
    if len(running) <= 1:
        single = running[0] if running else new or max(old, key=age_order, default=None)
        return {uid_of(single): limits.replicas} if single is not None else {}
    if new is not None and _is_saturated(new, limits.replicas):
        return {uid_of(one): 0 for one in active(old)}
    return _shared_out(limits, running, known) if rolling else {}


def _is_saturated(new: Object, replicas: int) -> bool:
    noted = annotations_of(new).get(DESIRED)
    return asked(new) == replicas and noted == str(replicas) and available(new) == replicas


def _shared_out(limits: Limits, running: list[Object], known: int) -> Sizes:
    allowed = limits.most if limits.replicas > 0 else 0
    to_add = allowed - sum(map(asked, running))
    by_age = sorted(running, key=age_order, reverse=to_add > 0)
    ordered = sorted(by_age, key=asked, reverse=True)
    sizes: dict[str, int] = {}
    added = 0
    for one in ordered:
        share = _share(one, limits, to_add, added, known)
        sizes[uid_of(one)] = asked(one) + share
        added += share
    first = uid_of(ordered[0])
    sizes[first] = max(0, sizes[first] + to_add - added)
    return sizes


def _share(one: Object, limits: Limits, to_add: int, added: int, known: int) -> int:
    left = to_add - added
    if left == 0:
        return 0
    if limits.replicas == 0:
        fraction = -asked(one)
    else:
        noted = annotations_of(one).get(MOST, "")
        before = int(noted) if noted.isdecimal() else known
        if before == 0:
            return 0
        fraction = int(asked(one) * limits.most / before + 0.5) - asked(one)
    return min(fraction, left) if to_add > 0 else max(fraction, left)


def sizing_candidates(replica_sets: Sequence[Object]) -> list[Object]:
    """Returns the ReplicaSets that may be sized: one that is going needs no size."""
    return [one for one in replica_sets if not is_deleting(one)]

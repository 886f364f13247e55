"""A Deployment's next step.

1. Being deleted: only the status is kept up to date.
2. Paused, or its replicas changed: every ReplicaSet gets its share, nothing is rolled out.
3. Otherwise the rollout goes on: the ReplicaSet of the present template grows, the old ones shrink, within the limits.
4. When the rollout is complete, revisions beyond the history limit are forgotten.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from corral.kinds.objects import Object, is_deleting, key_of, uid_of
from corral.kinds.well_known import DEPLOYMENT, REPLICA_SET
from corral.reconcile.builtin.deployments import revisions, sizes
from corral.reconcile.builtin.deployments.limits import Limits, is_rolling, limits_of
from corral.reconcile.builtin.deployments.new_replica_set import free_name, new_replica_set
from corral.reconcile.builtin.deployments.progress import Facts, is_complete, overdue_in, status_of
from corral.reconcile.builtin.deployments.template import of_present_template
from corral.reconcile.builtin.pods import has_ended
from corral.reconcile.plan import Action, Create, EmitEvent, LookAgainAfter, Patch, Plan, SetStatus


@dataclass(frozen=True, slots=True)
class Observed:
    """A Deployment, the ReplicaSets that are its own, and what else bears on it."""

    deployment: Object
    replica_sets: Sequence[Object]
    pods: Mapping[str, Sequence[Object]] = field(default_factory=dict)
    """Pods by the uid of their ReplicaSet; needed to recreate, which waits for the old ones to be gone."""
    foreign_names: Collection[str] = ()
    """Names of ReplicaSets in the namespace that are not ours."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What is changed: sizes by uid, a ReplicaSet to make, revisions to forget."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    create: Object | None = None
    collisions: int = 0
    forgets: bool = False
    rolls_out: bool = True


def decide(observed: Observed, now: float) -> Plan:
    """Returns the next step of a Deployment."""
    deployment = observed.deployment
    limits = limits_of(deployment)
    current = of_present_template(deployment, observed.replica_sets)
    old = [one for one in observed.replica_sets if one is not current]
    collisions = int((deployment.get("status") or {}).get("collisionCount") or 0)
    if is_deleting(deployment):
        step = _Step(collisions=collisions, rolls_out=False)
        return _reported(Plan(), observed, current, step, now)
    if deployment["spec"].get("paused") or sizes.is_being_scaled(limits, observed.replica_sets):
        known = int((deployment.get("status") or {}).get("replicas") or 0)
        share = sizes.rescaled(limits, current, old, rolling=is_rolling(deployment), known=known)
        paused = bool(deployment["spec"].get("paused"))
        step = _Step(share, collisions=collisions, forgets=paused, rolls_out=False)
    elif is_rolling(deployment):
        step = _rolled(observed, limits, current, old)
    else:
        step = _recreated(observed, limits, current, old)
    return _carried_out(observed, step, limits, current, old, now)


def _rolled(observed: Observed, limits: Limits, current: Object | None, old: Sequence[Object]) -> _Step:
    total = sum(map(sizes.asked, observed.replica_sets))
    if current is None:
        return _creation(observed, sizes.grown(limits, 0, total))
    grown = sizes.grown(limits, sizes.asked(current), total)
    collisions = int((observed.deployment.get("status") or {}).get("collisionCount") or 0)
    if grown != sizes.asked(current):
        return _Step({uid_of(current): grown}, collisions=collisions)
    return _Step(sizes.shrunk(limits, current, old), collisions=collisions, forgets=True)


def _recreated(observed: Observed, limits: Limits, current: Object | None, old: Sequence[Object]) -> _Step:
    collisions = int((observed.deployment.get("status") or {}).get("collisionCount") or 0)
    if running := sizes.active(old):
        return _Step({uid_of(one): 0 for one in running}, collisions=collisions)
    if _has_pods(observed, old):
        return _Step(collisions=collisions)
    if current is None:
        return _creation(observed, limits.replicas)
    wanted = {} if sizes.asked(current) == limits.replicas else {uid_of(current): limits.replicas}
    return _Step(wanted, collisions=collisions, forgets=True)


def _has_pods(observed: Observed, old: Sequence[Object]) -> bool:
    """Whether a pod of an old template may still run; one that is terminating may."""
    for one in old:
        if (one.get("status") or {}).get("replicas"):
            return True
        if any(not has_ended(pod) for pod in observed.pods.get(uid_of(one), ())):
            return True
    return False


def _creation(observed: Observed, replicas: int) -> _Step:
    """Returns the step that makes the ReplicaSet of the present template, under a name that nobody else has."""
    deployment = observed.deployment
    taken = {one["metadata"]["name"] for one in observed.replica_sets} | set(observed.foreign_names)
    name, collisions = free_name(deployment, taken)
    revision = revisions.next_revision(observed.replica_sets)
    return _Step(create=new_replica_set(deployment, name, revision, replicas), collisions=collisions)


def _carried_out(
    observed: Observed, step: _Step, limits: Limits, current: Object | None, old: Sequence[Object], now: float
) -> Plan:
    deployment = observed.deployment
    writes: list[Action] = []
    events: list[Action] = []
    for one in sizes.sizing_candidates(observed.replica_sets):
        patch = _patch(deployment, one, one is current, old, step.sizes, limits)
        if patch is not None:
            writes.append(patch)
        size = step.sizes.get(uid_of(one), sizes.asked(one))
        if size != sizes.asked(one):
            events.append(_scaled(deployment, one["metadata"]["name"], sizes.asked(one), size))
    revision = revisions.renumbered(deployment, current, old).revision if current else 0
    if step.create is not None:
        writes.append(Create(REPLICA_SET, step.create))
        revision = revisions.revision_of(step.create)
        if step.create["spec"]["replicas"]:
            events.append(_scaled(deployment, step.create["metadata"]["name"], 0, step.create["spec"]["replicas"]))
    if revision and revisions.annotations_of(deployment).get(revisions.REVISION) != str(revision):
        note = {"metadata": {"annotations": {revisions.REVISION: str(revision)}}}
        # Beside the status, where notes do not count as a new generation.
        writes.append(Patch(DEPLOYMENT, key_of(deployment), note, subresource="status"))
    plan = _reported(Plan().then(*writes).then(*events), observed, current, step, now)
    if not step.forgets or not (step.rolls_out is False or is_complete(deployment, deployment.get("status") or {})):
        return plan
    return plan.then(*revisions.forgotten(deployment, old))


def _patch(
    deployment: Object, one: Object, is_current: bool, old: Sequence[Object], wanted: sizes.Sizes, limits: Limits
) -> Patch | None:
    """Returns the one write that gives a ReplicaSet its size and its notes, None when it has them."""
    annotations: dict[str, str] = {}
    spec: Object = {}
    if is_current:
        annotations |= revisions.renumbered(deployment, one, old).missing
        min_ready = int(deployment["spec"].get("minReadySeconds") or 0)
        if int(one["spec"].get("minReadySeconds") or 0) != min_ready:
            spec["minReadySeconds"] = min_ready
    if uid_of(one) in wanted:
        present = revisions.annotations_of(one)
        noted = revisions.size_annotations(limits)
        annotations |= {name: value for name, value in noted.items() if present.get(name) != value}
        if wanted[uid_of(one)] != sizes.asked(one):
            spec["replicas"] = wanted[uid_of(one)]
    if not annotations and not spec:
        return None
    body: Object = {"metadata": {"resourceVersion": one["metadata"]["resourceVersion"]}}
    if annotations:
        body["metadata"]["annotations"] = annotations
    if spec:
        body["spec"] = spec
    return Patch(REPLICA_SET, key_of(one), body)


def _scaled(deployment: Object, name: str, before: int, after: int) -> EmitEvent:
    direction = "up" if after > before else "down"
    message = f"Scaled {direction} replica set {name} from {before} to {after}"
    return EmitEvent(DEPLOYMENT, deployment, "ScalingReplicaSet", message)


def _reported(plan: Plan, observed: Observed, current: Object | None, step: _Step, now: float) -> Plan:
    deployment = observed.deployment
    sized = sum(step.sizes.get(uid_of(one), sizes.asked(one)) for one in observed.replica_sets)
    created = step.create
    facts = Facts(deployment, current, observed.replica_sets, sized, step.collisions, rolls_out=step.rolls_out)
    if created is not None:
        sized += created["spec"]["replicas"]
        facts = replace(facts, sized=sized, created=created["metadata"]["name"])
    status = status_of(facts, now)
    if status != (deployment.get("status") or {}):
        plan = plan.then(SetStatus(DEPLOYMENT, deployment, status))
    wait = overdue_in(deployment, status, now)
    return plan if wait is None else plan.then(LookAgainAfter(wait + 1.0))

"""What to do about a job that runs and reports no further step; only for jobs that ask (`runPolicy.progress.hang`).

    silent for afterSeconds     the pods are asked for their stacks (an annotation, which a node may act on)
    ten seconds later           the whole attempt is killed: one failure of class hang, counted once
    twice on the same node      the job's next pods avoid that node

Silence is only believed when somebody listened: without a report (the log was not readable, the operator has just
started) nothing happens, and a job that waits for a pod to start does not hang.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.status import Failure, JobStatus
from corral.reconcile.moments import seconds_of, stamp_of
from corral.reconcile.training.conditions import RUNNING, find
from corral.reconcile.training.failures import DUMP_STACKS
from corral.reconcile.training.labels import REPLICA_INDEX, REPLICA_TYPE
from corral.reconcile.training.world import World

DUMP_SECONDS = 10.0
"""How long pods have for writing down their stacks."""
MOST_NODES = 4
"""How many nodes of one hang are remembered; a larger gang tells nothing about any single one of them."""
HANGS_TO_AVOID = 2

HOSTNAME = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class HangStep:
    """The next step; `pods` are those to annotate (dump) or to delete (kill)."""

    kind: Literal["none", "wait", "dump", "kill"] = "none"
    pods: tuple[PodView, ...] = ()
    wait: float | None = None
    """Seconds until the next look, None when there is nothing to wait for."""
    failures: tuple[Failure, ...] = ()
    """For a kill: one for each node of the attempt. Together they are one hang and count once."""
    annotations: tuple[tuple[str, str], ...] = ()
    """For a dump: what to put on the pods."""
    message: str = ""


NO_HANG = HangStep()


def hang_step(world: World, job: TrainingJob, status: JobStatus, now: float) -> HangStep:
    """Returns what the silence of a job calls for."""
    policy = job.run_policy.progress.hang if job.run_policy.progress else None
    quiet_from = _quiet_from(world, status)
    if policy is None or quiet_from is None:
        return NO_HANG
    pods = tuple(pod for pod in world.pods if not pod.is_finished and not pod.is_terminating)
    if not pods or any(pod.phase != "Running" for pod in pods):
        return NO_HANG
    left = quiet_from + policy.after_seconds - now
    if left > 0:
        return HangStep("wait", wait=left)
    asked = [seconds_of(pod.metadata.annotations.get(DUMP_STACKS)) for pod in pods]
    since = [one for one in asked if one is not None and one >= quiet_from]
    if len(since) < len(pods):
        return _dump(job, pods, now - quiet_from, now)
    left = max(since) + DUMP_SECONDS - now
    return HangStep("wait", wait=left) if left > 0 else _kill(job, status, pods, now - quiet_from, now)


def avoided_nodes(status: JobStatus) -> list[str]:
    """Returns the nodes on which the job hung more than once, sorted.

    When several nodes were part of every hang none of them stands out, the program is the likelier cause, and avoiding
    all of them could leave the job without any node: then none is avoided.
    """
    hangs: dict[str, set[tuple[int, str]]] = {}
    for failure in status.failures:
        if failure.class_ == "hang" and failure.node:
            hangs.setdefault(failure.node, set()).add((failure.attempt, failure.time))
    often = sorted(node for node, times in hangs.items() if len(times) >= HANGS_TO_AVOID)
    return often if len(often) == 1 or len(often) < len(hangs) else []


def with_nodes_avoided(pod: Object, nodes: Sequence[str]) -> Object:
    """Returns a pod that is not placed on these nodes, in addition to what its own affinity asks for."""
    if not nodes:
        return pod
    spec = pod["spec"]
    affinity = spec.get("affinity") or {}
    node_affinity = affinity.get("nodeAffinity") or {}
    required = node_affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    rule = {"key": HOSTNAME, "operator": "NotIn", "values": list(nodes)}
    # Terms are alternatives, so each of them must say it.
    terms = [_term_with(term, rule) for term in required.get("nodeSelectorTerms") or [{}]]
    required = {**required, "nodeSelectorTerms": terms}
    node_affinity = {**node_affinity, "requiredDuringSchedulingIgnoredDuringExecution": required}
    return {**pod, "spec": {**spec, "affinity": {**affinity, "nodeAffinity": node_affinity}}}


def _term_with(term: Any, rule: Object) -> Object:
    return {**term, "matchExpressions": [*(term.get("matchExpressions") or []), rule]}


def _quiet_from(world: World, status: JobStatus) -> float | None:
    """Returns since when the job makes no progress: its last step, or the last start of a container if that is later.

    Containers, because pods may have waited for a node or an image for a long time, and may be started again in place.
    """
    running = find(status.conditions, RUNNING)
    started = seconds_of(running.last_transition_time) if running and running.status == "True" else None
    if started is None or world.report is None:
        return None
    return max(started, world.report.since, *(_began(pod) for pod in world.pods))


def _began(pod: PodView) -> float:
    states = [one.state.running for one in pod.status.container_statuses]
    moments = [pod.metadata.creation_timestamp, *(one.started_at for one in states if one is not None)]
    return max(seconds_of(moment) or 0.0 for moment in moments)


def _dump(job: TrainingJob, pods: tuple[PodView, ...], silence: float, now: float) -> HangStep:
    message = f"{job.kind} {job.name} reported no further step for {silence:.0f} s; asking its pods for their stacks."
    return HangStep("dump", pods, DUMP_SECONDS, annotations=((DUMP_STACKS, stamp_of(now)),), message=message)


def _kill(job: TrainingJob, status: JobStatus, pods: tuple[PodView, ...], silence: float, now: float) -> HangStep:
    message = f"{job.kind} {job.name} hangs: no further step for {silence:.0f} s; starting all its pods again."
    told = f"no further step for {silence:.0f} s"
    failures = [_failure(job, pod, status.attempt, told, now) for pod in _one_per_node(pods)]
    if len(failures) > MOST_NODES:
        failures = [replace(failures[0], node="")]
    return HangStep("kill", pods, failures=tuple(failures), message=message)


def _one_per_node(pods: Iterable[PodView]) -> list[PodView]:
    first: dict[str, PodView] = {}
    for pod in pods:
        first.setdefault(pod.node, pod)
    return list(first.values())


def _failure(job: TrainingJob, pod: PodView, attempt: int, told: str, now: float) -> Failure:
    labels = pod.metadata.labels
    index = labels.get(REPLICA_INDEX, "")
    return Failure(
        class_="hang",
        time=stamp_of(now),
        role=job.facts.canonical_role(labels.get(REPLICA_TYPE, "")),
        index=int(index) if index.isdecimal() else 0,
        pod=pod.name,
        pod_uid=pod.uid,
        node=pod.node,
        reason="NoProgress",
        message=told,
        attempt=attempt,
    )

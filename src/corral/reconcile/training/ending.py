"""After the end: clearing away what the policy says, and the job itself when its time has come."""

from collections.abc import Sequence

from corral.kinds.pod_view import PodView
from corral.reconcile.moments import seconds_of
from corral.reconcile.plan import Action, Delete, LookAgainAfter, Plan, Told
from corral.reconcile.training.autoscaling import autoscaler_removal
from corral.reconcile.training.conditions import TERMINAL
from corral.reconcile.training.gangs import removal as group_removal
from corral.reconcile.training.mishaps import next_loss
from corral.reconcile.training.removal import pod_removals, service_removals
from corral.reconcile.training.sight import Sight

_TELLS_OF_JOB = ("TFJob", "XGBoostJob", "MPIJob", "MXJob")
"""Kinds whose deletion after their time is told as that of a job; the others tell it as that of a pod."""


def cleared(sight: Sight) -> Plan:
    """Returns what is still to be done for a job that has ended."""
    pods, policy = _unwanted(sight), clean_policy(sight)
    staying = {pod.name for pod in sight.world.pods} - {pod.name for pod in pods}
    services = [one for one in sight.world.services if policy != "None" and one.metadata.name not in staying]
    rest: list[Action] = [
        *service_removals(sight, services),
        *group_removal(sight.world, sight.job),
        *autoscaler_removal(sight.world),
    ]
    # A pod that has ended by itself meanwhile stays, and keeps its service.
    plan = Plan.of(*pod_removals(sight, pods, as_seen=policy == "Running"))
    wait = next_loss(sight, pods)
    return plan.then(*rest).then(*_farewell(sight), *([] if wait is None else [LookAgainAfter(wait)]))


def clean_policy(sight: Sight) -> str:
    """Returns the clean-up policy; a job that was stopped at its target does not go on training behind its back."""
    policy = sight.job.run_policy.clean_pod_policy
    was_stopped = sight.status.progress is not None and sight.status.progress.target_reached
    return "Running" if policy == "None" and was_stopped else policy


def _unwanted(sight: Sight) -> Sequence[PodView]:
    match clean_policy(sight):
        case "None":
            return ()
        case "Running":
            return [pod for pod in sight.world.pods if pod.phase in ("Running", "Pending")]
        case _:
            return sight.world.pods


def _farewell(sight: Sight) -> list[Action]:
    """Returns the deletion of the job itself, or the time to look at it again; a suspended job stays."""
    ttl, ended = sight.job.run_policy.ttl_seconds_after_finished, _ended(sight)
    if ttl is None or ended is None or sight.job.run_policy.suspend:
        return []
    left = ended + ttl - sight.now
    if left > 0:
        return [LookAgainAfter(left)]
    noun = "Job" if sight.job.kind in _TELLS_OF_JOB else "Pod"
    done = sight.event(f"SuccessfulDelete{noun}", f"Deleted job: {sight.job.name}")
    failed = sight.event(f"FailedDelete{noun}", "Error deleting: ", warns=True)
    version = sight.job.object["metadata"].get("resourceVersion", "")  # its user may just have decided to keep it
    return [
        Delete(
            sight.job.facts.resource,
            sight.job.key,
            sight.job.uid,
            propagation="Background",
            version=version,
            told=Told(done, failed),
        )
    ]


def _ended(sight: Sight) -> float | None:
    """Returns when the job ended; where other operators have written no time, when the end was told."""
    told = (
        one.last_transition_time for one in sight.status.conditions if one.type in TERMINAL and one.status == "True"
    )
    return seconds_of(sight.status.completion_time or next(told, None))

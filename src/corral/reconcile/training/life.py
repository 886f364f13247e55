"""The life of a training job, the same for every framework: what it needs next, from what is there now. Pure.

    1. a finished job: clear away what its policy says, and the job itself when its time has come
    2. a suspended job: take everything from it
    3. write down what went wrong with pods, and end the job if it went over a limit or reached its target
    4. tell what the pods mean for the job: running, restarting, succeeded, failed
    5. make what is missing, remove what is too much, replace what failed

Status is written before anything is deleted for a reason that it tells: a crash in between loses nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from corral.kinds.pod_view import PodView
from corral.kinds.references import ObjectKey
from corral.kinds.training.job import TrainingJob
from corral.kinds.training.status import JobStatus
from corral.kinds.well_known import POD
from corral.reconcile.frameworks.catalogue import framework_of
from corral.reconcile.frameworks.framework import Tally
from corral.reconcile.moments import stamp_of
from corral.reconcile.plan import Action, LookAgainAfter, Patch, Plan
from corral.reconcile.training import ending, suspension
from corral.reconcile.training.autoscaling import autoscaler_actions
from corral.reconcile.training.companions import companion_actions, in_order
from corral.reconcile.training.conditions import SUCCEEDED, holds, is_finished
from corral.reconcile.training.creation import missing_children
from corral.reconcile.training.failures import counts
from corral.reconcile.training.following import followed, target_message
from corral.reconcile.training.gangs import group_actions, holds_pods_back, said_anew
from corral.reconcile.training.hangs import NO_HANG, HangStep, hang_step
from corral.reconcile.training.limits import backoff_exceeded, deadline_passed, seconds_to_deadline
from corral.reconcile.training.mishaps import (
    Mishap,
    hung,
    mishaps,
    next_loss,
    recorded,
)
from corral.reconcile.training.outcome import Outcome, begun_anew, failed, outcome_of, succeeded
from corral.reconcile.training.removal import pod_removals, service_removals
from corral.reconcile.training.reporting import accepted, written
from corral.reconcile.training.sight import Roster, Sight, roster_of
from corral.reconcile.training.tally import replica_statuses, tallied
from corral.reconcile.training.told_before import status_of
from corral.reconcile.training.troubles import evidence, troubles
from corral.reconcile.training.world import World


def decide_life(world: World, job: TrainingJob, now: float) -> Plan:
    """Returns the plan for a valid job that this operator looks after."""
    sight = Sight(world, job, framework_of(job.facts), status_of(world.job), now)
    if is_finished(sight.status.conditions):
        return ending.cleared(sight)
    status = accepted(job, sight.status, now)
    if job.run_policy.suspend or suspension.is_not_over(sight):
        return Plan.of(*written(sight, suspension.suspended(sight, status)), *suspension.emptied(sight))
    return _active(sight, suspension.resumed(sight, status))


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at the pods of an active job has shown."""

    roster: Roster
    found: Sequence[Mishap]
    hang: HangStep
    outcome: Outcome
    progress_wait: float | None

    @property
    def begins_anew(self) -> bool:
        """Whether all pods go, because a new attempt of the whole was decided on."""
        return self.hang.kind == "kill" or any(one.ends_attempt for one in self.found)


def _active(sight: Sight, begun: Outcome) -> Plan:
    waits = holds_pods_back(sight.world)
    if not waits and begun.status.start_time is None:
        begun = Outcome(replace(begun.status, start_time=stamp_of(sight.now)), begun.events)
    look = _looked(sight, begun)
    report = written(sight, look.outcome)
    if is_finished(look.outcome.status.conditions):
        return Plan.of(*report)
    removals = _removals(sight, look)
    changes = [*autoscaler_actions(sight.world, sight.job), *troubles(sight, look.roster), *_dump_requests(sight, look)]
    if not waits and not look.begins_anew:
        anew = said_anew(sight.world, sight.job, look.roster.members.values())
        changes = [*missing_children(sight, look.roster, look.outcome.status), *changes, *anew]
    surroundings = _surroundings(sight)
    if surroundings or removals:
        # What a name held by somebody else keeps from being made must not keep the job from saying so.
        stages = in_order([*report, *surroundings])
        plan = Plan(tuple(stages)).then(*removals, *changes)
    else:
        # Sent in this order: pods that came of a status which was never written would be taken for strangers.
        plan = Plan.of(*report, *changes)
    return plan.then(*_next_look(sight, look))


def _looked(sight: Sight, begun: Outcome) -> _Look:
    """Returns what the pods mean: failures are written down first, then limits and the target are looked at.

    A job that has done its work is past all limits: the operator may only have been late to see it.
    """
    roster = roster_of(sight.framework, sight.job, tuple(sight.world.pods), begun.status.attempt)
    tally = tallied(sight, roster)
    is_done = sight.framework.has_succeeded(sight.job, tally)
    found = mishaps(sight, roster)
    status = recorded(sight.job, begun.status, roster, found)
    is_calm = not (is_done or roster.outdated or any(one.remedy != "leave" for one in found))
    hang = hang_step(sight.world, sight.job, status, sight.now) if is_calm else NO_HANG
    if hang.kind == "kill":
        status = hung(status, hang)
    progress = followed(sight, status, is_last=is_done)
    if not is_done and (limit := _limit(sight, progress.status, roster, found, hang)):
        outcome = failed(sight, progress.status, limit)
    elif progress.is_at_target:
        outcome = succeeded(sight, progress.status, target_message(sight, progress.status))
    elif hang.kind == "kill":
        outcome = begun_anew(sight, progress.status, hang.message)
    else:
        outcome = outcome_of(sight, progress.status, tally, found)
    return _Look(roster, found, hang, _told(sight, begun, outcome, tally, found, hang), progress.wait)


def _limit(sight: Sight, status: JobStatus, roster: Roster, found: Sequence[Mishap], hang: HangStep) -> str:
    """Returns the message of the limit that the job went over, or nothing."""
    has_failed_again = hang.kind == "kill" or any(one.remedy == "replace" and counts(one.failure) for one in found)
    begins_anew = hang.kind == "kill" or any(one.ends_attempt for one in found)
    return backoff_exceeded(
        sight.job, status, roster, has_failed_again=has_failed_again, begins_anew=begins_anew
    ) or deadline_passed(sight.job, status, sight.now)


def _told(
    sight: Sight, begun: Outcome, outcome: Outcome, tally: Tally, found: Sequence[Mishap], hang: HangStep
) -> Outcome:
    """Returns the outcome with its counts, its attempt and everything there is to say."""
    status = outcome.status
    counts = replica_statuses(sight.job, tally, succeeded=holds(status.conditions, SUCCEEDED))
    status = replace(status, replica_statuses=sight.framework.reported(sight.job, status.conditions, counts))
    begins_anew = hang.kind == "kill" or any(one.ends_attempt for one in found)
    if begins_anew and not is_finished(status.conditions):
        status = replace(status, attempt=status.attempt + 1)
    return Outcome(status, [*begun.events, *evidence(sight, found), *outcome.events])


def _surroundings(sight: Sight) -> list[Action]:
    """Returns what must be there before the pods: what the framework needs besides, and the gang."""
    wanted = sight.framework.companions(sight.job, sight.world.pods)
    kind, obj = sight.job.facts.resource, sight.job.object
    return [*companion_actions(kind, obj, wanted, sight.world.companions), *group_actions(sight.world, sight.job)]


def _removals(sight: Sight, look: _Look) -> list[Action]:
    """Returns the deletion of what failed, what is too much, and what belongs to an attempt that is over."""
    pods = [*look.roster.outdated, *look.roster.strays]
    if look.begins_anew:
        pods += look.roster.members.values()
    else:
        given_up = {one.pod.uid for one in look.found if one.remedy == "replace"}
        pods += (pod for pod in look.roster.members.values() if pod.uid in given_up or _is_stuck(sight, pod))
    kept = {sight.job.child_name(place.role, place.index) for place in sight.job.places()}
    services = [one for one in sight.world.services if one.metadata.name not in kept]
    return [
        *pod_removals(sight, pods),
        *service_removals(sight, services),
    ]


def _is_stuck(sight: Sight, pod: PodView) -> bool:
    """Whether a pod was asked to go, and the node that should say that it is gone is lost."""
    return pod.is_terminating and sight.has_lost(pod)


def _dump_requests(sight: Sight, look: _Look) -> list[Action]:
    """Returns the marks by which the pods of a silent job are asked for their stacks."""
    if look.hang.kind != "dump":
        return []
    body = {"metadata": {"annotations": dict(look.hang.annotations)}}
    return [Patch(POD, ObjectKey(sight.job.namespace, pod.name), body) for pod in look.hang.pods]


def _next_look(sight: Sight, look: _Look) -> list[LookAgainAfter]:
    """Returns when time alone changes something: a deadline, a node given up, a hang, a report to write."""
    waits = (
        seconds_to_deadline(sight.job, look.outcome.status, sight.now),
        next_loss(sight, sight.world.pods),
        look.hang.wait,
        look.progress_wait,
    )
    soonest = min((wait for wait in waits if wait is not None), default=None)
    return [] if soonest is None else [LookAgainAfter(max(soonest, 0.05))]

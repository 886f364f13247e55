"""What an MPIJob of the second dialect needs next. Pure; the steps are those of the shared reconciler.

Workers are plain pods of the job; the launcher is a Job of the cluster, which restarts it and counts its failures. Keys
come before pods, since a pod with a missing Secret waits for the kubelet's next try.
"""

from dataclasses import replace

from corral.kinds.objects import is_deleting
from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.validation import writing_errors_of
from corral.kinds.training.validation.field_error import summary
from corral.kinds.training.validation.mpi_v2_rules import mpi_v2_errors
from corral.kinds.well_known import POD
from corral.reconcile.frameworks.mpi import LAUNCHER, WORKER
from corral.reconcile.plan import Action, Create, LookAgainAfter, Plan, Told
from corral.reconcile.training.companions import name_taken
from corral.reconcile.training.conditions import is_finished
from corral.reconcile.training.ending import clean_policy, cleared
from corral.reconcile.training.following import followed
from corral.reconcile.training.gangs import group_actions
from corral.reconcile.training.gangs import removal as group_removal
from corral.reconcile.training.limits import seconds_to_deadline
from corral.reconcile.training.mishaps import next_loss
from corral.reconcile.training.mpi_v2.dialect import MPI_V2, as_gang, worker_name
from corral.reconcile.training.mpi_v2.launcher import launcher_actions, launcher_of, suspended, verdict_of
from corral.reconcile.training.mpi_v2.launches import is_missing, seconds_to_end
from corral.reconcile.training.mpi_v2.losses import lost_removals, workers_of
from corral.reconcile.training.mpi_v2.outcome import invalid_outcome, outcome_of
from corral.reconcile.training.mpi_v2.pods import worker_pod
from corral.reconcile.training.mpi_v2.surroundings import surroundings
from corral.reconcile.training.notices import restart_policy_notice
from corral.reconcile.training.outcome import Outcome
from corral.reconcile.training.removal import pod_removals
from corral.reconcile.training.reporting import written
from corral.reconcile.training.sight import Roster, Sight, roster_of
from corral.reconcile.training.told_before import status_of
from corral.reconcile.training.troubles import troubles
from corral.reconcile.training.world import World


def decide(world: World, job: TrainingJob, now: float) -> Plan:
    """Returns what is to be done for one job that is ours to look after."""
    # Its one Service is among the companions and stays until the job goes.
    sight = Sight(replace(world, services=()), job, MPI_V2, status_of(world.job), now)
    if is_finished(sight.status.conditions):
        return _cleared(sight)
    errors = mpi_v2_errors(world.job)
    if sight.status.start_time is None:  # a job that runs is not held up by what it prints
        errors += writing_errors_of(world.job)
    if errors:
        return Plan.of(*written(sight, invalid_outcome(sight, f"Found validation errors: {summary(errors)}")))
    outcome = outcome_of(sight)
    if is_finished(outcome.status.conditions):
        return Plan.of(*written(sight, outcome))
    if job.run_policy.suspend:
        return _emptied(sight, outcome)
    return _live(sight, outcome)


def _live(sight: Sight, outcome: Outcome) -> Plan:
    """Makes what is missing: what pods lean on first, then all pods and the launcher at once.

    Nothing is made for a run whose launcher is gone: it is only waited for its end.
    """
    before = [*written(sight, outcome), *surroundings(sight), *group_actions(sight.world, as_gang(sight.job))]
    made = [] if is_missing(sight) else _missing_workers(sight)
    roster = roster_of(MPI_V2, sight.job, tuple(sight.world.pods), 0)
    said, removals = lost_removals(sight)
    pods = [*made, *_launching(sight), *pod_removals(sight, roster.strays), *said, *troubles(sight, _shown(sight))]
    return Plan.of(*before).then(*pods).then(*removals).then(*_alarms(sight, outcome))


def _launching(sight: Sight) -> list[Action]:
    return launcher_actions(sight, may_create=not is_missing(sight))


def _shown(sight: Sight) -> Roster:
    """Returns the pods whose troubles are told: the workers, and of the launchers the one that should run."""
    going = [pod for pod in sight.world.launcher_pods if not pod.is_finished]
    return Roster({**{Place(LAUNCHER, 0): pod for pod in going}, **workers_of(sight)}, (), ())


def _missing_workers(sight: Sight) -> list[Action]:
    job, settings = sight.job, sight.world.settings
    held = {pod.name for pod in sight.world.pods}
    missing = [index for index in range(job.count(WORKER)) if worker_name(job, index) not in held]
    actions: list[Action] = []
    for index in missing:
        pod = worker_pod(job, index, settings)
        done = sight.event("SuccessfulCreatePod", f"Created worker pod: {pod['metadata']['name']}")
        failed = sight.event("MPIJobFailed", "worker pod created failed: ", warns=True)
        taken = name_taken(job.facts.resource, job.object, pod)
        actions.append(Create(POD, pod, told=Told(done, failed, taken)))
    return [*actions, *restart_policy_notice(sight)] if missing else []


def _alarms(sight: Sight, outcome: Outcome) -> list[Action]:
    """Returns when to look again without being told to: a deadline nobody else counts, a node or a launcher given up."""
    waits = [
        next_loss(sight, (*sight.world.pods, *sight.world.launcher_pods)),
        followed(sight, outcome.status).wait,
        seconds_to_end(sight, outcome.status.launcher),
    ]
    if launcher_of(sight) is None and not sight.job.run_policy.suspend:
        waits.append(seconds_to_deadline(sight.job, outcome.status, sight.now))
    due = [wait for wait in waits if wait is not None]
    return [LookAgainAfter(max(0.0, min(due)))] if due else []


def _emptied(sight: Sight, outcome: Outcome) -> Plan:
    """Takes the pods from a suspended job; what they lean on stays, and the launcher waits with it."""
    before = [*written(sight, outcome), *surroundings(sight)]
    said, removals = lost_removals(sight)
    removed = [*pod_removals(sight, sight.world.pods), *group_removal(sight.world, sight.job)]
    lost = [one for one in removals if one not in removed]
    return Plan.of(*before).then(*_launching(sight), *removed, *said).then(*lost).then(*_alarms(sight, outcome))


def _cleared(sight: Sight) -> Plan:
    """Clears away what the policy says; a launcher that still runs without its workers is stopped with them."""
    policy, launcher = clean_policy(sight), launcher_of(sight)
    actions: list[Action] = []
    if policy != "None" and launcher is not None and verdict_of(launcher) is None and not is_deleting(launcher):
        if not launcher["spec"].get("suspend"):
            actions.append(suspended(launcher))
    elif policy == "All":
        actions += pod_removals(sight, _finished(sight))
    return Plan((tuple(actions), *cleared(sight).stages)) if actions else cleared(sight)


def _finished(sight: Sight) -> list[PodView]:
    return [pod for pod in sight.world.launcher_pods if pod.is_finished]

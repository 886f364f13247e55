"""Making what is missing: a pod and a service for every place, all at once unless they are very many."""

from corral.kinds.training.job import Place
from corral.kinds.training.status import JobStatus
from corral.kinds.well_known import POD, SERVICE
from corral.reconcile.plan import Action, Create, LookAgainAfter, Told
from corral.reconcile.training.companions import name_taken
from corral.reconcile.training.notices import restart_policy_notice, scheduler_notice
from corral.reconcile.training.pods import pod_of
from corral.reconcile.training.services import service_of
from corral.reconcile.training.sight import Roster, Sight

MOST_PODS_AT_ONCE = 500
"""So many pods are made in one go: each of TensorFlow's knows all the others, and the whole must fit into memory."""


def missing_children(sight: Sight, roster: Roster, status: JobStatus) -> list[Action]:
    """Returns the creation of everything that the job asks for and does not have."""
    if roster.outdated:
        return []  # the attempts must not meet
    return [*_missing_pods(sight, roster, status), *_missing_services(sight)]


def _missing_pods(sight: Sight, roster: Roster, status: JobStatus) -> list[Action]:
    missing = [place for place in sight.job.places() if place not in roster.members]
    actions: list[Action] = [_create_pod(sight, place, status) for place in missing[:MOST_PODS_AT_ONCE]]
    rest = [LookAgainAfter(0.0)] if len(missing) > MOST_PODS_AT_ONCE else []
    return [*actions, *restart_policy_notice(sight), *scheduler_notice(sight), *rest] if missing else []


def _create_pod(sight: Sight, place: Place, status: JobStatus) -> Create:
    pod = pod_of(sight.framework, sight.job, place, status, sight.world.settings)
    done = sight.event(*sight.framework.tells_of_pod(place, pod["metadata"]["name"]))
    failed = sight.event("FailedCreatePod", "Error creating: ", warns=True)
    taken = name_taken(sight.job.facts.resource, sight.job.object, pod)
    return Create(POD, pod, told=Told(done, failed, taken))


def _missing_services(sight: Sight) -> list[Action]:
    if not sight.job.facts.has_services:
        return []
    held = {one.metadata.name for one in sight.world.services}
    failed = sight.event("FailedCreateService", "Error creating: ", warns=True)
    actions: list[Action] = []
    for place in sight.job.places():
        name = sight.job.child_name(place.role, place.index)
        if name not in held:
            done = sight.event("SuccessfulCreateService", f"Created service: {name}")
            actions.append(Create(SERVICE, service_of(sight.job, place), told=Told(done, failed)))
    return actions

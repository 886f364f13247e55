"""One look at one job: what is there, what was said about it before, and what time it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from corral.kinds.pod_view import PodView
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import JobStatus
from corral.reconcile.frameworks.framework import Framework
from corral.reconcile.plan import EmitEvent
from corral.reconcile.training.labels import ATTEMPT, OPERATOR_NAME, has_attempts
from corral.reconcile.training.world import World


@dataclass(frozen=True, slots=True)
class Sight:
    """What every step of a decision is given."""

    world: World
    job: TrainingJob
    framework: Framework
    status: JobStatus
    """As it was last written."""
    now: float

    def event(self, reason: str, message: str, *, warns: bool = False) -> EmitEvent:
        """Returns an event about the job."""
        return EmitEvent(self.job.facts.resource, self.job.object, reason, message, "Warning" if warns else "Normal")

    def has_dismissed(self, pod: PodView) -> bool:
        """Whether the operator itself has sent a pod away that had not failed."""
        return pod.uid in self.status.counted and all(one.pod_uid != pod.uid for one in self.status.failures)

    def has_lost(self, pod: PodView) -> bool:
        """Whether the node of a pod has been gone or silent for longer than the grace."""
        left = self.seconds_to_loss(pod)
        return left is not None and left <= 0

    def seconds_to_loss(self, pod: PodView) -> float | None:
        """Returns in how many seconds a pod is given up, None when its node is well; a pod may ask for a longer grace."""
        since = self.world.lost_nodes.get(pod.node)
        return None if since is None else since + max(self.world.settings.node_grace, pod.patience) - self.now


@dataclass(frozen=True, slots=True)
class Roster:
    """The pods of a job, by what they are to it."""

    members: Mapping[Place, PodView]
    """The pods of places that the job asks for."""
    outdated: tuple[PodView, ...]
    """Pods of an earlier attempt, which must go before the next one begins."""
    strays: tuple[PodView, ...]
    """Pods beyond what the job asks for, after it was made smaller."""


def roster_of(framework: Framework, job: TrainingJob, pods: tuple[PodView, ...], attempt: int) -> Roster:
    """Returns which pod is which; names are fixed, so there is at most one for each place."""
    places = {framework.pod_name(job, place): place for place in job.places()}
    members: dict[Place, PodView] = {}
    outdated, strays = [], []
    for pod in pods:
        place = places.get(pod.name)
        if has_attempts(job) and attempt_of(pod) < attempt:
            outdated.append(pod)
        elif place is not None:
            members[place] = pod
        elif pod.metadata.labels.get(OPERATOR_NAME) == job.facts.controller_name:
            strays.append(pod)
    return Roster(dict(sorted(members.items(), key=lambda one: one[0])), tuple(outdated), tuple(strays))


def attempt_of(pod: PodView) -> int:
    """Returns the attempt that a pod belongs to; a pod that does not say is of the first."""
    told = pod.metadata.annotations.get(ATTEMPT, "")
    return int(told) if told.isdecimal() else 0

"""The contract of a framework: everything that the shared reconciler asks of TensorFlow, PyTorch and the others.

A framework is one value of `Framework` in a file of its own. The shared reconciler does the rest: names, labels, owners,
services, restarts, limits, clean-up, suspension, gangs and status.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from corral.kinds.objects import Object
from corral.kinds.pod_view import PodView
from corral.kinds.training.facts import KindFacts
from corral.kinds.training.job import Place, TrainingJob
from corral.kinds.training.status import Condition, ReplicaStatus
from corral.reconcile.frameworks.addressing import Addressing

Variable = Object
"""An entry of a container's `env`."""


def variable(name: str, value: object) -> Variable:
    """Returns a variable with a plain value."""
    return {"name": name, "value": str(value)}


class RoleTally(NamedTuple):
    """How the pods of one role are."""

    expected: int
    active: int = 0
    """Running, and nobody asked for their deletion."""
    succeeded: int = 0
    failed: int = 0
    """Failed, or deleted while running."""
    first: PodView | None = None
    """The pod of index 0, for rules in which it decides."""


Tally = Mapping[str, RoleTally]
"""By role, only those that the job has."""

ReplicaStatuses = dict[str, ReplicaStatus]

Rule = Callable[[TrainingJob, Tally], bool]


class Setting(NamedTuple):
    """Choices of the operator that reach into pods."""

    init_image: str = ""
    """The image of PyTorch's waiting init container; without one, that of the training container is used."""
    init_tries: int = 100
    kubectl_delivery_image: str = "mpioperator/kubectl-delivery:latest"


Dress = Callable[[TrainingJob, Place, Object, Setting], None]
"""Changes a pod that is being made, after labels, environment and restart policy."""


def _undressed(job: TrainingJob, place: Place, pod: Object, setting: Setting) -> None:
    """Leaves the pod as it is."""


def _indexed(job: TrainingJob, place: Place) -> str:
    """Names a pod by role and index."""
    return job.child_name(place.role, place.index)


def _told_of_pod(place: Place, name: str) -> tuple[str, str]:
    """Tells that a pod was made."""
    return "SuccessfulCreatePod", f"Created pod: {name}"


def _reported(job: TrainingJob, conditions: Sequence[Condition], counts: ReplicaStatuses) -> ReplicaStatuses:
    """Tells the counts as they are."""
    return counts


def _no_companions(job: TrainingJob, pods: Sequence[PodView]) -> Sequence[Object]:
    """Needs no further objects."""
    return ()


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: which pods it has, what they are told, and when the whole is running or done."""

    facts: KindFacts
    environment: Callable[[TrainingJob, Place, Addressing], Sequence[Variable]]
    """Returns the variables of one pod, in order; appended to the user's, so they win."""
    is_master: Callable[[TrainingJob, Place], bool]
    """Whether a pod carries the master role label, by which clients find the log that matters."""
    is_running: Rule
    has_succeeded: Rule
    speaks_in_full: Callable[[TrainingJob], bool]
    """Whether messages about running and success name the namespace too."""
    reaches: Literal["every", "named", "first"] = "every"
    """Which containers get the environment: every one, the one with the kind's name, or the first."""
    fails_in_full: bool = False
    """Whether the message about failure names the namespace too."""
    was_always_running: bool = False
    """Whether a finished job shows a Running entry even if nobody saw it run."""
    forgives: Callable[[TrainingJob, str], bool] = lambda job, role: False
    """Whether failures of a role never fail the job."""
    counts_terminating: bool = True
    """Whether a running pod that is being deleted counts as failed."""
    dress: Dress = _undressed
    pod_name: Callable[[TrainingJob, Place], str] = _indexed
    tells_of_pod: Callable[[Place, str], tuple[str, str]] = _told_of_pod
    """Returns reason and message of the event about a pod that was made."""
    notices_begin: str = "Set"
    """How the reasons of events begin that tell what the operator has set in a template."""
    indexes: Callable[[Place], bool] = lambda place: True
    """Whether a pod carries its index as a label."""
    reported: Callable[[TrainingJob, Sequence[Condition], ReplicaStatuses], ReplicaStatuses] = _reported
    """Returns the counts of a job as its status tells them."""
    companions: Callable[[TrainingJob, Sequence[PodView]], Sequence[Object]] = _no_companions
    """Returns further objects that the job needs before its pods: whole, with kind and metadata, without owner."""

    def reached(self, containers: Sequence[Object]) -> Sequence[Object]:
        """Returns those of a pod's containers that get the environment."""
        match self.reaches:
            case "named":
                return [one for one in containers if one.get("name") == self.facts.container]
            case "first":
                return containers[:1]
        return containers

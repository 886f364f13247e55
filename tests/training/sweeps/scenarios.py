"""The scenarios that every sweep plays, as data: a job, how its pods end, and what its user does meanwhile.

A pod ends only when the whole job runs and its status says so. So each scenario has one end, whatever the order of things
on the way there, and a run with faults can be compared with one without.
"""

from dataclasses import dataclass, field
from typing import Literal

from corral.kinds.objects import Object
from tests.training.manifests import manifest, role

Moment = Literal["suspended", "running"]
"""When a user acts: the job waits and everything was taken from it, or all that it asks for runs and is told."""


@dataclass(frozen=True)
class Act:
    """What the user merges into the spec of the job, and when."""

    when: Moment
    spec: Object


@dataclass(frozen=True)
class Scenario:
    """One job from its submission to its end."""

    name: str
    job: Object
    endings: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Exit codes of the pods of a place, first to last made; those of one line end before those of the next begin to."""
    acts: tuple[Act, ...] = ()
    left: tuple[str, ...] = ()
    """The pods that are there at the end, each with its service."""
    ends: Literal["Succeeded", "Failed", "gone"] = "Succeeded"
    deleted: frozenset[str] = field(default_factory=frozenset)
    """The pods that may be deleted, as `worker-1#1`: the place, and which pod of this place."""

    @property
    def kind(self) -> str:
        """Returns the kind of the job."""
        return str(self.job["kind"])


def _tf_roles() -> Object:
    return {name: role("TFJob", count, "ExitCode") for name, count in (("Chief", 1), ("PS", 1), ("Worker", 2))}


def _made(*places: str) -> frozenset[str]:
    return frozenset(places)


SUBMIT = Scenario(
    "submit",
    manifest("PyTorchJob", "submit", {"Master": 1, "Worker": 2}, run_policy={"cleanPodPolicy": "All"}),
    endings=(("worker-0", (0,)), ("worker-1", (0,)), ("master-0", (0,))),
    deleted=_made("master-0#1", "worker-0#1", "worker-1#1"),
)

RESTART = Scenario(
    "restart",
    manifest("TFJob", "restart", _tf_roles(), run_policy={"cleanPodPolicy": "Running", "backoffLimit": 3}),
    endings=(("worker-1", (137, 0)), ("worker-0", (0,)), ("chief-0", (0,))),
    left=("chief-0", "worker-0", "worker-1"),
    deleted=_made("worker-1#1", "ps-0#1"),
)

GANG = Scenario(
    "gang",
    manifest(
        "TFJob",
        "gang",
        _tf_roles(),
        run_policy={"cleanPodPolicy": "Running", "backoffLimit": 3},
        metadata={"annotations": {"corral.dev/restart-scope": "gang"}},
    ),
    endings=(("worker-1", (137, 0)), ("worker-0", (0,)), ("chief-0", (0,))),
    left=("chief-0", "worker-0", "worker-1"),
    deleted=_made("chief-0#1", "ps-0#1", "worker-0#1", "worker-1#1", "ps-0#2"),
)

EXHAUSTED = Scenario(
    "exhausted",
    manifest("TFJob", "exhausted", _tf_roles(), run_policy={"cleanPodPolicy": "None", "backoffLimit": 2}),
    endings=(("worker-1", (137,)),),
    left=("chief-0", "ps-0", "worker-0", "worker-1"),
    ends="Failed",
    deleted=_made("worker-1#1", "worker-1#2"),
)

LIFE = Scenario(
    "life",
    manifest("JAXJob", "life", {"Worker": 2}, run_policy={"cleanPodPolicy": "None", "suspend": True}),
    endings=(("worker-0", (0,)), ("worker-1", (0,))),
    acts=(
        Act("suspended", {"runPolicy": {"suspend": False}}),
        Act("running", {"jaxReplicaSpecs": {"Worker": {"replicas": 3}}}),
        Act("running", {"jaxReplicaSpecs": {"Worker": {"replicas": 2}}}),
        Act("running", {"runPolicy": {"suspend": True}}),
        Act("suspended", {"runPolicy": {"suspend": False}}),
    ),
    left=("worker-0", "worker-1"),
    deleted=_made("worker-2#1", "worker-0#1", "worker-1#1"),
)

FAREWELL = Scenario(
    "farewell",
    manifest(
        "JAXJob",
        "farewell",
        {"Worker": 2},
        run_policy={"cleanPodPolicy": "All", "activeDeadlineSeconds": 30, "ttlSecondsAfterFinished": 10},
    ),
    ends="gone",
    deleted=_made("worker-0#1", "worker-1#1"),
)

SCENARIOS = (SUBMIT, RESTART, GANG, EXHAUSTED, LIFE, FAREWELL)

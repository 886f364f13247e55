"""What distinguishes one type of job from another when it is submitted: its roles, and a few fields of its spec."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from corral.kinds.submission.submission import RoleWishes, Submission, Words
from corral.kinds.training.facts import KindFacts


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """One role of a job as a submission wants it."""

    name: str
    """As the kind writes it: Worker."""
    count: int
    wishes: RoleWishes = RoleWishes()
    gpus: int = 0
    takes_devices: bool = True
    """Whether it gets the other devices that are asked for."""
    trains: bool = True
    """Whether it works on data: it gets claims, directories and the labels of the gang. A launcher does not."""
    runs_command: bool = True
    """Whether the command is its own; workers of MPI are told theirs by the launcher."""
    ports: tuple[tuple[str, int], ...] = ()


def _nothing(_: Submission) -> dict[str, Any]:
    return {}


class JobType(msgspec.Struct, frozen=True, kw_only=True):
    """One word behind `submit`."""

    word: str
    facts: KindFacts
    roles: Callable[[Submission], list[Role]]
    """The roles of a submission, the one that leads first."""
    rank_zero: Callable[[Submission], str]
    """The role whose first pod writes what TensorBoard shows."""
    spec: Callable[[Submission], Mapping[str, Any]] = _nothing
    """Fields of the spec besides roles and run policy."""
    annotations: Callable[[Submission], Words] = _nothing
    """Annotations of the job."""
    env: Callable[[Submission], Words] = _nothing
    """Variables of every container."""
    pod_labels: Callable[[Submission], Words] = _nothing
    """Labels of the pods that train."""
    extra_volumes: Callable[[Submission], list[tuple[dict[str, Any], str]]] = lambda _: []
    """Volumes of every pod, each with the path at which the container has it."""
    host_network: Callable[[Submission], bool] = lambda submission: submission.host_network
    clean_policy: Literal["None", "Running", "All"] = "Running"
    share_memory: str = ""
    """What /dev/shm holds when nothing is said; nothing leaves it to the node."""
    fewest_workers: Callable[[Submission], int] = lambda _: 1
    backoff_limit: int | None = None
    """How many restarts when nothing is said."""


def resources_of(submission: Submission) -> RoleWishes:
    """Returns the wishes of a role that has no flags of its own: what is asked for is also the limit."""
    return RoleWishes(
        cpu=submission.cpu,
        cpu_limit=submission.cpu,
        memory=submission.memory,
        memory_limit=submission.memory,
    )

"""Pods as control loops see them: the few fields that decisions rest on, decoded straight from the wire.

Ten thousand whole pods are some hundred megabytes of small objects; ten thousand of these are a tenth of that.
"""

import math
from collections.abc import Iterator

import msgspec

from corral.kinds.objects import Metadata

UNREACHABLE = "node.kubernetes.io/unreachable"
"""The taint of a node that is not heard of."""
GIVEN_TO_EVERY_POD = 300.0
"""The seconds for which a cluster lets every pod bear that taint, unless the pod says something else."""


class Terminated(msgspec.Struct, rename="camel", kw_only=True):
    """How a container ended."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    finished_at: str | None = None


class Waiting(msgspec.Struct, kw_only=True):
    """Why a container does not run yet."""

    reason: str = ""
    message: str = ""


class Running(msgspec.Struct, rename="camel", kw_only=True):
    """Since when a container runs."""

    started_at: str | None = None


class ContainerState(msgspec.Struct, kw_only=True):
    """What a container does: at most one of them is there."""

    terminated: Terminated | None = None
    waiting: Waiting | None = None
    running: Running | None = None


class ContainerStatus(msgspec.Struct, rename="camel", kw_only=True):
    """One container of a pod."""

    name: str = ""
    restart_count: int = 0
    ready: bool = False
    state: ContainerState = msgspec.field(default_factory=ContainerState)
    last_state: ContainerState = msgspec.field(default_factory=ContainerState)


class PodCondition(msgspec.Struct, rename="camel", kw_only=True):
    """One condition of a pod."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class Toleration(msgspec.Struct, rename="camel", kw_only=True):
    """One taint that a pod bears, and for how long."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class PodSpec(msgspec.Struct, rename="camel", kw_only=True):
    """Where a pod is, and what it bears there."""

    node_name: str = ""
    tolerations: list[Toleration] = []


class PodStatus(msgspec.Struct, rename="camel", kw_only=True):
    """How a pod is."""

    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    conditions: list[PodCondition] = []
    container_statuses: list[ContainerStatus] = []
    init_container_statuses: list[ContainerStatus] = []


class PodView(msgspec.Struct, kw_only=True):
    """One pod; shared by all readers, so never changed."""

    metadata: Metadata
    spec: PodSpec = msgspec.field(default_factory=PodSpec)
    status: PodStatus = msgspec.field(default_factory=PodStatus)

    @property
    def name(self) -> str:
        """Returns the name."""
        return self.metadata.name

    @property
    def uid(self) -> str:
        """Returns the uid, which tells two pods of one name apart."""
        return self.metadata.uid

    @property
    def phase(self) -> str:
        """Returns Pending, Running, Succeeded, Failed or Unknown."""
        return self.status.phase

    @property
    def node(self) -> str:
        """Returns the node that the pod is bound to, or nothing."""
        return self.spec.node_name

    @property
    def is_terminating(self) -> bool:
        """Whether somebody asked for its deletion."""
        return self.metadata.deletion_timestamp is not None

    @property
    def is_let_go(self) -> bool:
        """Whether it was given no time any more: nothing but finalizers holds it, and deleting it again changes nothing."""
        return self.is_terminating and self.metadata.deletion_grace_period_seconds == 0

    @property
    def patience(self) -> float:
        """Returns for how many seconds it asks by name to be left on a node that cannot be reached.

        The time that a cluster gives to every pod says nothing about this one, and a toleration of everything is about
        other taints.
        """
        asked = [
            math.inf if one.toleration_seconds is None else float(one.toleration_seconds)
            for one in self.spec.tolerations
            if one.key == UNREACHABLE and one.effect in ("", "NoExecute")
        ]
        longest = max(asked, default=0.0)
        return longest if longest > GIVEN_TO_EVERY_POD else 0.0

    @property
    def is_finished(self) -> bool:
        """Whether its containers have ended for good."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def is_ready(self) -> bool:
        """Whether it has said that it can serve."""
        for one in self.status.conditions:
            if one.type == "Ready":
                return one.status == "True"
        return False

    def container(self, name: str) -> ContainerStatus | None:
        """Returns the status of a container by name."""
        return next((one for one in self.status.container_statuses if one.name == name), None)

    def exit_code(self, container: str) -> int | None:
        """Returns the code with which a container ended, None while it has not or when it never began."""
        found = self.container(container)
        return None if found is None or found.state.terminated is None else found.state.terminated.exit_code

    def restarts(self) -> int:
        """Returns how often its containers were started again in place."""
        return sum(one.restart_count for one in self.all_containers())

    def all_containers(self) -> Iterator[ContainerStatus]:
        """Yields the statuses of all containers, those of initialisation first."""
        yield from self.status.init_container_statuses
        yield from self.status.container_statuses

"""What the rules look at. Pure values."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from corral.control.desk.events import Told
from corral.control.desk.finding import Found
from corral.control.desk.job_lines import JobLine
from corral.control.desk.job_pods import JobPod
from corral.kinds.objects import Metadata


class Taint(msgspec.Struct, kw_only=True):
    """What keeps pods away from a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeCondition(msgspec.Struct, kw_only=True):
    """One condition of a node."""

    type: str = ""
    status: str = ""


class NodeSpec(msgspec.Struct, kw_only=True):
    """Who may come."""

    unschedulable: bool = False
    taints: list[Taint] = []


class NodeAddress(msgspec.Struct, kw_only=True):
    """Where a node is."""

    type: str = ""
    address: str = ""


class NodeStatus(msgspec.Struct, kw_only=True):
    """What there is."""

    capacity: dict[str, Any] = {}
    allocatable: dict[str, Any] = {}
    conditions: list[NodeCondition] = []
    addresses: list[NodeAddress] = []


class NodeView(msgspec.Struct, kw_only=True):
    """A node, as far as it matters for where a pod may be."""

    metadata: Metadata
    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)

    @property
    def name(self) -> str:
        """Returns the name."""
        return self.metadata.name

    @property
    def is_ready(self) -> bool:
        """Whether it says that it is well."""
        return any(one.type == "Ready" and one.status == "True" for one in self.status.conditions)


class LastWords(NamedTuple):
    """The last lines of a pod."""

    pod: str
    lines: Sequence[str]


class Situation(NamedTuple):
    """A job and what is around it; None is what could not be read."""

    job: Found
    line: JobLine
    pods: Sequence[JobPod]
    events: Sequence[Told]
    now: float
    nodes: Sequence[NodeView] | None = None
    others: Sequence[JobPod] | None = None
    """All pods of all namespaces that are bound to a node."""
    claims: Mapping[str, str] | None = None
    """The phase of each claim of the namespace, by name."""
    last_words: LastWords | None = None

    @property
    def name(self) -> str:
        """Returns the name of the job."""
        return self.job.key.name

    @property
    def unbound(self) -> list[JobPod]:
        """Returns the pods that have no node yet."""
        return [pod for pod in self.pods if not pod.node and not pod.is_finished and not pod.is_terminating]

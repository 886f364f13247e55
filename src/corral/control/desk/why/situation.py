"""What the rules look at. Pure values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corral.control.desk.cluster.nodes import NodeView
from corral.control.desk.jobs.events import Told
from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.control.desk.why.lacks import Lack, lack_told


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
    is_here: bool = False
    """Whether pods are processes of this machine."""

    @property
    def name(self) -> str:
        """Returns the name of the job."""
        return self.job.key.name

    @property
    def lack(self) -> Lack | None:
        """Returns what its program did not find, by its last words."""
        return lack_told(self.last_words.lines) if self.last_words is not None else None

    @property
    def unbound(self) -> list[JobPod]:
        """Returns the pods that have no node yet."""
        return [pod for pod in self.pods if not pod.node and not pod.is_finished and not pod.is_terminating]

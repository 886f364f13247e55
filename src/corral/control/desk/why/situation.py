"""What the rules look at. Pure values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corral.control.desk.jobs.events import Told
from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.control.desk.why.lacks import Lack, lack_told
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod


class LastWords(NamedTuple):
    """The last lines of a pod."""

    pod: str
    lines: Sequence[str]


class GroupRef(NamedTuple):
    """An object that says how many pods of a gang start together."""

    resource: ApiResource
    key: ObjectKey


class Group(NamedTuple):
    """What it says."""

    size: int
    queue: str = ""


class Situation(NamedTuple):
    """A job and what is around it; None is what could not be read."""

    job: Found
    line: JobLine
    pods: Sequence[JobPod]
    events: Sequence[Told]
    now: float
    nodes: Sequence[SchedulingNode] | None = None
    others: Sequence[SchedulingPod] = ()
    """The pods that are not over, those of the job among them: of all namespaces, or of its own."""
    sees_everybody: bool = False
    """Whether they are of all namespaces."""
    groups: Mapping[GroupRef, Group] = {}
    """What objects say about the gangs of the job: how many must start together."""
    claims: Mapping[str, str] | None = None
    """The phase of each claim of the namespace, by name."""
    last_words: LastWords | None = None
    is_here: bool = False
    """Whether pods are processes of this machine."""
    with_remedies: bool = True
    """Whether to look for what would let it start, which takes longer."""

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

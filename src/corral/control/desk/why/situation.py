"""What the rules look at. Pure values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corral.control.desk.jobs.events import Told
from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.jobs.pods import JobPod
from corral.control.desk.naming.finding import Found
from corral.control.desk.why.lacks import Lack, lack_told
from corral.control.scheduling.orders import names_of_one_machine
from corral.control.scheduling.scenes.snapshot import GroupSaid, QueueSaid
from corral.kinds.scheduling.names import OUR_NAMES
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.estimates.gang_runs import GangRun


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
    nodes: Sequence[SchedulingNode] | None = None
    others: Sequence[SchedulingPod] = ()
    """The pods that are not over, those of the job among them: of all namespaces, or of its own."""
    sees_everybody: bool = False
    """Whether they are of all namespaces."""
    groups: Sequence[GroupSaid] = ()
    """What objects say about gangs: how many must start together."""
    queues: Sequence[QueueSaid] = ()
    """What queues may have."""
    runs: Sequence[GangRun] = ()
    """How long gangs ran that have ended."""
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
    def schedulers(self) -> frozenset[str]:
        """Returns the names of those who bind for whom the pods of the job wait, or of the scheduler that serves all of them."""
        named = frozenset(pod.spec.scheduler_name for pod in self.unbound)
        if self.is_here and named <= names_of_one_machine():
            return names_of_one_machine()
        return OUR_NAMES if named <= OUR_NAMES else named

    @property
    def is_ours(self) -> bool:
        """Whether a scheduler of Corral looks after them."""
        return self.schedulers in (OUR_NAMES, names_of_one_machine())

    @property
    def unbound(self) -> list[JobPod]:
        """Returns the pods that have no node yet."""
        return [pod for pod in self.pods if not pod.node and not pod.is_finished and not pod.is_terminating]

"""What the scheduler reads of a cluster, as one frozen value: nodes, pods, groups, queues, and how long gangs ran that have ended."""

from typing import Any, Final

import msgspec

from corral.control.scheduling.dialects.gang_words import PLUGINS_PODGROUP, VOLCANO_PODGROUP
from corral.kinds.queues.queue import QUEUE
from corral.kinds.references import ApiResource
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from corral.placement.estimates.gang_runs import GangRun

VERSION: Final = 1
VOLCANO_QUEUES: Final = ApiResource("scheduling.volcano.sh", "v1beta1", "Queue", "queues", namespaced=False)
GROUP_KINDS: Final = {one.qualified: one for one in (VOLCANO_PODGROUP, PLUGINS_PODGROUP)}
QUEUE_KINDS: Final = {one.qualified: one for one in (QUEUE, VOLCANO_QUEUES)}


class GroupSaid(msgspec.Struct, frozen=True, kw_only=True):
    """What an object says about a gang."""

    kind: str
    """The qualified name of its resource."""
    namespace: str
    name: str
    size: int | None = 1
    queue: str = ""


class QueueSaid(msgspec.Struct, frozen=True, kw_only=True):
    """A queue as it was described."""

    kind: str
    name: str
    spec: dict[str, Any] = {}


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster at one moment, from the point of view of whoever binds the pods of some schedulers."""

    version: int = VERSION
    taken: float = 0.0
    """When, in seconds since 1970."""
    schedulers: tuple[str, ...] = ()
    """Names of schedulers whose pods are placed; all others hold what they hold."""
    nodes: tuple[SchedulingNode, ...] = ()
    pods: tuple[SchedulingPod, ...] = ()
    """Those that have not ended."""
    groups: tuple[GroupSaid, ...] = ()
    queues: tuple[QueueSaid, ...] = ()
    runs: tuple[GangRun, ...] = ()
    """Gangs that have ended, the oldest first."""

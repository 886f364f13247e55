"""Everything that a decision about one training job may look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corral.kinds.objects import MetadataOnly, Object
from corral.kinds.pod_view import PodView
from corral.reconcile.frameworks.addressing import Addressing, ClusterAddressing
from corral.reconcile.frameworks.framework import Setting

NODE_GRACE = 60.0
"""How long a node may be lost before its pods are given up, unless the operator is told otherwise.

The cluster itself has waited 40 s before it says so; and it is longer than the operator may go without hearing of nodes.
"""

GangDialect = Literal["", "volcano", "scheduler-plugins", "corral"]


@dataclass(frozen=True, slots=True)
class Gangs:
    """How gangs are announced to a scheduler; the empty dialect announces none."""

    dialect: GangDialect = ""
    scheduler_name: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the operator was started, as far as decisions depend on it."""

    addressing: Addressing = field(default_factory=ClusterAddressing)
    gangs: Gangs = field(default_factory=Gangs)
    setting: Setting = field(default_factory=Setting)
    priorities: Mapping[str, int] = field(default_factory=dict)
    """The value of each PriorityClass."""
    node_grace: float = NODE_GRACE


@dataclass(frozen=True, slots=True)
class Report:
    """What a job has said about its progress, as last read from its log or its pods."""

    step: int | None = None
    total: int | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    since: float = 0.0
    """When this step was first seen, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class World:
    """One job and everything of it, as last heard from the server."""

    job: Object
    pods: Sequence[PodView] = ()
    """The pods that this job manages, by its uid."""
    services: Sequence[MetadataOnly] = ()
    pod_group: Object | None = None
    autoscaler: Object | None = None
    companions: Sequence[Object] = ()
    """ConfigMaps, accounts, roles and the launcher Job of an MPIJob, as far as the job manages them."""
    launcher_pods: Sequence[PodView] = ()
    """The pods of the launcher Job of an MPIJob of the second dialect."""
    lost_nodes: Mapping[str, float] = field(default_factory=dict)
    """Nodes that are gone or silent, and since when, in seconds since 1970.

    Those whose grace is over were confirmed to be lost; before that, it may be a mistake.
    """
    report: Report | None = None
    settings: Settings = field(default_factory=Settings)

"""Everything that a decision about one training job may look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corral.kinds.objects import MetadataOnly, Object
from corral.kinds.pod_view import PodView
from corral.reconcile.frameworks.addressing import Addressing, ClusterAddressing
from corral.reconcile.frameworks.framework import Setting

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
    """Nodes that are gone or not ready, and since when (seconds since 1970)."""
    report: Report | None = None
    settings: Settings = field(default_factory=Settings)

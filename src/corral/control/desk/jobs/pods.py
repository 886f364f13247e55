"""The pods of jobs as tables, stories and reasons see them: what loops see, and beside it what a pod asks for and where it is.

Decoded straight from the wire; whatever else a pod carries is skipped, which is most of it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from corral.kinds.gpus import gpus_in
from corral.kinds.pod_view import PodSpec, PodStatus, PodView


class Resources(msgspec.Struct, kw_only=True):
    """What a container asks for, and what it may have."""

    requests: dict[str, Any] = {}
    limits: dict[str, Any] = {}

    @property
    def wanted(self) -> Mapping[str, Any]:
        """Returns what has to be free on a node: the requests, and a limit where there is no request."""
        return {**self.limits, **self.requests}


class JobContainer(msgspec.Struct, kw_only=True):
    """A container of a pod."""

    name: str = ""
    image: str = ""
    resources: Resources = msgspec.field(default_factory=Resources)


class ClaimSource(msgspec.Struct, rename="camel", kw_only=True):
    """The claim behind a volume."""

    claim_name: str = ""


class JobVolume(msgspec.Struct, rename="camel", kw_only=True):
    """A volume of a pod, as far as it may be waited for."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None


class JobPodSpec(PodSpec, kw_only=True, rename="camel"):
    """What a pod asks for."""

    containers: list[JobContainer] = msgspec.field(default_factory=list)
    init_containers: list[JobContainer] = msgspec.field(default_factory=list)
    volumes: list[JobVolume] = msgspec.field(default_factory=list)
    priority_class_name: str = ""
    scheduler_name: str = ""
    node_selector: dict[str, str] = msgspec.field(default_factory=dict)
    scheduling_gates: list[dict[str, str]] = msgspec.field(default_factory=list)


class JobPodStatus(PodStatus, kw_only=True, rename="camel"):
    """How a pod is, and where."""

    host_ip: str = msgspec.field(default="", name="hostIP")


class JobPod(PodView, kw_only=True):
    """One pod of a job."""

    spec: JobPodSpec = msgspec.field(default_factory=JobPodSpec)
    status: JobPodStatus = msgspec.field(default_factory=JobPodStatus)

    @property
    def gpus(self) -> int:
        """Returns how many GPUs it asks for."""
        count = 0
        for one in self.spec.containers:
            count += gpus_in(one.resources.limits) or gpus_in(one.resources.requests)
        return count

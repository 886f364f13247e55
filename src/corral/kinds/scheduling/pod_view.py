"""Pods and nodes as a scheduler reads them: the fields that decide where a pod goes, decoded straight from the wire.

What is not read is skipped while decoding, so ten thousand pods cost a tenth of what they do as whole objects.
"""

from typing import Any

import msgspec

from corral.kinds.objects import Metadata

Amounts = dict[str, Any]
"""Amounts of resources as they stand in JSON: text, or a number."""


class Resources(msgspec.Struct, kw_only=True):
    """What a container asks for."""

    requests: Amounts = {}
    limits: Amounts = {}
    claims: list[Any] = []


class Port(msgspec.Struct, rename="camel", kw_only=True):
    """A port of a container; the server writes no null here."""

    host_port: int = 0
    host_ip: str = msgspec.field(default="", name="hostIP")
    protocol: str = "TCP"


class Container(msgspec.Struct, rename="camel", kw_only=True):
    """What a container asks of its node."""

    name: str = ""
    resources: Resources = msgspec.field(default_factory=Resources)
    ports: list[Port] = []
    restart_policy: str = ""


class Requirement(msgspec.Struct, kw_only=True):
    """One condition of a selector."""

    key: str = ""
    operator: str = ""
    values: list[str] | None = None


class NodeTerm(msgspec.Struct, rename="camel", kw_only=True):
    """Conditions on a node that must all hold."""

    match_expressions: list[Requirement] | None = None
    match_fields: list[Requirement] | None = None


class NodeSelector(msgspec.Struct, rename="camel", kw_only=True):
    """Terms of which one must hold."""

    node_selector_terms: list[NodeTerm] | None = None


class NodeAffinity(msgspec.Struct, kw_only=True):
    """Which nodes a pod asks for."""

    required: NodeSelector | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")


class LabelSelector(msgspec.Struct, rename="camel", kw_only=True):
    """Which pods are meant."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[Requirement] | None = None


class PodTerm(msgspec.Struct, rename="camel", kw_only=True):
    """Pods to be with, or not to be with, in one domain."""

    label_selector: LabelSelector | None = None
    namespaces: list[str] | None = None
    namespace_selector: LabelSelector | None = None
    topology_key: str = ""
    match_label_keys: list[str] | None = None
    mismatch_label_keys: list[str] | None = None


class PodAffinity(msgspec.Struct, kw_only=True):
    """Which other pods a pod asks to be with, or not to be with."""

    required: list[PodTerm] | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")


class Affinity(msgspec.Struct, rename="camel", kw_only=True):
    """All affinities of a pod."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class SpreadConstraint(msgspec.Struct, rename="camel", kw_only=True):
    """How evenly pods are to be spread."""

    max_skew: int = 1
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    match_label_keys: list[str] | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None


class Toleration(msgspec.Struct, kw_only=True, frozen=True):
    """A taint that a pod bears."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


class ClaimSource(msgspec.Struct, rename="camel", kw_only=True):
    """A claim that a volume stands for."""

    claim_name: str = ""


class Volume(msgspec.Struct, rename="camel", kw_only=True):
    """A volume, as far as it says where a pod can run."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: Any = None


class SchedulingSpec(msgspec.Struct, rename="camel", kw_only=True):
    """What a pod asks for, and where it is."""

    node_name: str = ""
    scheduler_name: str = ""
    priority: int = 0
    preemption_policy: str = ""
    active_deadline_seconds: int | None = None
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: list[Toleration] = []
    topology_spread_constraints: list[SpreadConstraint] = []
    scheduling_gates: list[Any] = []
    containers: list[Container] = []
    init_containers: list[Container] = []
    overhead: Amounts = {}
    volumes: list[Volume] = []
    resource_claims: list[Any] = []
    resources: Resources | None = None
    """What the whole pod asks for; where it is given it counts in place of what its containers ask."""


class Condition(msgspec.Struct, rename="camel", kw_only=True):
    """One condition of a pod or a node."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None


class ContainerAmounts(msgspec.Struct, rename="camel", kw_only=True):
    """What a container has on its node, which while it is resized is not what it asks for."""

    name: str = ""
    allocated_resources: Amounts | None = None
    resources: Resources | None = None


class SchedulingStatus(msgspec.Struct, rename="camel", kw_only=True):
    """How far a pod is."""

    phase: str = "Pending"
    conditions: list[Condition] = []
    container_statuses: list[ContainerAmounts] = []


class SchedulingPod(msgspec.Struct, kw_only=True):
    """One pod; shared by all readers, so never changed."""

    metadata: Metadata
    spec: SchedulingSpec = msgspec.field(default_factory=SchedulingSpec)
    status: SchedulingStatus = msgspec.field(default_factory=SchedulingStatus)

    @property
    def has_ended(self) -> bool:
        """Whether all of its containers have ended for good."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def is_waiting(self) -> bool:
        """Whether it may be bound now: not bound, not gated, not going, not over."""
        spec = self.spec
        return not (spec.node_name or spec.scheduling_gates or self.metadata.deletion_timestamp or self.has_ended)

    def value(self, label_or_annotation: str) -> str:
        """Returns the label or the annotation of a name, "" when it has neither."""
        return self.metadata.labels.get(label_or_annotation) or self.metadata.annotations.get(label_or_annotation, "")


class NodeTaint(msgspec.Struct, kw_only=True, frozen=True):
    """What keeps pods away from a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpecView(msgspec.Struct, kw_only=True):
    """Whether a node takes pods."""

    unschedulable: bool = False
    taints: list[NodeTaint] = []


class NodeStatusView(msgspec.Struct, kw_only=True):
    """What a node offers."""

    allocatable: Amounts = {}
    conditions: list[Condition] = []


class SchedulingNode(msgspec.Struct, kw_only=True):
    """One node; shared by all readers, so never changed."""

    metadata: Metadata
    spec: NodeSpecView = msgspec.field(default_factory=NodeSpecView)
    status: NodeStatusView = msgspec.field(default_factory=NodeStatusView)

    @property
    def is_ready(self) -> bool:
        """Whether its kubelet says that it is."""
        return any(one.type == "Ready" and one.status == "True" for one in self.status.conditions)

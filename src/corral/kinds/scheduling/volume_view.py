"""Claims, volumes and their classes as a scheduler reads them: on which nodes a volume can be had, and who chooses it when."""

import msgspec

from corral.kinds.objects import Metadata
from corral.kinds.scheduling.pod_view import NodeSelector

SELECTED_NODE = "volume.kubernetes.io/selected-node"
"""The annotation of a claim by which a scheduler tells a provisioner where the first pod of it will run."""
BY_FIRST_CONSUMER = "WaitForFirstConsumer"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
CLAIM, VOLUME, CLASS = "claim", "volume", "class"


class ClaimSpec(msgspec.Struct, rename="camel", kw_only=True):
    """What is claimed."""

    volume_name: str = ""
    storage_class_name: str = ""


class ClaimStatus(msgspec.Struct, kw_only=True):
    """How far a claim is."""

    phase: str = ""


class ClaimView(msgspec.Struct, kw_only=True):
    """One claim; shared by all readers, so never changed."""

    metadata: Metadata
    spec: ClaimSpec = msgspec.field(default_factory=ClaimSpec)
    status: ClaimStatus = msgspec.field(default_factory=ClaimStatus)

    @property
    def is_bound(self) -> bool:
        """Whether it has its volume."""
        return bool(self.spec.volume_name) and self.status.phase == "Bound"


class VolumeAffinity(msgspec.Struct, kw_only=True):
    """From which nodes a volume can be reached."""

    required: NodeSelector | None = None


class VolumeSpec(msgspec.Struct, rename="camel", kw_only=True):
    """What a volume is."""

    node_affinity: VolumeAffinity | None = None


class VolumeView(msgspec.Struct, kw_only=True):
    """One volume; shared by all readers, so never changed."""

    metadata: Metadata
    spec: VolumeSpec = msgspec.field(default_factory=VolumeSpec)


class LabelValues(msgspec.Struct, kw_only=True):
    """Values of a label that will do."""

    key: str = ""
    values: list[str] = []


class AllowedTopology(msgspec.Struct, rename="camel", kw_only=True):
    """Where a class provides volumes."""

    match_label_expressions: list[LabelValues] | None = None


class ClassView(msgspec.Struct, rename="camel", kw_only=True):
    """One class of storage; shared by all readers, so never changed."""

    metadata: Metadata
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: list[AllowedTopology] | None = None

"""The objects that describe a gang, of whichever scheduler, as far as they are read: how many pods, which queue, how far it is."""

from typing import Any

import msgspec

from corral.kinds.objects import Metadata
from corral.kinds.scheduling.names import MOST_MEMBERS


class GroupSpec(msgspec.Struct, rename="camel", kw_only=True):
    """What is asked for."""

    min_member: Any = None
    queue: Any = None


class GroupStatus(msgspec.Struct, kw_only=True):
    """How far it is."""

    phase: Any = None


class GroupView(msgspec.Struct, kw_only=True):
    """One PodGroup; shared by all readers, so never changed."""

    metadata: Metadata
    spec: GroupSpec = msgspec.field(default_factory=GroupSpec)
    status: GroupStatus = msgspec.field(default_factory=GroupStatus)

    @property
    def size(self) -> int | None:
        """Returns how many pods start together; None when it does not say so in a way that can be read."""
        said = 1 if self.spec.min_member is None else self.spec.min_member
        return said if isinstance(said, int) and not isinstance(said, bool) and 0 <= said <= MOST_MEMBERS else None

    @property
    def queue(self) -> str:
        """Returns the queue that is named, if any."""
        return self.spec.queue if isinstance(self.spec.queue, str) else ""

    @property
    def phase(self) -> str:
        """Returns the phase that is told, if any."""
        return self.status.phase if isinstance(self.status.phase, str) else ""


class DefinitionView(msgspec.Struct, kw_only=True):
    """A definition of a kind: only its name counts."""

    metadata: Metadata

"""Gangs that were seen: what estimates learn from."""

import msgspec

from corral.placement.admission.amounts import GPU
from corral.placement.estimates.kinds import Kind

AT_ONCE = 10.0
"""Seconds in which a gang starts that has not to wait: so long it takes until it was seen and bound."""


class GangRun(msgspec.Struct, frozen=True, kw_only=True):
    """A gang that was seen: when it came, started, and ended, in seconds since 1970."""

    uid: str
    queue: str = ""
    counted: str = GPU
    size: int = 0
    """Thousandths of that: of GPUs, or of cores."""
    arrived: float
    started: float | None = None
    ended: float | None = None

    @property
    def kind(self) -> Kind:
        """Returns what it has in common with those that run about as long."""
        return Kind(self.queue, self.size)

    @property
    def waited(self) -> bool:
        """Whether it could not start at once."""
        return self.started is not None and self.started - self.arrived > AT_ONCE

    def still_waits(self, now: float) -> bool:
        """Whether it waits already for longer than that."""
        return self.started is None and now - self.arrived > AT_ONCE

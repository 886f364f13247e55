"""What waits for its turn and what runs: a gang with all that admission must know of it beside its size."""

from typing import NamedTuple

from corral.placement.asks import Gang, Seat


class Waiting(NamedTuple):
    """A gang that wants to start, or pods of one that may follow those that did."""

    gang: Gang
    arrived: float
    """When it first asked; it keeps this over evictions, so that it does not lose its age."""
    namespace: str = ""
    run_time: float | None = None
    """Seconds from start to end, as declared by its owner or estimated; None when nobody knows."""
    is_preemptible: bool = True
    """Whether it may be evicted at all."""
    checkpoints: bool = False
    """Whether it goes on where it was when it is stopped and started again: then it may be moved."""
    most: int = 0
    """How many pods it can use; 0 when it is not elastic. The least is the minimum of the gang."""
    evictions: int = 0
    """How often it was evicted before; each time makes it safer."""
    not_before: float = 0.0
    """It is not looked at before this time: somebody refused to bind it."""

    @property
    def uid(self) -> str:
        """Returns the uid of its gang."""
        return self.gang.uid


class Running(NamedTuple):
    """A gang that has its seats, whether its pods have started yet or not."""

    claim: Waiting
    seats: tuple[Seat, ...]
    started: float

    @property
    def uid(self) -> str:
        """Returns the uid of its gang."""
        return self.claim.gang.uid

    @property
    def ends(self) -> float | None:
        """Returns when it will have ended, None when nobody knows."""
        return None if self.claim.run_time is None else self.started + self.claim.run_time

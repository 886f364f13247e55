"""What waits for its turn and what runs: a gang with all that admission must know of it beside its size."""

from math import inf
from typing import NamedTuple

from corral.placement.admission.amounts import Amounts, amounts_of_pods
from corral.placement.asks import Gang, Seat


class Waiting(NamedTuple):
    """A gang that wants to start, or pods of one that may follow those that did."""

    gang: Gang
    arrived: float
    """When it first asked; it keeps this over evictions, so that it does not lose its age."""
    namespace: str = ""
    run_time: float | None = None
    """Seconds from start to end, as declared by its owner or estimated; None when nobody knows."""
    is_declared: bool = True
    """Whether its owner said so; what was estimated counts for less."""
    is_preemptible: bool = True
    """Whether it may be evicted at all."""
    checkpoints: bool = False
    """Whether it goes on where it was when it is stopped and started again: then it may be moved."""
    most: int = 0
    """How many pods it can use; 0 when it is not elastic. The least is the minimum of the gang."""
    is_made: bool = True
    """Whether its pods exist, so that the quota of its namespace counts them already."""
    evictions: int = 0
    """How often it was evicted before; each time makes it safer."""
    preempts: bool = True
    """Whether others may be asked to go, to move or to shrink for it."""
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
    def held(self) -> Amounts:
        """Returns what its pods hold."""
        asks = {one.uid: one.ask for one in self.claim.gang.members}
        return amounts_of_pods(asks[seat.uid] for seat in self.seats)

    def expected_end(self, now: float) -> float:
        """Returns when it will have ended as far as one can tell: infinity when nobody knows its run time.

        One that runs longer than was said is taken to need twice as long, and twice again: a declared hour that became two ends
        after four.
        """
        run_time = self.claim.run_time
        if run_time is None:
            return inf
        end = self.started + run_time
        while end <= now:
            run_time = max(2 * run_time, 1.0)
            end = self.started + run_time
        return end

"""What one cycle decides, as a value, and the terms under which it decides."""

from typing import NamedTuple

from corral.placement.asks import Plan, Refusal, Seat


class Terms(NamedTuple):
    """What holds for all queues."""

    patience: float = 3 * 86400.0
    """Seconds after which a gang goes before all that have not waited as long, whatever their priority and their queue."""
    reserves: bool = True
    """Whether room is kept for the first gang that waits for it; without, large gangs may starve behind small ones."""
    lateness: float = 0.5
    """By which part of the wait that was foreseen first a reservation may be late before run times are trusted no more and what
    it needs is left to drain."""
    drains: float = 4 * 3600.0
    """Seconds for which room is left to drain for a gang of which nobody knows when it can start. Then others pass for three times as
    long, and it drains for twice as long as before: over whole rounds a quarter of the time, and whoever runs for long ends at last."""
    reclaims: str = "guarantee"
    """How much a queue may take back from others by eviction: its `guarantee`, its fair `share`, or `nothing`."""
    preempts: bool = True
    """Whether gangs of lower priority give way to those of a higher one in the same queue."""
    rest: float = 600.0
    """Seconds that a gang which was evicted once may then run undisturbed; twice as many after each further time."""
    lost_on_stop: float = 600.0
    """The most seconds of work that a gang loses by a stop when it checkpoints."""
    placements_per_move: int = 200
    """After so many placements one running gang may be moved; 0 moves none."""
    resizes: bool = True
    """Whether elastic gangs grow and shrink."""
    yields: float = 600.0
    """Seconds for which a gang that waits leaves seats idle which are kept for larger pods; after that it may take them."""
    calm: float = 300.0
    """Seconds for which an elastic gang keeps its size before it grows again."""


class Admitted(NamedTuple):
    """A gang that may start now, and where. Its seats are held from now on."""

    plan: Plan
    queue: str
    waited: float
    passed: str = ""
    """The gang that was before it and for which room is kept, when it passed one; "" when it was its turn."""


class Eviction(NamedTuple):
    """A gang that must give way. It counts as there until somebody says that it left."""

    gang: str
    reason: str
    """`preempted` by a higher priority of its queue, or `reclaimed` by a queue that takes back what it is entitled to."""
    sentence: str
    beneficiary: str
    """The gang for which room is made."""
    lost: float
    """GPU-seconds of work that are lost by it."""


class Reservation(NamedTuple):
    """Seats that are kept for a gang, and until when they are expected to be free."""

    gang: str
    starts: float
    """When it is expected to start; infinity when nobody knows the run times of those before it."""
    seats: tuple[Seat, ...]
    after: tuple[str, ...]
    """The gangs that must have ended, or left, before."""


class Migration(NamedTuple):
    """A gang that checkpoints moves, so that another one fits: stop it, let it wait again, start it on seats that are kept for it."""

    gang: str
    seats: tuple[Seat, ...]
    beneficiary: str
    lost: float


class Resizing(NamedTuple):
    """An elastic gang that should have more pods, or fewer."""

    gang: str
    was: int
    becomes: int
    leaving: tuple[str, ...] = ()
    """The pods that go when it shrinks, by uid."""
    beneficiary: str = ""
    """The gang for which it shrinks."""


class Cycle(NamedTuple):
    """What a cycle decided. Whoever carries it out tells what became of it; until then it is taken as done."""

    admitted: tuple[Admitted, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    migrations: tuple[Migration, ...] = ()
    resizings: tuple[Resizing, ...] = ()
    reservation: Reservation | None = None
    """What is kept for the first gang that waits for room."""
    refused: tuple[Refusal, ...] = ()
    """Gangs that were looked at and cannot start, when the reason is another one than was last told."""

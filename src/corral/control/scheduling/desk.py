"""Whom the scheduler asks whose turn it is, and what it asks of whoever answers; `admission_desk.py` does."""

from typing import NamedTuple, Protocol

from corral.placement.admission.cycle import Eviction, Migration, Resizing
from corral.placement.asks import Gang, Plan, PodAsk, Refusal, Seat
from corral.placement.offers import NodeOffer


class Claim(NamedTuple):
    """A gang that wants to start, or pods of one that may follow those that did."""

    gang: Gang
    arrived: float
    """When it first asked, also when it was evicted since."""
    namespace: str = ""
    most: int = 0
    """How many pods it can use; 0 when it keeps its size."""
    checkpoints: bool = False
    """Whether it goes on where it was after it was stopped, and somebody makes its pods anew: then it may be moved."""
    is_preemptible: bool = True
    preempts: bool = True
    """Whether others may give way for it."""
    evictions: int = 0
    """How often it had to give way before."""
    run_time: float | None = None
    """Seconds from start to end, as its owner says; None when nobody does."""

    @property
    def uid(self) -> str:
        """Returns the uid of its gang."""
        return self.gang.uid


class Seated(NamedTuple):
    """A gang that has its seats, whether its pods have started yet or not."""

    claim: Claim
    seats: tuple[Seat, ...]
    started: float
    leaving: frozenset[str] = frozenset()
    """Those of its pods that were told to go, or are going."""


class Admitted(NamedTuple):
    """A gang, or more pods of one, that may start now. Its seats are held from now on."""

    plan: Plan
    claim: Claim


class Cycle(NamedTuple):
    """What a cycle decided."""

    admitted: tuple[Admitted, ...] = ()
    refused: tuple[Refusal, ...] = ()
    """Why gangs cannot start, where the reason is another one than was last told."""
    is_complete: bool = True
    """Whether everybody had their turn who may fit."""
    evictions: tuple[Eviction, ...] = ()
    migrations: tuple[Migration, ...] = ()
    resizings: tuple[Resizing, ...] = ()


class Desk(Protocol):
    """Decides who may start; told everything that comes and goes."""

    def put_node(self, offer: NodeOffer) -> None:
        """Adds or replaces a node."""

    def remove_node(self, name: str) -> None:
        """Takes a node away; what is held on it stays noted until it is said to have left."""

    def occupy(self, seat: Seat, ask: PodAsk) -> None:
        """Notes a pod that somebody else bound."""

    def vacate(self, uid: str) -> None:
        """Notes that such a pod is gone."""

    def reconsider(self) -> None:
        """Lets everybody be tried again who was refused: places cost something else than before."""

    def wait(self, claim: Claim) -> None:
        """Lets a gang stand in line, or replaces what was known of it; what it holds stays."""

    def seat(self, seated: Seated) -> None:
        """Notes which seats a gang has, in place of those it had."""

    def leave(self, uid: str) -> None:
        """Notes that a gang has no seat any more."""

    def forget(self, uid: str) -> None:
        """Takes a gang out of the line; what it holds stays."""

    def cycle(self, now: float, most: int) -> Cycle:
        """Decides who may start now, at most so many gangs."""

    def refusal(self, uid: str) -> Refusal | None:
        """Returns why a gang waits, None when it does not, or when nobody has looked yet."""

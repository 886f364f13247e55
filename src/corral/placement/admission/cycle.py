"""What one cycle decides, as a value, and the terms under which it decides."""

from typing import NamedTuple

from corral.placement.asks import Plan, Refusal


class Terms(NamedTuple):
    """What holds for all queues."""

    patience: float = 24 * 3600.0
    """Seconds after which a gang goes before all that have not waited as long, whatever their priority."""


class Admitted(NamedTuple):
    """A gang that may start now, and where. Its seats are held from now on."""

    plan: Plan
    queue: str
    waited: float


class Cycle(NamedTuple):
    """What a cycle decided. Whoever carries it out tells what became of it; until then it is taken as done."""

    admitted: tuple[Admitted, ...] = ()
    refused: tuple[Refusal, ...] = ()
    """Gangs that were looked at and cannot start, when the reason is another one than was last told."""

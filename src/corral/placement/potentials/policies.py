"""Policies: which potentials count, and how much."""

import msgspec

from corral.errors import PermanentError
from corral.placement.potentials.statistics import NOTHING_KNOWN, Statistics

Weights = tuple[tuple[str, float], ...]
"""Names of potentials and how much each counts."""


class Policy(msgspec.Struct, frozen=True, cache_hash=True):
    """What a place costs: weights of potentials, and the mix that they rest on."""

    name: str
    weights: Weights = ()
    """Potentials that choose the node; of equal ones the fixed random order of the fleet decides."""
    inside: Weights = ()
    """Potentials that choose the GPU of a node where those above do not tell GPUs apart."""
    grain: float = 1.0
    """Costs that differ by less than this are equal."""
    strategy: str = ""
    """How pods of one gang lie to each other when the gang does not say: `bundle`, `spread`, or "" when cost alone decides."""
    is_drawn: bool = False
    """Whether chance alone chooses, by the uid of the pod."""
    statistics: Statistics = NOTHING_KNOWN


_POLICIES = {
    one.name: one
    for one in (
        Policy("default", (("fragmentation", 1.0),), grain=40.0, strategy="bundle"),
        Policy("fgd", (("gradient", 1.0),)),
        Policy("bestfit", (("leftover", 1.0),), (("tightest", 1.0),)),
        Policy("random", is_drawn=True),
    )
}


def policy(name: str = "default", statistics: Statistics = NOTHING_KNOWN) -> Policy:
    """Returns a policy by name, resting on what is known of the mix."""
    if name not in _POLICIES:
        known = ", ".join(sorted(_POLICIES))
        raise PermanentError("unknown-policy", f"there is no policy {name}", hint=f"one of {known}")
    return msgspec.structs.replace(_POLICIES[name], statistics=statistics)

"""Policies: which potentials count, and how much."""

import msgspec

from corral.errors import PermanentError
from corral.placement.potentials.statistics import NOTHING_KNOWN, Statistics

Weights = tuple[tuple[str, float], ...]
"""Names of potentials and how much each counts."""


class Keeping(msgspec.Struct, frozen=True):
    """How many seats are kept for pods of several GPUs, in standard deviations of how many of them run at a time.

    Their number scatters as arrivals do, and what is expected is known no better than the mix.
    """

    surely: float = 1.0
    """So far below the expected number, no other pod may take a seat."""
    likely: float = 1.5
    """So far above it, another pod takes one only when it fits nowhere else."""


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
    keeping: Keeping | None = None
    """Whether seats are kept for pods of several GPUs."""
    statistics: Statistics = NOTHING_KNOWN


_POLICIES = {
    one.name: one
    for one in (
        # A regret in shares outweighs whatever else there is; weights and widths were chosen by hand, on the
        # published traces and on a dozen derived from them (docs/critiques.md).
        Policy(
            "default",
            (("share-price", 1000.0), ("stranding", 1.2), ("fragmentation", 1.0), ("scarcity", 0.4)),
            grain=20.0,
            strategy="bundle",
            keeping=Keeping(),
        ),
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

"""Policies: which potentials count, and how much."""

from typing import NamedTuple

from corral.errors import PermanentError
from corral.placement.potentials.statistics import NOTHING_KNOWN, Statistics

_WEIGHTS: dict[str, tuple[tuple[str, float], ...]] = {
    "default": (("leftover", 1.0),),
    "bestfit": (("leftover", 1.0),),
    "random": (),
}
_WITHIN: dict[str, tuple[tuple[str, float], ...]] = {"bestfit": (("tightest", 1.0),), "default": (("tightest", 1.0),)}


class Policy(NamedTuple):
    """What a place costs: weights of potentials, and the mix that they rest on."""

    name: str
    weights: tuple[tuple[str, float], ...] = ()
    """Potentials that choose the node; of equal ones the fixed random order of the fleet decides."""
    inside: tuple[tuple[str, float], ...] = ()
    """Potentials that choose the GPU of a node where those above do not tell GPUs apart."""
    grain: float = 1e-3
    """Costs that differ by less than this are equal."""
    statistics: Statistics = NOTHING_KNOWN


def policy(name: str = "default", statistics: Statistics = NOTHING_KNOWN) -> Policy:
    """Returns a policy by name, resting on what is known of the mix."""
    if name not in _WEIGHTS:
        raise PermanentError(
            "no-such-policy", f"there is no policy {name}", hint=f"one of {', '.join(sorted(_WEIGHTS))}"
        )
    return Policy(name, _WEIGHTS[name], _WITHIN.get(name, ()), statistics=statistics)

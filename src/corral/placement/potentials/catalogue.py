"""Every potential by its name, and how it is made ready for a fleet and a mix."""

from collections.abc import Callable, Mapping

from corral.placement.fleet.fleet import Fleet
from corral.placement.potentials.fragmentation import fragmentation, gradient
from corral.placement.potentials.leftover import emptiest, leftover, tightest
from corral.placement.potentials.links import links
from corral.placement.potentials.mix import Mix, mix_of
from corral.placement.potentials.outlook import Potential
from corral.placement.potentials.scarcity import scarcity
from corral.placement.potentials.share_prices import share_price
from corral.placement.potentials.statistics import Statistics
from corral.placement.potentials.stranding import stranding

POTENTIALS: Mapping[str, Callable[[Mix], Potential]] = {
    "fragmentation": fragmentation,
    "gradient": gradient,
    "share-price": share_price,
    "scarcity": scarcity,
    "stranding": stranding,
    "leftover": leftover,
    "links": links,
    "tightest": tightest,
    "emptiest": emptiest,
}


def potential_of(fleet: Fleet, statistics: Statistics, name: str) -> Potential:
    """Returns a potential with its tables made for a fleet and a mix; they are kept until there are other models."""
    models = len(fleet.models)

    def mix() -> Mix:
        return fleet.kept(("mix", statistics, models), lambda: mix_of(fleet, statistics))

    return fleet.kept(("potential", name, statistics, models), lambda: POTENTIALS[name](mix()))

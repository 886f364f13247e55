"""Every potential by its name."""

from collections.abc import Callable, Mapping

from corral.placement.fleet.columns import Floats
from corral.placement.potentials.leftover import leftover, tightest
from corral.placement.potentials.outlook import Outlook
from corral.placement.potentials.statistics import Statistics

Potential = Callable[[Outlook, Statistics], Floats]
"""From an outlook and the mix to a cost for each node, or for each of its GPUs."""

POTENTIALS: Mapping[str, Potential] = {
    "leftover": leftover,
    "tightest": tightest,
}

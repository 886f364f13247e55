"""In which order domains are tried: those where everybody fits, and of these the one that has least to spare.

So large domains stay free for those who need one. What a domain could take is counted class by class, which for pods of one class says
exactly whether they fit and for several only that they may.
"""

from collections.abc import Mapping

import numpy as np

from corral.placement.asks import PodAsk
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.room import room


def fullest_first(
    fleet: Fleet, level: str, wanted: Mapping[PodAsk, int], minimum: int, among: Bools | None = None
) -> list[Bools]:
    """Returns the rows of each domain of a level in which the minimum may fit, the best domain first."""
    return [among_it for among_it, _ in counted(fleet, level, wanted, minimum, among)]


def counted(
    fleet: Fleet, level: str, wanted: Mapping[PodAsk, int], minimum: int, among: Bools | None = None
) -> list[tuple[Bools, int]]:
    """Returns the same with how many may fit in each."""
    domain, names = fleet.domains(level)
    inside = domain >= 0 if among is None else (domain >= 0) & among
    if not names or not inside.any():
        return []
    fitting = np.zeros(len(names), np.int64)
    spare = np.zeros(len(names), np.float64)
    for ask, count in wanted.items():
        here = _sums(domain, inside, room(fleet, ask), len(names))
        fitting += np.minimum(here, count)
        spare += np.maximum(here - count, 0) * (ask.gpu.total or 1)
    order = sorted(np.flatnonzero(fitting >= max(minimum, 1)), key=lambda one: (-fitting[one], spare[one], names[one]))
    return [(np.asarray(inside & (domain == one)), int(fitting[one])) for one in order]


def roomiest_first(fleet: Fleet, level: str, ask: PodAsk, among: Bools | None = None) -> list[Bools]:
    """Returns the rows of each domain of a level that has any room for a class, the largest room first."""
    domain, names = fleet.domains(level)
    inside = domain >= 0 if among is None else (domain >= 0) & among
    here = _sums(domain, inside, room(fleet, ask), len(names))
    order = sorted(np.flatnonzero(here > 0), key=lambda one: (-here[one], names[one]))
    return [np.asarray(inside & (domain == one)) for one in order]


def _sums(domain: Ints, inside: Bools, amounts: Ints, number: int) -> Ints:
    return np.bincount(domain[inside], weights=amounts[inside], minlength=number).astype(np.int64)

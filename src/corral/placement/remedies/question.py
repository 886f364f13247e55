"""One gang that waits, and what is counted once for all trials about it."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corral.placement.asks import Gang, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Ints
from corral.placement.gangs.room import room
from corral.placement.potentials import Policy
from corral.placement.remedies.books import Books
from corral.placement.remedies.endings import Endings
from corral.placement.remedies.makes import Makes
from corral.placement.remedies.remedy import Parts
from corral.placement.remedies.shortage import FAR, Shortage, bare, shortage_of, waiting_of
from corral.placement.remedies.supplies import Job
from corral.placement.remedies.switches import Switches, switches_of
from corral.placement.remedies.trial import Trial


class View(NamedTuple):
    """The gang as it would ask with some switches, and what it lacks then."""

    switches: Parts
    gang: Gang
    shortage: Shortage
    mark: object
    """Equal where nothing differs that decides whether it starts."""


class Question:
    """A gang, the fleet it waits for, and who else holds room there."""

    def __init__(
        self,
        fleet: Fleet,
        gang: Gang,
        policy: Policy,
        jobs: Sequence[Job] = (),
        *,
        least_pods: int = 1,
        books: Books | None = None,
    ) -> None:
        self.fleet = fleet
        self.gang = gang
        self.jobs = jobs
        self.least_pods = least_pods
        """With fewer pods than that the gang is of no use to anybody."""
        self.trial = Trial(fleet, gang, policy, books)
        self.switches: Switches = switches_of(fleet, gang)
        self.makes = Makes(fleet, gang, self.switches.levels)
        self._rooms: dict[tuple[PodAsk, tuple[str, ...], bool], Ints] = {}
        self._views: dict[Parts, View] = {}
        self._endings: Endings | None = None
        self._owners: dict[str, str] | None = None

    @property
    def owners(self) -> Mapping[str, str]:
        """Returns the name of the job of each pod, by uid."""
        if self._owners is None:
            self._owners = {uid: job.name for job in self.jobs for uid in job.pods}
        return self._owners

    @property
    def endings(self) -> Endings:
        """Returns what ending jobs would leave; counted on first use."""
        if self._endings is None:
            mine = {one.uid for one in self.gang.members}
            self._endings = Endings(self.fleet, [job for job in self.jobs if mine.isdisjoint(job.pods)])
        return self._endings

    def view(self, switches: Parts) -> View:
        """Returns what the gang lacks with some switches."""
        if switches not in self._views:
            gang = self.trial.asked(switches)
            self._views[switches] = View(switches, gang, self.shortage(gang), self._mark(gang))
        return self._views[switches]

    def shortage(self, gang: Gang) -> Shortage:
        """Returns what a gang lacks on the fleet as it is."""
        return shortage_of(self.fleet, gang, self.room, self.makes.allowed)

    def room(self, ask: PodAsk, *lifted: str, is_empty: bool = False) -> Ints:
        """Returns by row how many pods of a class fit, whatever its rules say and whoever is beside them, as if more were lifted."""
        key = bare(ask), lifted, is_empty
        if key not in self._rooms:
            found = room(self.fleet, key[0], lifted, is_empty=is_empty)
            self._rooms[key] = found[: len(self.makes.of_row)]
        return self._rooms[key]

    def _mark(self, gang: Gang) -> object:
        asks = waiting_of(gang)
        rules = [self.makes.allowed([ask.rules]).tobytes() for ask in asks]
        classes = [(ask._replace(rules=0), count) for ask, count in asks.items()]
        return gang._replace(members=()), tuple(classes), tuple(rules)


def smallest(low: int, high: int, is_enough: Callable[[int], bool]) -> int | None:
    """Returns the smallest number of a range that is enough, found by growing steps and halving; None when none is."""
    if low > high:
        return None
    if is_enough(low):
        return low
    below, step = low, 1
    while below < high:
        above = min(high, below + step)
        if is_enough(above):
            while above - below > 1:
                middle = (above + below) // 2
                if is_enough(middle):
                    above = middle
                else:
                    below = middle
            return above
        below, step = above, 2 * step
    return None


def by_domain(shortage: Shortage, lack: Ints, rows: Ints) -> list[tuple[int, Ints]]:
    """Returns for each domain within reach how many pods lack room there, at least 1, and the places of some rows that lie in it."""
    domain = shortage.domain[rows]
    near = (int(one) for one in np.unique(domain[domain >= 0]) if shortage.lack[one] < FAR)
    return [(max(int(lack[one]), 1), np.flatnonzero(domain == one)) for one in near]

"""How far a gang is from starting: conditions that must hold wherever it goes, and by how many pods each of them fails.

A condition says that so many pods, each at least as large as a *cover*, must find room in one domain. For a gang of one class that is
exactly whether it fits; for several classes it is necessary only, so that what it excludes needs no engine, and what it lets pass does.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from corral.placement.asks import WHOLE, Gang, GpuAsk, PodAsk
from corral.placement.fleet import Fleet
from corral.placement.fleet.columns import Bools, Ints
from corral.placement.gangs.room import PLENTY

FAR = 1 << 40
"""More pods than anybody could make room for: a domain out of reach."""

Counting = Callable[[PodAsk], Ints]
"""Returns by row how many pods of a class fit, whatever its rules say."""
Allowing = Callable[[Iterable[int]], Bools]
"""Returns by row whether any of some sets of rules allows it."""


class Gap(NamedTuple):
    """A condition, and by how much it fails: below 1 where it holds."""

    classes: tuple[PodAsk, ...]
    """Pods of these classes must find room."""
    cover: PodAsk
    """What every one of them asks at least."""
    allowed: Bools
    """By row whether the rules of any of them allow it."""
    need: int
    """How many of them must find room."""
    lack: Ints
    """By domain how many more must find room there than do."""


class Shortage(NamedTuple):
    """All conditions of a gang; it may start in a domain where every one of them holds."""

    gaps: tuple[Gap, ...]
    domain: Ints
    """By row its domain of the level that all must share, -1 where it has none; all 0 when anywhere will do."""
    lack: Ints
    """By domain by how much the condition fails that fails most."""
    missing: int
    """How many must be placed in all."""

    @property
    def least(self) -> int:
        """Returns how many pods lack room in the domain that comes nearest."""
        return int(self.lack.min(initial=self.missing))

    @property
    def scarcest(self) -> Gap:
        """Returns the condition that fails most in the domain that comes nearest."""
        best = int(self.lack.argmin()) if len(self.lack) else -1
        return max(self.gaps, key=lambda gap: int(gap.lack[best]) if best >= 0 else 0)

    def of_class(self, ask: PodAsk) -> Gap:
        """Returns the condition about a class that fails most: of itself, or of it with all larger ones."""
        own = next(gap for gap in self.gaps if gap.classes == (ask,))
        return own._replace(lack=np.maximum.reduce([gap.lack for gap in self.gaps if gap.classes[-1] == ask]))


class Condition(NamedTuple):
    """So many pods, none smaller than the cover, must find room."""

    classes: tuple[PodAsk, ...]
    cover: PodAsk
    need: int


def waiting_of(gang: Gang) -> Counter[PodAsk]:
    """Returns how many members of each class wait."""
    # Members of a class mostly share one ask, so identity counts first: an ask is long to compare.
    shared = {id(one.ask): one.ask for one in gang.members}
    found: Counter[PodAsk] = Counter()
    for same, count in Counter(id(one.ask) for one in gang.members if not one.held).items():
        found[shared[same]] += count
    return found


def missing_of(gang: Gang) -> int:
    """Returns how many more members must be placed for the gang to start."""
    return gang.minimum - sum(1 for one in gang.members if one.held)


def conditions_of(gang: Gang) -> list[Condition]:
    """Returns what must hold: of each class, and of the largest classes together, as many as cannot stay away."""
    waiting, missing = waiting_of(gang), missing_of(gang)
    total = waiting.total()
    classes = sorted(waiting, key=lambda ask: (-ask.gpu.total, -ask.cpu, -ask.memory, ask))
    groups: dict[tuple[PodAsk, ...], int] = {(one,): waiting[one] for one in classes}
    groups |= {tuple(classes[:end]): sum(waiting[one] for one in classes[:end]) for end in range(2, len(classes) + 1)}
    # As many as may stay away can all be of other classes: then nothing is left to demand of these.
    return [Condition(group, cover_of(group), max(0, missing - (total - count))) for group, count in groups.items()]


def shortage_of(fleet: Fleet, gang: Gang, counting: Counting, allowing: Allowing) -> Shortage:
    """Returns by how much each condition of a gang fails in every domain."""
    domain, number = _domains(fleet, gang)
    gaps: list[Gap] = []
    for condition in conditions_of(gang):
        allowed = allowing(ask.rules for ask in condition.classes)
        domain = domain[: len(allowed)]
        inside = allowed & (domain >= 0)
        rooms = np.minimum(counting(condition.cover), PLENTY)
        there = np.bincount(domain[inside], weights=rooms[inside], minlength=number).astype(np.int64)
        gaps.append(Gap(condition.classes, condition.cover, allowed, condition.need, condition.need - there))
    lack = np.maximum.reduce([gap.lack for gap in gaps]) if gaps else np.zeros(number, np.int64)
    return Shortage(tuple(gaps), domain, _beside_held(fleet, gang, domain, lack), missing_of(gang))


def bare(ask: PodAsk) -> PodAsk:
    """Returns an ask without anything but amounts: whom it must have beside it may change with every pod of the gang."""
    return ask._replace(rules=0, crowds=(), neighbours=())


def cover_of(asks: Iterable[PodAsk]) -> PodAsk:
    """Returns what every one of some asks needs at least, rules aside."""
    all_of = list(asks)
    first = all_of[0]
    if len(all_of) == 1:
        return bare(first)
    others = {name: min(dict(ask.others).get(name, 0) for ask in all_of) for name, _ in first.others}
    return PodAsk(
        min(ask.cpu for ask in all_of),
        min(ask.memory for ask in all_of),
        _gpu_cover([ask.gpu for ask in all_of]),
        tuple(sorted((name, amount) for name, amount in others.items() if amount)),
    )


def _gpu_cover(asks: list[GpuAsk]) -> GpuAsk:
    number = min(gpu.number for gpu in asks)
    if not number:
        return GpuAsk()
    by_share = [gpu.milli for gpu in asks if not gpu.memory or gpu.milli < WHOLE]
    by_memory = [gpu.memory for gpu in asks if gpu.memory]
    if len(by_memory) == len(asks) and not by_share:
        amounts = GpuAsk(number, memory=min(by_memory))
    elif not by_memory:
        amounts = GpuAsk(number, min(by_share))
    else:
        # Of a share by fraction and one by memory nothing is known to be smaller before the GPU is.
        amounts = GpuAsk(number, 1)
    same = {(gpu.models, gpu.devices, gpu.refused_models) for gpu in asks}
    if len(same) > 1:
        return amounts
    return amounts._replace(models=asks[0].models, devices=asks[0].devices, refused_models=asks[0].refused_models)


def _domains(fleet: Fleet, gang: Gang) -> tuple[Ints, int]:
    if not gang.within:
        return np.zeros(fleet.columns.length, np.int64), 1
    domain, names = fleet.domains(gang.within)
    return domain, len(names)


def _beside_held(fleet: Fleet, gang: Gang, domain: Ints, lack: Ints) -> Ints:
    """Members that are placed already decide the domain of those who follow."""
    rows = [row for one in gang.members if one.held and (row := fleet.row(one.held)) is not None]
    if not gang.within or not any(one.held for one in gang.members):
        return lack
    return np.where(np.isin(np.arange(len(lack)), domain[rows]), lack, np.maximum(lack, FAR))

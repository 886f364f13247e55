"""What no scheduler can pass: linear programs over makes of nodes, classes of pods, and ways to cut a GPU into shares.

Processors, memory and GPUs of a make are added up, pods may be split among makes, and GPUs are cut by *patterns*, sets of shares that fit
on one; each relaxes the real problem, so what the program gains bounds what placing can. Patterns are made as they are needed, by a
knapsack over the prices of shares (Gilmore and Gomory).

- *Free choice* may pick which of the arrived pods to take. It bounds every scheduler.
- *Packable prefix* takes every arrival as long as the program says that all can be placed, and then the best of the rest. It is what a
  scheduler is measured by that does not refuse pods on purpose; it is no bound for one that does.
"""

from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

import numpy as np

from corral.placement.asks import WHOLE, PodAsk
from corral.placement.fleet.columns import Floats
from corral.placement.offers import NodeOffer
from corral.placement.potentials.models import names_model
from corral.placement.replay.programs import INFINITE, Program

_TOLERANCE = 1e-7
_LARGEST_ROUNDING = 1e-6


class Bounds(NamedTuple):
    """Percent of all GPUs."""

    free_choice: float
    prefix: float
    """How much was asked for by the longest run of arrivals that can be placed whole."""
    packable_prefix: float
    packable_prefix_at_100: float | None
    """The same for what had arrived when as much was asked for as there is."""


class _Make(NamedTuple):
    """Nodes that are alike, added up."""

    one: NodeOffer
    number: int


def bounds_of(offers: Sequence[NodeOffer], arrivals: Sequence[PodAsk]) -> Bounds:
    """Returns the bounds for arrivals that never leave; pods that fit on no empty node are left out."""
    makes = [_Make(one, number) for one, number in Counter(offer._replace(name="") for offer in offers).items()]
    possible = {ask: any(_fits(make.one, ask) for make in makes) for ask in set(arrivals)}
    coming = [ask for ask in arrivals if possible[ask]]
    capacity = sum(gpu.milli for offer in offers for gpu in offer.gpus)
    packing = _Packing(makes, sorted(set(coming)))
    prefix = packing.longest_prefix(coming)
    asked = np.cumsum([ask.gpu.total for ask in arrivals])
    at_100 = int(np.searchsorted(asked, capacity)) + 1
    cut = [ask for ask in arrivals[:at_100] if possible[ask]]
    percent = 100.0 / capacity
    return Bounds(
        free_choice=percent * packing.most(Counter(), Counter(coming)),
        prefix=percent * sum(ask.gpu.total for ask in coming[:prefix]),
        packable_prefix=percent * packing.most(Counter(coming[:prefix]), Counter(coming)),
        packable_prefix_at_100=percent * packing.most(Counter(cut[:prefix]), Counter(cut))
        if at_100 <= len(arrivals)
        else None,
    )


def most_of(offers: Sequence[NodeOffer], asks: Sequence[PodAsk]) -> int:
    """Returns the most thousandths of GPUs that any choice and any placement of some pods can give out."""
    makes = [_Make(one, number) for one, number in Counter(offer._replace(name="") for offer in offers).items()]
    coming = [ask for ask in asks if ask.gpu.number and any(_fits(make.one, ask) for make in makes)]
    return round(_Packing(makes, sorted(set(coming))).most(Counter(), Counter(coming))) if coming else 0


class _Packing:
    """The program for some makes and classes; how many pods of each class there are is set anew for each question."""

    def __init__(self, makes: Sequence[_Make], classes: Sequence[PodAsk]) -> None:
        self._program = Program()
        self._makes = makes
        self._classes = classes
        sizes = sorted({_share(ask) for ask in classes} - {0})
        self._step = gcd(WHOLE, *sizes)
        self._sizes = sizes
        self._counts = {ask: self._program.add_row(0, 0) for ask in classes}
        self._gpu_rows = [self._row(make.number * len(make.one.gpus)) for make in makes]
        self._cpu_rows = [self._row(make.number * make.one.cpu) for make in makes]
        self._memory_rows = [self._row(make.number * make.one.memory / _MIB) for make in makes]
        self._share_rows = [{size: self._row(0) for size in sizes} for _ in makes]
        self._columns: list[tuple[int, PodAsk]] = []
        for place, make in enumerate(makes):
            for ask in classes:
                if _fits(make.one, ask):
                    self._columns.append((self._program.add_column(0.0, self._entries(place, ask)), ask))
        self._patterns: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        for place in range(len(makes)):
            for size in sizes:
                self._cut(place, {size: WHOLE // size})

    def most(self, taken: Counter[PodAsk], there: Counter[PodAsk]) -> float:
        """Returns the most thousandths of GPUs that can be given out, when some pods must be placed and all others may be."""
        for ask, row in self._counts.items():
            # Those that must be placed can be, but for the rounding of the solver.
            self._program.bound_row(row, max(0.0, taken[ask] - _LARGEST_ROUNDING), there[ask])
        self._gain([float(ask.gpu.total) for _, ask in self._columns])
        return self._solve(INFINITE)

    def longest_prefix(self, arrivals: Sequence[PodAsk]) -> int:
        """Returns how many of the first arrivals can be placed whole."""
        self._gain([1.0] * len(self._columns))
        low, high = 0, len(arrivals) + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._can_place(Counter(arrivals[:middle]), middle):
                low = middle
            else:
                high = middle
        return low

    def _can_place(self, counts: Counter[PodAsk], number: int) -> bool:
        for ask, row in self._counts.items():
            self._program.bound_row(row, 0, counts[ask])
        enough = number * (1 - _LARGEST_ROUNDING)
        return self._solve(enough) >= enough

    def _gain(self, gains: Sequence[float]) -> None:
        self._program.set_gains([column for column, _ in self._columns], gains)

    def _solve(self, enough: float) -> float:
        """Solves, adding patterns as long as they could gain and not enough was gained."""
        while True:
            gained = self._program.solve()
            if gained is None or gained >= enough or not self._add_patterns():
                return gained or 0.0

    def _add_patterns(self) -> bool:
        if not self._sizes:
            return False
        prices = self._program.prices()
        shares = np.array([[prices[rows[size]] for size in self._sizes] for rows in self._share_rows])
        patterns = _knapsacks(
            np.maximum(shares, 0.0), [size // self._step for size in self._sizes], WHOLE // self._step
        )
        added = False
        for place, counts in enumerate(patterns):
            worth = sum(shares[place, index] * count for index, count in counts.items())
            if worth > prices[self._gpu_rows[place]] + _TOLERANCE * max(1.0, abs(worth)):
                added |= self._cut(place, {self._sizes[index]: count for index, count in counts.items()})
        return added

    def _cut(self, place: int, counts: dict[int, int]) -> bool:
        key = (place, tuple(sorted(counts.items())))
        if key in self._patterns:
            return False
        self._patterns.add(key)
        rows = self._share_rows[place]
        self._program.add_column(
            0.0, [(self._gpu_rows[place], 1.0), *((rows[size], -count) for size, count in counts.items())]
        )
        return True

    def _entries(self, place: int, ask: PodAsk) -> list[tuple[int, float]]:
        entries: list[tuple[int, float]] = [(self._counts[ask], 1.0)]
        if ask.cpu:
            entries.append((self._cpu_rows[place], ask.cpu))
        if ask.memory:
            entries.append((self._memory_rows[place], ask.memory / _MIB))
        if ask.gpu.number:
            size = _share(ask)
            entries.append((self._share_rows[place][size] if size else self._gpu_rows[place], ask.gpu.number))
        return entries

    def _row(self, most: float) -> int:
        return self._program.add_row(-INFINITE, most)


_MIB = float(1 << 20)


def _share(ask: PodAsk) -> int:
    """The thousandths of a share; 0 for whole GPUs and for none."""
    return ask.gpu.milli if ask.gpu.number and ask.gpu.milli < WHOLE else 0


def _fits(offer: NodeOffer, ask: PodAsk) -> bool:
    gpu = ask.gpu
    if ask.cpu > offer.cpu or ask.memory > offer.memory or gpu.number > len(offer.gpus):
        return False
    return not gpu.number or not gpu.models or any(names_model(model, offer.model) for model in gpu.models)


def _knapsacks(worth: Floats, sizes: Sequence[int], capacity: int) -> list[dict[int, int]]:
    """Returns for each row of prices the set of things that is worth most: how many of each, by place."""
    best = np.zeros((len(worth), capacity + 1))
    taken = np.full((len(worth), capacity + 1), -1, np.int64)
    sized = np.array(sizes)
    for room in range(1, capacity + 1):
        fits = np.flatnonzero(sized <= room)
        best[:, room] = best[:, room - 1]
        if not len(fits):
            continue
        values = best[:, room - sized[fits]] + worth[:, fits]
        top = values.argmax(axis=1)
        reached = values[np.arange(len(worth)), top]
        better = reached > best[:, room] + 1e-12
        best[better, room] = reached[better]
        taken[better, room] = fits[top[better]]
    return [_contents(row, sizes) for row in taken]


def _contents(taken: np.typing.NDArray[np.int64], sizes: Sequence[int]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    room = len(taken) - 1
    while room > 0:
        which = int(taken[room])
        if which < 0:
            room -= 1
        else:
            counts[which] += 1
            room -= sizes[which]
    return dict(counts)

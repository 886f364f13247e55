"""The most that every pod may ask for the gang to start: a cap on one resource, or where none alone is enough on several."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from corral.placement.asks import Gang, PodAsk
from corral.placement.fleet.columns import Ints
from corral.placement.remedies.amounts import Offer
from corral.placement.remedies.question import Question, View, smallest
from corral.placement.remedies.reductions import (
    CPU,
    GPU_MEMORY,
    GPUS,
    MEMORY,
    SHARE,
    UNITS,
    Cap,
    SmallerPods,
    asked_amount,
)
from corral.placement.remedies.remedy import Part
from corral.placement.remedies.shadows import own_others
from corral.placement.remedies.shortage import shortage_of, waiting_of

Enough = Callable[[int], bool]
"""Whether so many steps down are enough."""

_FLOORS = {GPUS: 1, SHARE: 10, GPU_MEMORY: 256, CPU: 100, MEMORY: 64 << 20}
"""With less than that no pod would be of use; of other resources it may do without."""


def smaller_pods(question: Question, view: View) -> Iterator[Offer]:
    """Yields caps that may start the gang beside the switches of a view, as high as they can be: on few resources before many."""
    gpus, rest = _resources(view)
    for groups in ([[one] for one in (*gpus, *rest)], [rest], [[*gpus, *rest]]):
        found = [one for resources in groups if (one := _highest(question, view, resources)) is not None]
        if found:
            yield from found
            return


def _resources(view: View) -> tuple[list[str], list[str]]:
    asks = list(waiting_of(view.gang))
    shares = any(ask.gpu.is_share and not ask.gpu.memory for ask in asks)
    names = sorted({name for ask in asks for name, amount in own_others(ask) if amount > 0})
    gpus = [GPUS, *([SHARE] if shares else []), GPU_MEMORY]
    lowerable = [
        [one for one in group if max(asked_amount(ask, one) for ask in asks) > _FLOORS.get(one, 0)]
        for group in (gpus, [*names, CPU, MEMORY])
    ]
    return lowerable[0], lowerable[1]


def _highest(question: Question, view: View, resources: Sequence[str]) -> Offer | None:
    """Lowers all resources as far as they go, then raises one after the other as far as the gang may still start."""
    before = {one: max(asked_amount(ask, one) for ask in waiting_of(view.gang)) for one in resources}
    most = {one: (before[one] - _FLOORS.get(one, 0)) // UNITS.get(one, 1) for one in resources}

    def counting(steps: Mapping[str, int], one: str) -> Enough:
        gang = _capped(view, before, {**steps, one: 0}).capped(view.gang)
        return _counting(question, gang, one, lambda many: before[one] - many * UNITS.get(one, 1))

    def trying(steps: Mapping[str, int], one: str) -> Enough:
        return lambda many: (
            question.trial.starts((*view.switches, _capped(view, before, {**steps, one: many}))) is not None
        )

    if not resources or not counting(most, resources[0])(most[resources[0]]):
        return None
    steps = _raised(most, most, dict.fromkeys(most, 0), counting)
    first = _capped(view, before, steps)

    def settle() -> Part | None:
        if first.caps and trying(steps, resources[0])(steps[resources[0]]):
            return first
        # Several classes get into each other's way: how much lower they must ask, the engine knows.
        last = resources[0], most[resources[0]]
        return _capped(view, before, _raised(most, most, steps, trying)) if trying(most, last[0])(last[1]) else None

    return Offer(first, settle)


def _counting(question: Question, gang: Gang, resource: str, cap_of: Callable[[int], int]) -> Enough:
    """Returns whether a cap on one resource may be enough, everything else being counted once."""
    columns = question.fleet.columns
    left = {CPU: columns.cpu, MEMORY: columns.memory}.get(resource, columns.others.get(resource))
    if left is None:
        return lambda many: question.shortage(SmallerPods((Cap(resource, cap_of(many), 0),)).capped(gang)).least <= 0
    there = left[: len(question.makes.of_row)]

    def enough(many: int) -> bool:
        def counted(ask: PodAsk) -> Ints:
            each = min(asked_amount(ask, resource), cap_of(many))
            rooms = question.room(ask, resource)
            return np.minimum(rooms, np.maximum(there // each, 0)) if each else rooms

        return shortage_of(question.fleet, gang, counted, question.makes.allowed).least <= 0

    return enough


def _raised(
    begin: Mapping[str, int],
    most: Mapping[str, int],
    least: Mapping[str, int],
    asking: Callable[[Mapping[str, int], str], Enough],
) -> dict[str, int]:
    """Returns the fewest steps down for each resource in turn, with which it is enough."""
    steps = dict(begin)
    for one in steps:
        fewest = smallest(least[one], most[one], asking(steps, one))
        steps[one] = steps[one] if fewest is None else fewest
    return steps


def _capped(view: View, before: Mapping[str, int], steps: Mapping[str, int]) -> SmallerPods:
    caps = tuple(Cap(one, before[one] - many * UNITS.get(one, 1), before[one]) for one, many in steps.items() if many)
    smaller = SmallerPods(caps)
    lost = sum(
        one.ask.gpu.total - less.ask.gpu.total
        for one, less in zip(view.gang.members, smaller.capped(view.gang).members, strict=True)
        if not one.held
    )
    return SmallerPods(caps, lost)

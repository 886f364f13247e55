"""Plays arrivals and departures against an empty fleet under a policy, and counts what became of them.

`filled` only fills: nobody leaves, whoever does not fit is dropped. `churned` lets pods leave again; whoever does not fit on arrival is
lost, and counts begin when the fleet has settled. The clock is an argument; it measures decisions alone.

Both take a policy that knows the mix, or one that learns it from the pods that come, as the scheduler's loop does.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from corral.placement.asks import Gang, Member, Plan, PodAsk, Refusal
from corral.placement.fleet.fleet import Fleet
from corral.placement.gangs.planning import plan
from corral.placement.offers import NodeOffer
from corral.placement.potentials.observed import LearningPolicy
from corral.placement.potentials.policies import Policy
from corral.placement.potentials.statistics import statistics_of
from corral.placement.replay.arrivals import Stay
from corral.placement.replay.fragments import Fragments, fragments_of
from corral.placement.replay.sizes import size_of

Clock = Callable[[], float]
Chooser = Policy | LearningPolicy

WARM_UP = 2.5
"""Mean lifetimes until counting begins."""
MEASURED = 4.0
"""Mean lifetimes during which it goes on."""


class Filled(NamedTuple):
    """What became of arrivals that never leave; percentages are of all GPUs."""

    seed: int
    at_100: float | None
    """What was allocated when as much had arrived as there is; None when that little came."""
    at_end: float
    curve: tuple[float, ...]
    """What was allocated each time another percent of all GPUs had been asked for, from 0 on."""
    arrived: Mapping[str, int]
    """Pods by size."""
    failed: Mapping[str, int]
    fragments: Fragments
    decisions: int
    seconds: float


class Churned(NamedTuple):
    """What became of pods that come and go, after warming up; amounts are thousandths of GPUs by size."""

    seed: int
    asked: Mapping[str, int]
    rejected: Mapping[str, int]
    arrived: Mapping[str, int]
    """Pods by size."""
    failed: Mapping[str, int]
    mean_allocated: float
    """Percent of all GPUs, over time."""
    decisions: int
    seconds: float


def capacity_of(offers: Sequence[NodeOffer]) -> int:
    """Returns the thousandths of GPUs of some nodes."""
    return sum(gpu.milli for offer in offers for gpu in offer.gpus)


def filled(offers: Sequence[NodeOffer], arrivals: Sequence[PodAsk], policy: Chooser, seed: int, clock: Clock) -> Filled:
    """Places arrivals one after another; nobody leaves."""
    fleet, capacity = _empty(offers, seed), capacity_of(offers)
    asked = allocated = 0
    curve = [0.0]
    arrived: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    start = clock()
    for place, ask in enumerate(arrivals):
        asked += ask.gpu.total
        if isinstance(_placed(fleet, policy, f"{seed}-{place}", ask), Plan):
            allocated += ask.gpu.total
        else:
            failed[size_of(ask)] += 1
        arrived[size_of(ask)] += 1
        while capacity and 100 * asked >= len(curve) * capacity:
            curve.append(_percent(allocated, capacity))
    seconds = clock() - start
    fragments = fragments_of(fleet, policy.statistics if isinstance(policy, Policy) else statistics_of(arrivals))
    at_end = _percent(allocated, capacity)
    at_100 = curve[100] if len(curve) > 100 else None
    return Filled(seed, at_100, at_end, tuple(curve), arrived, failed, fragments, len(arrivals), seconds)


def churned(offers: Sequence[NodeOffer], stays: Sequence[Stay], policy: Chooser, seed: int, clock: Clock) -> Churned:
    """Places pods when they arrive and takes them away when they leave."""
    fleet, capacity = _empty(offers, seed), capacity_of(offers)
    arrived: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    leaving: list[tuple[float, str, int]] = []
    allocated, area, last = 0, 0.0, WARM_UP
    start = clock()
    for place, stay in enumerate(stays):
        while leaving and leaving[0][0] <= stay.arrives:
            at, uid, amount = heapq.heappop(leaving)
            area, last = area + allocated * max(0.0, at - last), max(last, at)
            fleet.release(uid)
            allocated -= amount
        area, last = area + allocated * max(0.0, stay.arrives - last), max(last, stay.arrives)
        uid, amount, size = f"{seed}-{place}", stay.ask.gpu.total, size_of(stay.ask)
        counts = stay.arrives >= WARM_UP
        if counts:
            arrived[size] += 1
            asked[size] += amount
        if isinstance(_placed(fleet, policy, uid, stay.ask), Plan):
            allocated += amount
            heapq.heappush(leaving, (stay.leaves, uid, amount))
        elif counts:
            failed[size] += 1
            rejected[size] += amount
    seconds = clock() - start
    mean = _percent(area / (last - WARM_UP), capacity) if last > WARM_UP else 0.0
    return Churned(seed, asked, rejected, arrived, failed, mean, len(stays), seconds)


def _empty(offers: Sequence[NodeOffer], seed: int) -> Fleet:
    fleet = Fleet(seed)
    for offer in offers:
        fleet.put(offer)
    return fleet


def _now(policy: Chooser) -> Policy:
    return policy.now if isinstance(policy, LearningPolicy) else policy


def _placed(fleet: Fleet, policy: Chooser, uid: str, ask: PodAsk) -> Plan | Refusal:
    if isinstance(policy, LearningPolicy):
        policy.came(ask)
    answer = plan(fleet, Gang(uid, (Member(uid, ask),), 1), _now(policy), explain=False)
    if isinstance(answer, Plan):
        fleet.hold(answer.seats[0], ask)
    return answer


def _percent(amount: float, capacity: int) -> float:
    return 100.0 * amount / capacity if capacity else 0.0
